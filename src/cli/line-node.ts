import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { lineNodeSettings } from '../app/line-node-settings.ts'
import { type Config, readConfig } from '../config.ts'
import { connectToNode } from '../drivers/line-node/connection.ts'
import { lineNodeOptions } from '../drivers/line-node/driver.ts'
import { CommandRefused } from '../http/admin-socket.ts'
import { systemClock } from '../lib/clock.ts'
import { programFile } from '../lib/program-file.ts'
import type { CommandResult } from './command.ts'
import { prepareDataDir } from './data-dir.ts'

/** Runs the line node in the foreground until it ends. */
export async function runLineNode(): Promise<undefined> {
  const config = readConfig()
  prepareDataDir(config)
  const { file, execArgv } = programFile('line-node')
  const node = spawn(process.execPath, [...execArgv, file, JSON.stringify(optionsOf(config))], {
    stdio: 'inherit',
    env: {},
  })
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, () => void node.kill('SIGTERM'))
  const [code] = await once(node, 'exit')
  process.exitCode = typeof code === 'number' ? code : 1
  return undefined
}

/** The line node refuses new calls, and ends when the last call has ended. */
export async function drainLineNode(): Promise<CommandResult> {
  const connection = await connectToNode({
    socketFile: optionsOf(readConfig()).socketFile,
    session: `drain:${process.pid}`,
    isDraining: () => true,
    clock: systemClock(),
    onMessage() {},
    onRequest: () => Promise.reject(new Error('this connection takes no calls')),
    onEnd() {},
  }).catch(() => {
    throw new CommandRefused('no line node is running for this DATA_DIR')
  })
  const { legs } = connection.welcome
  await connection.request('retire', [])
  connection.leave()
  const text = legs === 0 ? 'the line node ends' : `new calls are refused; the line node ends after ${legs} active legs`
  return { text, json: { legs } }
}

const optionsOf = (config: Config) => lineNodeOptions(lineNodeSettings(config), config.logLevel)
