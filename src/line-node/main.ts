import { rmSync } from 'node:fs'
import { connect, createServer, type Server } from 'node:net'
import path from 'node:path'
import { createRealLines } from '../drivers/real-lines.ts'
import { createAddressPolicy } from '../lib/address-policy.ts'
import { systemClock } from '../lib/clock.ts'
import { createLog } from '../lib/log.ts'
import { createTrunkHosts } from '../lib/trunk-hosts.ts'
import { ulid } from '../lib/ulid.ts'
import type { LineNodeOptions } from './protocol.ts'
import { createLineNodeServer } from './server.ts'
import { createSessions } from './sessions.ts'

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
  soundOf: async (media) => {
    const file = await sessions.ask((id) => ({ kind: 'request', id, method: 'soundOf', params: [media] }))
    return typeof file === 'string' ? file : undefined
  },
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
  node: `${path.basename(socketFile)}:${ulid(clock.machineNow())}`,
  settings: JSON.stringify(settings),
  idleMs: options.idleMs,
  abandonedMs: options.abandonedMs,
  finished: () => void end(),
})
lineNode.start()
await driver.start()
server.on('connection', lineNode.accept)
rmSync(socketFile, { force: true })
await listen(server)
log.info({ event: 'line_node.started', pid: process.pid }, 'line node started')

let isEnding = false
async function end(): Promise<void> {
  if (isEnding) return
  isEnding = true
  log.info({ event: 'line_node.stopped' }, 'line node ends')
  server.close()
  rmSync(socketFile, { force: true })
  await driver.close()
  process.exit(0)
}

// Signals to the process group of a terminal are for the server; it ends this program when no call is on.
process.on('SIGINT', () => {})
process.on('SIGHUP', () => {})
process.on('SIGTERM', () => void end())

function listen(to: Server): Promise<void> {
  return new Promise((resolve, reject) => {
    to.once('error', reject)
    to.listen(socketFile, resolve)
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
