import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createRequire } from 'node:module'
import path from 'node:path'
import { pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import { onTestFinished } from 'vitest'
import { scrape } from '../observability/metrics.ts'
import type { TestApp } from './app.ts'

/** `hookswitch line-node` as a service of its own, optionally on another host. */
export function startLineNodeService(env: Record<string, string>, inside: readonly string[] = []): ChildProcess {
  const loader = pathToFileURL(createRequire(import.meta.url).resolve('tsx')).href
  const program = path.resolve(import.meta.dirname, '../../src/main.ts')
  const [command = '', ...args] = [...inside, process.execPath, '--import', loader, program, 'line-node']
  const child = spawn(command, args, {
    env: { PATH: process.env.PATH, HOOKSWITCH_MODE: 'sandbox', LOG_LEVEL: 'warn', ...env },
    stdio: ['ignore', 'inherit', 'inherit'],
  })
  onTestFinished(async () => {
    if (hasExited(child)) return
    child.kill('SIGTERM')
    await once(child, 'exit')
  })
  return child
}

export const hasExited = ({ exitCode, signalCode }: ChildProcess) => exitCode !== null || signalCode !== null

/** Ends the programs of a data folder at once; their options name it. */
export async function killProgramsOf(dataDir: string): Promise<void> {
  const { stdout } = await promisify(execFile)('ps', ['-A', '-ww', '-o', 'pid=,args='])
  for (const text of stdout.split('\n')) {
    if (text.includes(`${dataDir}"`)) process.kill(Number.parseInt(text, 10), 'SIGKILL')
  }
}

/** Active legs of each node, as the metrics say. */
export async function legsPerNode(app: TestApp): Promise<number[]> {
  const { text } = await scrape(app)
  return [...text.matchAll(/^hookswitch_line_node_legs\{node="[^"]+"\} (\d+)$/gm)].map(([, legs]) => Number(legs))
}
