import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmod, mkdir, readFile, writeFile } from 'node:fs/promises'
import { request as requestOf } from 'node:https'
import { connect } from 'node:net'
import path from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { WebSocket } from 'ws'
import { api, sandbox, serve } from '../cli/program.ts'
import { makeCertificate } from '../kit/certificate.ts'
import { freePort, temporaryFolder } from '../kit/databases.ts'
import { debianProgram } from '../kit/debian-program.ts'

// The configurations of deploy/ with a server behind them: only addresses, ports, names and certificates differ.

const shipped = path.resolve(import.meta.dirname, '../../deploy')

interface Place {
  folder: string
  /** HTTPS and HTTP. */
  port: number
  plainPort: number
  server: number
  admin: number
  cert: string
  key: string
}

interface Proxy {
  name: string
  program: string | undefined
  start(place: Place): Promise<ChildProcess>
}

const edited = async (file: string, changes: [from: string, to: string][]) => {
  let text = await readFile(path.join(shipped, file), 'utf8')
  for (const [from, to] of changes) {
    expect(text, `${file} has ${from}`).toContain(from)
    text = text.replaceAll(from, to)
  }
  return text
}

const proxies: Proxy[] = [
  {
    name: 'nginx',
    program: debianProgram('nginx', 'nginx', 'deploy/nginx'),
    async start({ folder, port, plainPort, server, cert, key }) {
      const site = await edited('nginx/hookswitch.conf', [
        ['listen 80;', `listen 127.0.0.1:${plainPort};`],
        ['listen 443 ssl', `listen 127.0.0.1:${port} ssl`],
        ['phone.example.com', 'phone.test'],
        ['127.0.0.1:3000', `127.0.0.1:${server}`],
        ['/etc/ssl/phone.pem', cert],
        ['/etc/ssl/phone.key', key],
      ])
      const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
        (kind) => `${kind}_temp_path ${folder}/${kind};`,
      )
      const main = `daemon off; pid ${folder}/pid; error_log stderr; events {} http { access_log off; ${temporary.join(' ')}\n${site}}`
      await writeFile(path.join(folder, 'nginx.conf'), main)
      return spawn(this.program ?? '', ['-c', path.join(folder, 'nginx.conf')], { stdio: 'inherit' })
    },
  },
  {
    name: 'haproxy',
    program: debianProgram('haproxy', 'haproxy', 'deploy/haproxy'),
    async start({ folder, port, plainPort, server, admin, cert, key }) {
      const both = path.join(folder, 'both.pem')
      await writeFile(both, `${await readFile(cert, 'utf8')}${await readFile(key, 'utf8')}`)
      const configuration = await edited('haproxy/haproxy.cfg', [
        ['maxconn 20000', 'maxconn 200'],
        ['bind :80\n', `bind 127.0.0.1:${plainPort}\n`],
        ['bind :443', `bind 127.0.0.1:${port}`],
        ['/etc/ssl/phone-with-key.pem', both],
        ['10.0.0.11:3000', `127.0.0.1:${server}`],
        ['check port 9090', `check port ${admin}`],
        ['  server two 10.0.0.12:3000\n', ''],
      ])
      await writeFile(path.join(folder, 'haproxy.cfg'), configuration)
      return spawn(this.program ?? '', ['-db', '-f', path.join(folder, 'haproxy.cfg')], { stdio: 'inherit' })
    },
  },
  {
    name: 'caddy',
    program: debianProgram('caddy', 'caddy', 'deploy/caddy'),
    async start({ folder, port, plainPort, server, cert, key }) {
      const site = await edited('caddy/Caddyfile', [
        ['phone.example.com {\n', `https://phone.test:${port} {\n\ttls ${cert} ${key}\n`],
        ['127.0.0.1:3000', `127.0.0.1:${server}`],
        ['phone.example.com', 'phone.test'],
      ])
      const file = path.join(folder, 'Caddyfile')
      await writeFile(file, `{\n\tadmin off\n\thttp_port ${plainPort}\n\thttps_port ${port}\n}\n${site}`)
      const env = { PATH: process.env.PATH ?? '', HOME: folder, XDG_DATA_HOME: folder, XDG_CONFIG_HOME: folder }
      return spawn(this.program ?? '', ['run', '--config', file, '--adapter', 'caddyfile'], { env, stdio: 'ignore' })
    },
  },
]

