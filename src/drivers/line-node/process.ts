import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { closeSync, openSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { minute, second } from '../../lib/clock.ts'
import type { LogLevel } from '../../lib/log.ts'
import { programFile } from '../../lib/program-file.ts'
import type { LineNodeOptions, LineNodeSettings } from '../../line-node/protocol.ts'

/** The kernel limits the path of a Unix socket; a deep data folder gets a short name elsewhere. */
const maxPathLength = 100

export function socketFileIn(dataDir: string, index: number): string {
  const file = path.resolve(dataDir, `${nameOf(index)}.sock`)
  if (Buffer.byteLength(file) <= maxPathLength) return file
  const name = createHash('sha256').update(file).digest('hex').slice(0, 24)
  return path.join(tmpdir(), `hookswitch-${name}.sock`)
}

/** The first one has no number. */
const nameOf = (index: number) => (index === 1 ? 'line-node' : `line-node-${index}`)

/** The node stays for a moment when its last call has ended while no engine process is connected. */
const idleMs = 10 * second
const abandonedMs = 2 * minute

export interface NodeProgram {
  id: string
  /** From 1: several nodes share a data folder. */
  index: number
  settings: LineNodeSettings
  logLevel: LogLevel
}

/** The options of a node that runs as a service of its own: it waits for engine processes. */
export const lineNodeOptions = ({ id, index, settings, logLevel }: NodeProgram): LineNodeOptions => ({
  id,
  socketFile: socketFileIn(settings.dataDir, index),
  listen: null,
  logLevel,
  settings,
  idleMs: null,
  abandonedMs,
})

/** Starts the program so that it outlives this process. It exits at once if another one serves the socket. */
export function startLineNode(program: NodeProgram, onError: (error: Error) => void): void {
  const { file, execArgv } = programFile('line-node')
  const options: LineNodeOptions = { ...lineNodeOptions(program), idleMs }
  const log = openSync(path.join(program.settings.dataDir, `${nameOf(program.index)}.log`), 'a', 0o600)
  const child = spawn(process.execPath, [...execArgv, file, JSON.stringify(options)], {
    detached: true,
    stdio: ['ignore', log, log],
    // Its options are complete, and it needs no secret of the server.
    env: {},
  })
  closeSync(log)
  child.on('error', onError)
  child.unref()
}
