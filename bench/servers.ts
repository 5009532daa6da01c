import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { promisify } from 'node:util'
// @ts-expect-error plain JavaScript: it runs before anything is installed
import { ensureBuilt } from '../scripts/prepare.mjs'
import { freePort } from '../test/kit/postgres.ts'

export const root = path.dirname(import.meta.dirname)

/** The built program is measured; tsx would measure the compiler. */
export const buildProgram: () => Promise<void> = ensureBuilt

/** A server under load, in a process of its own, on loopback only. */
export interface Server {
  url: string
  /** Resident memory in MB. */
  memory(): Promise<number>
  /** How long its process has been running on a core, all threads together. */
  cpuSeconds(): Promise<number>
  stop(): Promise<void>
}

const children = new Set<ChildProcess>()
const folders = new Set<string>()
process.on('exit', () => {
  for (const child of children) child.kill('SIGKILL')
  for (const folder of folders) rmSync(folder, { recursive: true, force: true, maxRetries: 3 })
})
for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => process.exit(1))

export function temporaryFolder(): string {
  const folder = mkdtempSync(path.join(tmpdir(), 'hookswitch-bench-'))
  folders.add(folder)
  return folder
}

/** A sandbox with an unreachable rate limit: no measured response may be 429. */
export function sandboxEnvironment(dataDir: string, port: number): Record<string, string> {
  return {
    HOOKSWITCH_MODE: 'sandbox',
    HOST: '127.0.0.1',
    PORT: String(port),
    DATA_DIR: dataDir,
    RATE_LIMIT_PER_MINUTE: '10000000',
    LOG_LEVEL: 'warn',
  }
}

export async function startProduct(
  dataDir: string,
  more: { env?: Record<string, string>; flags?: string[] } = {},
): Promise<Server> {
  const port = await freePort()
  const args = [...(more.flags ?? []), path.join(root, 'dist', 'main.js'), 'start']
  return launch(args, { ...sandboxEnvironment(dataDir, port), ...more.env }, port)
}

const baselines = {
  sql: 'baseline.ts',
  postgres: 'baseline-postgres.ts',
  bytes: 'baseline.ts',
  calls: path.join('calls', 'baseline.ts'),
}

/** One of the hand-written servers. */
export async function startBaseline(kind: keyof typeof baselines, env: Record<string, string>): Promise<Server> {
  const port = await freePort()
  const args = ['--import', 'tsx', path.join(root, 'bench', baselines[kind]), kind]
  return launch(args, { ...env, PORT: String(port) }, port)
}

async function launch(args: string[], env: Record<string, string>, port: number): Promise<Server> {
  const child = run(args, env)
  await untilReady(child)
  return {
    url: `http://127.0.0.1:${port}`,
    memory: () => residentMemory(child),
    cpuSeconds: () => cpuSeconds(child),
    stop: () => end(child),
  }
}

/** Only what a program needs to run: a setting of this shell must not change a figure. */
export function run(args: string[], env: Record<string, string>): ChildProcess {
  const child = spawn(process.execPath, args, {
    cwd: root,
    env: { PATH: process.env.PATH ?? '', HOME: process.env.HOME ?? '', ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  children.add(child)
  child.once('exit', () => children.delete(child))
  return child
}

export function untilReady(child: ChildProcess): Promise<void> {
  return new Promise((resolve, reject) => {
    let text = ''
    child.stdout?.setEncoding('utf8').on('data', (chunk: string) => {
      text += chunk
      if (/^ready /m.test(text)) resolve()
    })
    child.once('exit', (code) => reject(new Error(`the server ended with exit code ${code}`)))
  })
}

export async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const ended = new Promise((resolve) => child.once('exit', resolve))
  child.kill('SIGTERM')
  await ended
}

async function residentMemory(child: ChildProcess): Promise<number> {
  const { stdout } = await promisify(execFile)('ps', ['-o', 'rss=', '-p', String(child.pid)])
  return Number(stdout) / 1_024
}

/** Fine-grained from /proc; where there is none, `ps` in whole seconds must do. */
export async function cpuSeconds(child: { pid?: number | undefined }): Promise<number> {
  try {
    const stat = await readFile(`/proc/${child.pid}/stat`, 'utf8')
    const [user, system] = stat.slice(stat.lastIndexOf(')')).split(' ').slice(12, 14).map(Number)
    return ((user ?? 0) + (system ?? 0)) / ticksPerSecond
  } catch {
    const { stdout } = await promisify(execFile)('ps', ['-o', 'time=', '-p', String(child.pid)])
    return stdout
      .trim()
      .split(/[:-]/)
      .reduce((sum, part) => sum * 60 + Number(part), 0)
  }
}

const ticksPerSecond = 100

export interface Demo {
  api_id: string
  api_token: string
  second_company: { api_id: string; api_token: string }
  users: { email: string; password: string }[]
  numbers: { id: number; digits: string }[]
}

export const readDemo = (dataDir: string): Demo => JSON.parse(readFileSync(path.join(dataDir, 'demo.json'), 'utf8'))

export const basic = ({ api_id, api_token }: { api_id: string; api_token: string }) =>
  `Basic ${Buffer.from(`${api_id}:${api_token}`).toString('base64')}`
