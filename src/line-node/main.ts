import { rmSync } from 'node:fs'
import { connect, createServer, type ListenOptions, type Server } from 'node:net'
import path from 'node:path'
import { createRealLines } from '../drivers/real-lines.ts'
import { createAddressPolicy } from '../lib/address-policy.ts'
import { systemClock } from '../lib/clock.ts'
import { createLog } from '../lib/log.ts'
import { serveWithSharedKey } from '../lib/shared-key-tls.ts'
import { createTrunkHosts } from '../lib/trunk-hosts.ts'
import { ulid } from '../lib/ulid.ts'
import { type LineNodeOptions, sharedKeyIdentity } from './protocol.ts'
import { createRecordingFiles } from './recording-files.ts'
import { createLineNodeServer } from './server.ts'
import { createSessions } from './sessions.ts'
import { createNodeSounds } from './sounds.ts'

// Started by drivers/line-node/process.ts with its options as the only argument, or by `hookswitch line-node`.

const [, , given = ''] = process.argv
const options: LineNodeOptions = JSON.parse(given)
process.umask(0o077)
process.stdout.on('error', () => {})
process.stderr.on('error', () => {})

const { settings, socketFile } = options
const clock = systemClock()
const log = createLog(options.logLevel).child({ program: 'line-node' })
const sessions = createSessions(clock)
const server = createServer()

// Another node serves this socket: two engine processes may have started one each.
if (await isServed(socketFile)) process.exit(0)
const policy = createAddressPolicy(settings.trunkHosts)
const driver = createRealLines({
  clock,
  log,
  dataDir: settings.dataDir,
  sip: { ...settings.sip, publicIp: settings.sip.publicIp ?? undefined },
  rtp: { ...settings.rtp, publicIp: settings.rtp.publicIp ?? undefined },
  tls: settings.tls ?? undefined,
  shared: settings.shared,
  soundOf: createNodeSounds(sessions, path.join(settings.dataDir, 'transferred-sounds')),
  routeCall: async (candidates) => {
    const trunkId = await sessions.ask((id) => ({ kind: 'request', id, method: 'routeCall', params: [candidates] }))
    return typeof trunkId === 'string' ? trunkId : undefined
  },
  admits: createTrunkHosts({ ...settings.trunkHosts, policy }).admits,
})
const lineNode = createLineNodeServer({
  driver,
  sessions,
  clock,
  log,
  node: `${options.id}:${ulid(clock.machineNow())}`,
  settings: JSON.stringify(settings),
  recordingFiles: createRecordingFiles(path.join(settings.dataDir, 'recordings')),
  // Two legs per call.
  maxLegs: 2 * settings.rtp.maxCalls,
  idleMs: options.idleMs,
  abandonedMs: options.abandonedMs,
  finished: () => void end(),
})
lineNode.start()
await driver.start()
server.on('connection', lineNode.accept)
rmSync(socketFile, { force: true })
await listen(server, { path: socketFile })
const remote = options.listen && serveWithSharedKey(await secretFromInput(), sharedKeyIdentity, lineNode.accept)
remote?.on('tlsClientError', (error) =>
  log.warn(
    { event: 'line_node.client_refused', error: error.message },
    'TLS connection refused: the secrets may differ',
  ),
)
if (remote && options.listen) await listen(remote, options.listen)
log.info({ event: 'line_node.started', pid: process.pid }, 'line node started')

let isEnding = false
async function end(): Promise<void> {
  if (isEnding) return
  isEnding = true
  log.info({ event: 'line_node.stopped' }, 'line node ends')
  server.close()
  remote?.close()
  rmSync(socketFile, { force: true })
  await driver.close()
  process.exit(0)
}

// Signals to the process group of a terminal are for the server; it ends this program when no call is on.
process.on('SIGINT', () => {})
process.on('SIGHUP', () => {})
process.on('SIGTERM', () => void end())

/** Other users of the machine can read the arguments of a program. */
async function secretFromInput(): Promise<string> {
  const parts: Buffer[] = []
  for await (const part of process.stdin) parts.push(Buffer.from(part))
  return Buffer.concat(parts).toString('utf8')
}

function listen(to: Server, where: ListenOptions): Promise<void> {
  return new Promise((resolve, reject) => {
    to.once('error', reject)
    to.listen(where, resolve)
  })
}

function isServed(file: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(file)
    socket.once('connect', () => {
      socket.destroy()
      resolve(true)
    })
    socket.once('error', () => resolve(false))
  })
}
