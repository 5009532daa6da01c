import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { chmod, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { tcpProblem } from '../../src/lib/port-problem.ts'
import { bucket, staticKeys } from '../kit/bucket.ts'
import { makeCertificate } from '../kit/certificate.ts'
import { freePort, migratedPostgresUrl, temporaryFolder } from '../kit/databases.ts'
import { debianProgram } from '../kit/debian-program.ts'
import { mailSink } from '../kit/mail-sink.ts'
import { examined } from './doctor-report.ts'
import { production, sandbox, serve } from './program.ts'

const turnserver = debianProgram('turnserver', 'coturn', 'the TURN check of `doctor`')
const pgbouncer = debianProgram('pgbouncer', 'pgbouncer', 'the pool mode check of `doctor`')
const turnSecret = 'a secret that both sides know, 32+'

test('doctor tries the mail server, the TURN server and the bucket, and fails with a remedy for each', async () => {
  const port = await freePort()
  const closed = `127.0.0.1:${port}`
  const env = await sandbox({
    SMTP_URL: `smtp://${closed}`,
    TURN_URL: `turn:${closed}`,
    TURN_SECRET: turnSecret,
    FILES_URL: `s3://AK:secret@phone?endpoint=http://${closed}`,
  })

  const { code, about } = await examined(env)

  expect(code).toBe(1)
  expect(about('Mail server')).toMatch(/^ERROR.*ECONNREFUSED.*check SMTP_URL/)
  expect(about('TURN')).toMatch(/^ERROR.*ECONNREFUSED.*TURN_SECRET/)
  expect(about('File storage')).toMatch(/^ERROR.*check bucket/)
  expect(about('Database')).toMatch(/^ok.*the first start creates it/)
})

test('doctor leaves nothing in the bucket, and signs in to the mail server', async () => {
  const { place, objects, asked } = await bucket()
  const mail = await mailSink()
  const { accessKeyId, secretAccessKey } = staticKeys
  const files = `s3://phone/office?region=${place.region}&endpoint=${place.endpoint}`
  const env = await sandbox({
    ...mail.env,
    FILES_URL: files,
    AWS_ACCESS_KEY_ID: accessKeyId,
    AWS_SECRET_ACCESS_KEY: secretAccessKey,
  })

  const { code, about } = await examined(env)

  expect(about('File storage')).toMatch(/^ok/)
  expect(asked.map((request) => request.split(' ')[0])).toEqual(['PUT', 'GET', 'DELETE'])
  expect(objects.size).toBe(0)
  expect(about('Mail server')).toMatch(/^ok/)
  expect(mail.received).toEqual([])
  expect(code).toBe(0)
})

test('doctor asks the running service for its public address', async () => {
  const env = await sandbox()
  await serve(env)

  const { code, about } = await examined(env)

  expect(about('PUBLIC_URL')).toMatch(/^ok.*responds/)
  expect(about('Clock')).toMatch(/^ok.*agrees/)
  expect(code).toBe(0)
})

test('doctor recognizes a certificate of another name', async () => {
  const { cert, key } = await makeCertificate(await temporaryFolder(), 'phone')
  const right = await production({ TLS_CERT: cert, TLS_KEY: key, PUBLIC_URL: 'https://phone.test' })

  const fine = await examined(right)
  const other = await examined({ ...right, SIP_HOST: 'sip.example.com' })

  expect(fine.about('Certificate')).toMatch(/^warn.*valid for 1 days; renew it/)
  expect(other.about('Certificate')).toMatch(/^ERROR.*is not for sip\.example\.com/)
  expect(other.code).toBe(1)
})

test.skipIf(!turnserver)('doctor allocates a relay address, and recognizes a wrong TURN secret', async () => {
  const port = await freePort()
  await turnServer(port)
  const env = await sandbox({ TURN_URL: `turn:127.0.0.1:${port}`, TURN_SECRET: turnSecret })

  const [udp, tcp, wrong] = [
    await examined(env),
    await examined({ ...env, TURN_URL: `turn:127.0.0.1:${port}?transport=tcp` }),
    await examined({ ...env, TURN_SECRET: 'another secret, which nobody knows' }),
  ]

  expect(udp.about('TURN')).toMatch(/^ok.*allocated the relay address 127\.0\.0\.1:\d+/)
  expect(tcp.about('TURN')).toMatch(/^ok.*allocated the relay address 127\.0\.0\.1:\d+/)
  expect(wrong.about('TURN')).toMatch(/^ERROR.*refuses TURN_SECRET/)
})

test.skipIf(!pgbouncer)(
  'doctor accepts a pooler in session mode, and refuses one in transaction mode',
  async (context) => {
    const url = await migratedPostgresUrl()
    if (!url) return context.skip()
    const env = await sandbox({ HOOKSWITCH_KEY: randomBytes(32).toString('base64') })

    const direct = await examined({ ...env, DATABASE_URL: url })
    const session = await examined({ ...env, DATABASE_URL: await poolerOf(url, 'session') })
    const transaction = await examined({ ...env, DATABASE_URL: await poolerOf(url, 'transaction') })

    expect(direct.about('Database')).toMatch(/^ok.*keep their session/)
    expect(session.about('Database')).toMatch(/^ok.*keep their session/)
    expect(transaction.about('Database')).toMatch(/^ERROR.*set its pool_mode to session/)
    expect(transaction.code).toBe(1)
  },
)

async function turnServer(port: number): Promise<void> {
  const relays = await freePort()
  const folder = await temporaryFolder()
  const args = ['-n', '--no-cli', '--no-tls', '--no-dtls', '--use-auth-secret', `--static-auth-secret=${turnSecret}`]
  const where = ['--realm=phone.test', '--listening-ip=127.0.0.1', '--relay-ip=127.0.0.1', `--listening-port=${port}`]
  const files = ['--log-file=stdout', `--pidfile=${folder}/pid`, `--userdb=${folder}/users`, '--allow-loopback-peers']
  const range = [`--min-port=${relays}`, `--max-port=${relays + 9}`]
  const child = spawn(turnserver ?? '', [...args, ...where, ...files, ...range], {
    stdio: 'ignore',
  })
  stopAfterTest(child)
  await expect.poll(() => tcpProblem('127.0.0.1', port)).toBe('EADDRINUSE')
}

async function poolerOf(url: string, mode: 'session' | 'transaction'): Promise<string> {
  const { pathname, searchParams, hostname, port: serverPort, username } = new URL(url)
  const folder = await temporaryFolder()
  const port = await freePort()
  const name = pathname.slice(1)
  const host = searchParams.get('host') ?? decodeURIComponent(hostname)
  const settings = [
    '[databases]',
    `${name} = host=${host} port=${serverPort || 5432} user=${username || 'postgres'}`,
    '[pgbouncer]',
    ...['listen_addr = 127.0.0.1', `listen_port = ${port}`, 'auth_type = any', `pool_mode = ${mode}`],
    ...['unix_socket_dir =', 'ignore_startup_parameters = options,extra_float_digits', 'default_pool_size = 5'],
  ]
  const file = path.join(folder, 'pgbouncer.ini')
  await writeFile(file, settings.join('\n'))
  const asUser = process.getuid?.() === 0 ? ['-u', 'postgres'] : []
  // PgBouncer refuses to run as root; the socket of the database is open to its own user only.
  await chmod(folder, 0o755)
  const child = spawn(pgbouncer ?? '', [...asUser, file], { stdio: ['ignore', 'ignore', 'pipe'] })
  stopAfterTest(child)
  let log = ''
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    log += text
  })
  await expect.poll(() => log).toMatch(/process up/)
  return `postgres://${username || 'postgres'}@127.0.0.1:${port}/${name}`
}

function stopAfterTest(child: ReturnType<typeof spawn>): void {
  onTestFinished(async () => {
    const ended = once(child, 'exit')
    if (child.exitCode === null && child.kill('SIGTERM')) await ended
  })
}
