import { type ChildProcess, spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { createInterface } from 'node:readline'
import { freePort } from '../kit/postgres.ts'

// The built program as a process of its own, to be ended in bad ways. Not of vitest: `npm run chaos` uses it too.

export interface Running {
  base: string
  port: number
  child: ChildProcess
}

export interface Place {
  dataDir: string
  databaseUrl?: string
  env?: Record<string, string>
}

export async function launch({ dataDir, databaseUrl, env }: Place): Promise<Running> {
  const port = Number(env?.PORT ?? (await freePort()))
  const child = spawn(process.execPath, [path.resolve('dist/main.js'), 'start'], {
    env: {
      PATH: process.env.PATH,
      HOOKSWITCH_MODE: 'sandbox',
      PORT: String(port),
      DATA_DIR: dataDir,
      RATE_LIMIT_PER_MINUTE: '10000000',
      LOG_LEVEL: 'error',
      ...(databaseUrl && { DATABASE_URL: databaseUrl }),
      ...env,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  endWithUs(child)
  passOnTroubles(child.stderr)
  for await (const line of createInterface({ input: child.stdout })) {
    if (line.startsWith('ready ')) return { base: line.slice(6), port, child }
  }
  throw new Error('the server ended before it was ready')
}

/** The log and other output, without the notice at the start of every sandbox. */
function passOnTroubles(stderr: NodeJS.ReadableStream): void {
  createInterface({ input: stderr }).on('line', (line) => {
    if (!line.startsWith('warning: ')) process.stderr.write(`${line}\n`)
  })
}

const alive = new Set<ChildProcess>()
process.once('exit', endAll)

/** No process outlives the run, however it ends. */
export function endWithUs(child: ChildProcess): void {
  alive.add(child)
  child.once('exit', () => alive.delete(child))
}

/** For a test that was aborted. */
export function endAll(): void {
  for (const child of alive) child.kill('SIGKILL')
}

/** The exit code; null after a signal. */
export const ended = (child: ChildProcess) =>
  new Promise<number | null>((resolve) => {
    if (child.exitCode !== null || child.signalCode !== null) resolve(child.exitCode)
    else child.once('exit', (code) => resolve(code))
  })

export interface Reply {
  status: number
  headers: Headers
  // biome-ignore lint/suspicious/noExplicitAny: answers of every shape
  json: any
}

export type Api = (method: string, target: string, body?: unknown) => Promise<Reply>

/** With the key of the demo company that the server has made in its folder. */
export function clientOf({ base }: Running, dataDir: string): Api {
  const authorization = keyIn(dataDir)
  return async (method, target, body) => {
    const response = await fetch(base + target, {
      method,
      headers: { authorization, 'content-type': 'application/json' },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    })
    const text = await response.text()
    return { status: response.status, headers: response.headers, json: text === '' ? null : JSON.parse(text) }
  }
}

/** Lines of JSON, as a bulk export brings them. */
export async function linesFrom<T>({ base }: Running, dataDir: string, target: string): Promise<T[]> {
  const response = await fetch(base + target, { headers: { authorization: keyIn(dataDir) } })
  const lines = (await response.text()).split('\n')
  return lines.filter((line) => line !== '').map((line): T => JSON.parse(line))
}

function keyIn(dataDir: string): string {
  const demo = JSON.parse(readFileSync(path.join(dataDir, 'demo.json'), 'utf8'))
  return `Basic ${Buffer.from(`${demo.api_id}:${demo.api_token}`).toString('base64')}`
}
