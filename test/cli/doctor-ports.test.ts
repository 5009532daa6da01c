import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { createServer } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { makeCertificate } from '../kit/certificate.ts'
import { freePort, temporaryFolder } from '../kit/databases.ts'
import { startLineNodeService } from '../kit/line-node-service.ts'
import { portsOfItsOwn } from '../kit/voice.ts'
import { examined } from './doctor-report.ts'
import { hookswitch, production, sandbox, serve } from './program.ts'

test('doctor opens every port of the server and its line node, and names the setting of one that is in use', async () => {
  const { cert, key } = await makeCertificate(await temporaryFolder(), 'phone')
  const port = async () => String(await freePort())
  const env = await production({
    ...(await portsOfItsOwn()),
    TLS_CERT: cert,
    TLS_KEY: key,
    PUBLIC_URL: 'https://phone.test',
    ADMIN_PORT: await port(),
    SIP_TLS_PORT: await port(),
    LINE_NODE_LISTEN: `127.0.0.1:${await port()}`,
    LINE_NODE_SECRET: 'a secret of at least 32 characters',
  })
  const settings: [protocol: 'TCP' | 'UDP', purpose: string, setting: string][] = [
    ['TCP', 'HTTPS', 'PORT'],
    ['TCP', 'health and metrics', 'ADMIN_PORT'],
    ['UDP', 'SIP', 'SIP_PORT'],
    ['TCP', 'SIP', 'SIP_PORT'],
    ['TCP', 'SIP over TLS', 'SIP_TLS_PORT'],
    ['UDP', 'WebRTC', 'RTP_BROWSER_PORT'],
    ['TCP', 'line node', 'LINE_NODE_LISTEN'],
  ]
  const portOf = (setting: string) => Number(env[setting]?.split(':').at(-1))
  const lineOf = ([protocol, purpose, setting]: (typeof settings)[number]) =>
    `${protocol} ${portOf(setting)} (${purpose})`

  const free = await examined(env)
  for (const [protocol, , setting] of settings) await occupy(protocol, portOf(setting))
  const [rtp = ''] = env.RTP_PORTS?.split('-') ?? []
  await occupy('UDP', Number(rtp) + 1)
  const occupied = await examined(env)

  for (const wanted of settings) {
    expect(free.about(lineOf(wanted))).toMatch(/^ok .*free on 127\.0\.0\.1/)
    expect(occupied.about(lineOf(wanted))).toMatch(new RegExp(`^ERROR.*EADDRINUSE.*or change ${wanted[2]}$`))
  }
  expect(free.about('RTP ')).toMatch(/^(ok|warn)/)
  expect(occupied.about('RTP ')).toMatch(
    new RegExp(`^ERROR.*1 ports cannot be opened \\(${Number(rtp) + 1} is the first`),
  )
  expect(occupied.code).toBe(1)
})

test('doctor checks the ports of each line node of this machine', async () => {
  const [sip, browser] = [30_400, 30_450]
  const env = await sandbox({ LINE_NODES: '3', SIP_PORT: String(sip), RTP_BROWSER_PORT: String(browser) })

  const { about } = await examined(env)

  for (const at of [0, 1, 2]) {
    expect(about(`UDP ${sip + 10 * at} (SIP)`)).toMatch(/^ok/)
    expect(about(`UDP ${browser + at} (WebRTC)`)).toMatch(/^ok/)
  }
})

test('doctor checks no SIP ports where calls are on other hosts', async () => {
  const env = await sandbox({ LINE_NODES: '0', LINE_NODE_SECRET: 'a secret of at least 32 characters' })

  const { lines } = await examined(env)

  expect(lines.filter((line) => /SIP\)|WebRTC|RTP|Media process/.test(line))).toEqual([])
})

test('doctor recognizes an address that this machine does not have', async () => {
  const env = await sandbox({ SIP_BIND: '192.0.2.1' })

  const { about } = await examined(env)

  expect(about(`UDP ${env.SIP_PORT} (SIP)`)).toMatch(/^ERROR.*EADDRNOTAVAIL.*change SIP_BIND$/)
})

test('doctor accepts the ports of the running service, and of a line node that goes on without a server', async () => {
  const env = await sandbox(await portsOfItsOwn())
  startLineNodeService(env)
  const server = await serve(env)
  const added = await hookswitch(['trunks', 'add', 'Carrier', '--host', '127.0.0.1'], env)
  expect(added).toMatchObject({ code: 0 })
  const sip = async () => (await examined(env)).about(`UDP ${env.SIP_PORT} (SIP)`)

  await expect.poll(sip).toMatch(/^ok.*in use by the running line node/)
  const withServer = await examined(env)
  await server.stop()
  const withNode = await examined(env)

  expect(withServer.about(`TCP ${env.PORT} (HTTP)`)).toMatch(/^ok.*in use by the running service/)
  expect(withNode.about(`TCP ${env.PORT} (HTTP)`)).toMatch(/^ok.*free/)
  expect(withNode.about(`UDP ${env.SIP_PORT} (SIP)`)).toMatch(/^ok.*in use by the running line node/)
  expect([withServer.code, withNode.code]).toEqual([0, 0])
})

async function occupy(protocol: 'TCP' | 'UDP', port: number): Promise<void> {
  if (protocol === 'TCP') {
    const server = createServer().listen(port, '127.0.0.1')
    await once(server, 'listening')
    onTestFinished(() => void server.close())
    return
  }
  const socket = createSocket('udp4').bind(port, '127.0.0.1')
  await once(socket, 'listening')
  onTestFinished(() => void socket.close())
}
