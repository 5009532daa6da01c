import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { announcedLineNodes, announceLineNode } from '../app/line-node-announcement.ts'
import { localNodes, ownNode } from '../app/line-node-settings.ts'
import { type Config, readConfig } from '../config.ts'
import { connectToNode } from '../drivers/line-node/connection.ts'
import { lineNodeOptions, socketFileIn } from '../drivers/line-node/process.ts'
import { type NodeTarget, openLocal, remoteNode } from '../drivers/line-node/target.ts'
import { CommandRefused } from '../http/admin-socket.ts'
import { systemClock } from '../lib/clock.ts'
import { createLog } from '../lib/log.ts'
import { programFile } from '../lib/program-file.ts'
import type { CommandArguments, CommandResult } from './command.ts'
import { prepareDataDir } from './data-dir.ts'

/** Runs the line node in the foreground until it ends. With LINE_NODE_LISTEN, servers on other hosts use it. */
export async function runLineNode(): Promise<undefined> {
  const config = readConfig()
  const { listen = null, secret = '' } = config.voice.lineNodes
  if (listen && config.database.kind !== 'postgres')
    throw new CommandRefused('LINE_NODE_LISTEN needs PostgreSQL: servers on other hosts find the node there')
  prepareDataDir(config)
  const { file, execArgv } = programFile('line-node')
  const node = spawn(process.execPath, [...execArgv, file, JSON.stringify({ ...optionsOf(config), listen })], {
    stdio: ['pipe', 'inherit', 'inherit'],
    env: {},
  })
  // Other users of the machine can read the arguments of a program.
  node.stdin.end(secret)
  const announcement = listen && (await announceLineNode(config, systemClock(), createLog(config.logLevel)))
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, () => void node.kill('SIGTERM'))
  const [code] = node.exitCode === null ? await once(node, 'exit') : [node.exitCode]
  await announcement?.stop()
  process.exitCode = typeof code === 'number' ? code : 1
  return undefined
}

/** The line node refuses new calls, and ends when the last call has ended. */
export async function drainLineNode(given: CommandArguments): Promise<CommandResult> {
  const [id] = given.words
  const connection = await connectToNode({
    ...(await targetOf(readConfig(), id)),
    session: `drain:${process.pid}`,
    isDraining: () => true,
    isObserver: true,
    clock: systemClock(),
    onMessage() {},
    onRequest: () => Promise.reject(new Error('this connection takes no calls')),
    onEnd() {},
  }).catch(() => {
    throw new CommandRefused(
      id === undefined ? 'no line node is running for this DATA_DIR' : `the line node ${id} cannot be reached`,
    )
  })
  const { legs } = connection.welcome
  await connection.request('retire', [])
  connection.leave()
  const text = legs === 0 ? 'the line node ends' : `new calls are refused; the line node ends after ${legs} active legs`
  return { text, json: { legs } }
}

/** A node of this machine, or one on another host. */
async function targetOf(config: Config, id: string | undefined): Promise<Pick<NodeTarget, 'open'>> {
  const local = [...localNodes(config), ownNode(config)].find((node) => id === undefined || node.id === id)
  if (local) return { open: openLocal(socketFileIn(local.settings.dataDir, local.index)) }
  const { secret } = config.voice.lineNodes
  const nodes = await announcedLineNodes(config)
  const found = nodes.find((node) => node.id === id)
  if (found && secret !== undefined) return remoteNode(found.id, found, secret)
  const all = [...localNodes(config), ...nodes].map((node) => node.id)
  throw new CommandRefused(`there is no line node ${id}; known are: ${all.join(', ') || 'none'}`)
}

const optionsOf = (config: Config) => lineNodeOptions({ ...ownNode(config), logLevel: config.logLevel })