describe.each(proxies)('$name', (proxy) => {
  test.skipIf(!proxy.program)('serves API, WebSockets and event streams', async () => {
    const folder = await temporaryFolder()
    // The workers of nginx run as another user.
    await chmod(folder, 0o755)
    await mkdir(path.join(folder, 'logs'))
    const certificate = await makeCertificate(folder, 'phone')
    const [port, plainPort] = [await freePort(), await freePort()]
    // Keys open sockets in a sandbox only.
    const env = await sandbox({
      PUBLIC_URL: `https://phone.test:${port}`,
      TRUSTED_PROXIES: '127.0.0.1',
      ADMIN_PORT: String(await freePort()),
    })
    const server = await serve(env)
    const key = JSON.parse(await readFile(path.join(env.DATA_DIR ?? '', 'demo.json'), 'utf8'))
    const place: Place = {
      folder,
      port,
      plainPort,
      server: Number(env.PORT),
      admin: Number(env.ADMIN_PORT),
      ...certificate,
    }
    stopAfterTest(await proxy.start(place))
    await expect.poll(() => accepts(port)).toBe(true)
    const direct = api(server.base, key)
    const authorization = `Basic ${Buffer.from(`${key.api_id}:${key.api_token}`).toString('base64')}`

    await expect.poll(() => get(port, '/v1').then(({ status }) => status)).toBe(200)
    const ping = await get(port, '/v1/ping', { authorization })
    const [user] = (await direct('GET', '/v1/users')).json.users
    const greeting = await firstMessage(port, `/live?user_id=${user.id}`, authorization)
    const contact = { first_name: 'Mira', phone_numbers: [{ label: 'Work', value: '+33199000207' }] }
    const streamed = await eventAfter(port, authorization, () => direct('POST', '/v1/contacts', contact))

    expect(ping).toMatchObject({ status: 200, body: '{"ping":"pong"}' })
    expect(greeting).toContain('"hello"')
    expect(streamed).toContain('contact.created')
  })
})

const accepts = (port: number) =>
  new Promise<boolean>((resolve) => {
    const socket = connect(port, '127.0.0.1')
    socket
      .once('error', () => resolve(false))
      .once('connect', () => {
        socket.destroy()
        resolve(true)
      })
  })

const options = (port: number, target: string, headers: Record<string, string>) => ({
  host: '127.0.0.1',
  port,
  path: target,
  servername: 'phone.test',
  rejectUnauthorized: false,
  // A client that lies about its address and its protocol.
  headers: { host: `phone.test:${port}`, 'x-forwarded-for': '203.0.113.9', 'x-forwarded-proto': 'http', ...headers },
})

function get(
  port: number,
  target: string,
  headers: Record<string, string> = {},
): Promise<{ status: number; body: string }> {
  return new Promise((resolve, reject) => {
    const outgoing = requestOf({ ...options(port, target, headers), agent: false }, (response) => {
      let body = ''
      response.setEncoding('utf8').on('data', (text: string) => {
        body += text
      })
      response.on('end', () => resolve({ status: response.statusCode ?? 0, body }))
    })
    outgoing.on('error', reject).end()
  })
}

function firstMessage(port: number, target: string, authorization: string): Promise<string> {
  const socket = new WebSocket(`wss://127.0.0.1:${port}${target}`, options(port, target, { authorization }))
  onTestFinished(() => socket.terminate())
  return new Promise((resolve) => {
    socket.on('message', (data) => resolve(String(data)))
    socket.on('unexpected-response', (_request, response) => resolve(`refused with ${response.statusCode}`))
    socket.on('error', (error) => resolve(error.message))
  })
}

/** What the stream of events sends after something happened, while it stays open. */
function eventAfter(port: number, authorization: string, act: () => Promise<unknown>): Promise<string> {
  return new Promise((resolve, reject) => {
    const outgoing = requestOf(
      { ...options(port, '/v1/events/stream', { authorization }), agent: false },
      (response) => {
        let text = ''
        response.setEncoding('utf8').on('data', (part: string) => {
          text += part
          if (!text.includes('contact.created')) return
          outgoing.destroy()
          resolve(text)
        })
        act().catch(reject)
      },
    )
    outgoing.on('error', reject).end()
  })
}

function stopAfterTest(child: ChildProcess): void {
  onTestFinished(async () => {
    const ended = once(child, 'exit')
    if (child.exitCode === null && child.kill('SIGTERM')) await ended
  })
}
