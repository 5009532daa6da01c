import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { closeSync, openSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { programFile } from '../../lib/program-file.ts'
import type { LineNodeOptions } from '../../line-node/protocol.ts'

/** The kernel limits the path of a Unix socket; a deep data folder gets a short name elsewhere. */
const maxPathLength = 100

export function socketFileIn(dataDir: string): string {
  const file = path.resolve(dataDir, 'line-node.sock')
  if (Buffer.byteLength(file) <= maxPathLength) return file
  const name = createHash('sha256').update(file).digest('hex').slice(0, 24)
  return path.join(tmpdir(), `hookswitch-${name}.sock`)
}

/** Starts the program so that it outlives this process. It exits at once if another one serves the socket. */
export function startLineNode(dataDir: string, options: LineNodeOptions, onError: (error: Error) => void): void {
  const { file, execArgv } = programFile('line-node')
  const log = openSync(path.join(dataDir, 'line-node.log'), 'a', 0o600)
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
