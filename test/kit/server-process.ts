import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createRequire } from 'node:module'
import path from 'node:path'
import { pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import { expect, inject, onTestFinished } from 'vitest'
import { endWithUs } from '../chaos/server.ts'
import type { TestApp } from './app.ts'
import { type CompanyFacts, reachedAt, type TestCompany } from './companies.ts'
import { freePort } from './postgres.ts'

/** The server as a process of its own, which a test can kill. */
export interface ServerProcess {
  child: ChildProcess
  base: string
  a: TestCompany
  /** Resolves when it has exited. */
  end(signal: 'SIGKILL' | 'SIGTERM'): Promise<void>
  /** Its log, as lines of JSON. */
  logged(): string
}

interface ServerOptions {
  app: Pick<TestApp, 'dataDir' | 'databaseUrl'> & { a: CompanyFacts }
  env: Record<string, string>
  /** Its sources: those of another release. */
  sources?: string
  /** Another program than `start`: a file of this folder, with its arguments. */
  program?: readonly [file: string, ...args: string[]]
}

/** The program on the data of an app that was stopped. */
export async function startServer(options: ServerOptions): Promise<ServerProcess> {
  const { app, env } = options
  const port = await freePort()
  const base = `http://127.0.0.1:${port}`
  const child = spawn(process.execPath, commandOf(options), {
    env: {
      PATH: process.env.PATH,
      HOOKSWITCH_MODE: 'sandbox',
      SIP_REFUSE_EMERGENCY: '1',
      DATA_DIR: app.dataDir,
      ...(app.databaseUrl && { DATABASE_URL: app.databaseUrl, DATABASE_POOL_SIZE: '4' }),
      PORT: String(port),
      RATE_LIMIT_PER_MINUTE: '1000000',
      LOG_LEVEL: 'warn',
      ...env,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  endWithUs(child)
  onTestFinished(() => void child.kill('SIGKILL'))
  const output = { text: '', log: '' }
  child.stdout.on('data', (bytes) => {
    output.text += bytes
  })
  child.stderr.on('data', (bytes) => {
    output.log += bytes
  })
  const hasExited = once(child, 'exit')
  const outcome = () => (child.exitCode === null ? output.text : `ready? it has exited: ${output.log}`)
  await expect.poll(outcome, { interval: 20 }).toMatch(/^ready/m)
  expect(child.exitCode, output.log).toBeNull()
  return {
    child,
    base,
    a: reachedAt(base, app.a),
    async end(signal) {
      child.kill(signal)
      await hasExited
    },
    logged: () => output.log,
  }
}

/** The id of a program of the installation, found by its options, which name the data folder. */
export async function programOf(
  name: 'line-node' | 'voice-node',
  { dataDir }: Pick<TestApp, 'dataDir'>,
): Promise<number> {
  const { stdout } = await promisify(execFile)('ps', ['-A', '-ww', '-o', 'pid=,args='])
  const own = stdout
    .split('\n')
    .filter((text) => new RegExp(`${name}(/main\\.ts|\\.js) `).test(text) && text.includes(dataDir))
  expect(own).toHaveLength(1)
  return Number.parseInt(own[0] ?? '', 10)
}

/** What is not part of the build of this run is loaded from its sources, which takes some seconds. */
function commandOf({ sources, program }: ServerOptions): string[] {
  if (!sources && !program) return [path.join(inject('programs'), 'main.js'), 'start']
  const loader = pathToFileURL(createRequire(import.meta.url).resolve('tsx')).href
  const [file, ...args] = program ?? [path.join(sources ?? '', 'src/main.ts'), 'start']
  return ['--import', loader, path.resolve(import.meta.dirname, file), ...args]
}

/** What a command of the operator prints. */
export async function runCommand({ app, env }: ServerOptions, ...args: string[]): Promise<string> {
  const program = [path.join(inject('programs'), 'main.js'), ...args]
  const settings = { ...env, PATH: process.env.PATH, HOOKSWITCH_MODE: 'sandbox', DATA_DIR: app.dataDir }
  return (await promisify(execFile)(process.execPath, program, { env: settings })).stdout
}
