import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import path from 'node:path'
import { onTestFinished } from 'vitest'
import { run } from '../../src/cli/run.ts'
import type { Client } from '../kit/app.ts'
import { freePort, temporaryFolder } from '../kit/databases.ts'

// The program as an operator runs it, with an environment of its own and nothing inherited from the tests.

const program = path.resolve(import.meta.dirname, '../../dist/main.js')

export type Env = Record<string, string>

export interface Ran {
  code: number | null
  stdout: string
  stderr: string
  /** stdout of a command with --json that was done. */
  // biome-ignore lint/suspicious/noExplicitAny: results of every shape
  json: any
}

/**
 * Runs a command to its end, inside the test's process: its own environment and output, without the second that a new
 * process takes to load. One at a time, because the environment belongs to the whole process.
 */
export function hookswitch(words: string[], env: Env): Promise<Ran> {
  const ran = before.then(() => inThisProcess(words, env))
  before = ran.catch(() => {})
  return ran
}

let before: Promise<unknown> = Promise.resolve()

async function inThisProcess(words: string[], env: Env): Promise<Ran> {
  const [stdout, stderr] = [captured(process.stdout), captured(process.stderr)]
  const [outerEnv, outerMask] = [process.env, process.umask(0o077)]
  process.env = { PATH: outerEnv.PATH, ...env }
  try {
    const code = await run(words)
    const isJson = words.includes('--json') && code === 0
    return { code, stdout: stdout.text(), stderr: stderr.text(), json: isJson ? JSON.parse(stdout.text()) : undefined }
  } finally {
    process.env = outerEnv
    process.umask(outerMask)
    process.exitCode = undefined
    stdout.release()
    stderr.release()
  }
}

function captured(stream: NodeJS.WriteStream): { text(): string; release(): void } {
  const write = stream.write
  let text = ''
  stream.write = (part: string | Uint8Array) => {
    text += String(part)
    return true
  }
  return {
    text: () => text,
    release() {
      stream.write = write
    },
  }
}

/** Runs a command to its end as a process of its own, for tests about signals, several processes at once or the build. */
export async function hookswitchProcess(words: string[], env: Env): Promise<Ran> {
  const child = launch(words, env)
  const stdout = collected(child.stdout)
  const stderr = collected(child.stderr)
  const [code] = await once(child, 'close')
  const isJson = words.includes('--json') && code === 0
  return { code, stdout: stdout(), stderr: stderr(), json: isJson ? JSON.parse(stdout()) : undefined }
}

export interface Server {
  base: string
  pid: number
  output(): string
  log(): string
  /** Resolves when the log holds the words. */
  logged(words: string): Promise<void>
  signal(name: NodeJS.Signals): void
  /** The exit code, once it has ended. */
  ended: Promise<number | null>
  stop(): Promise<number | null>
}

/** Starts the service, with this Node.js, and waits until it prints that it is ready. */
export async function serve(env: Env, node = process.execPath): Promise<Server> {
  const child = launch(['start'], env, node)
  const output = collected(child.stdout)
  const log = collected(child.stderr)
  const ended = once(child, 'close').then(([code]) => code as number | null)
  onTestFinished(async () => {
    child.kill('SIGKILL')
    await ended
  })
  await Promise.race([until(child.stdout, () => /^ready /m.test(output())), ended])
  const base = /^ready (\S+)$/m.exec(output())?.[1]
  if (!base) throw new Error(`the service did not start:\n${log()}`)
  const signal = (name: NodeJS.Signals) => void child.kill(name)
  return {
    base: `http://127.0.0.1:${env.PORT}`,
    pid: child.pid ?? 0,
    output,
    log,
    logged: (words) => until(child.stderr, () => log().includes(words)),
    signal,
    ended,
    stop() {
      signal('SIGTERM')
      return ended
    },
  }
}

export interface Running {
  stdout(): string
  stderr(): string
  /** Resolves when it has printed this, on either stream; rejects when it ends before. */
  prints(words: RegExp): Promise<void>
  signal(name: NodeJS.Signals): void
  ended: Promise<number | null>
}

/** A command that runs until it receives a signal. */
export function running(words: string[], env: Env): Running {
  const child = launch(words, env)
  const [stdout, stderr] = [collected(child.stdout), collected(child.stderr)]
  const ended = once(child, 'close').then(([code]) => code as number | null)
  onTestFinished(async () => {
    child.kill('SIGKILL')
    await ended
  })
  const isSaid = (words: RegExp) => words.test(stdout()) || words.test(stderr())
  return {
    stdout,
    stderr,
    async prints(words) {
      await Promise.race([...[child.stdout, child.stderr].map((stream) => until(stream, () => isSaid(words))), ended])
      if (!isSaid(words)) throw new Error(`it ended without ${words}:\n${stdout()}${stderr()}`)
    },
    signal: (name) => void child.kill(name),
    ended,
  }
}

/** A sandbox of its own, in an empty folder. */
export async function sandbox(more: Env = {}): Promise<Env> {
  return {
    HOOKSWITCH_MODE: 'sandbox',
    DATA_DIR: path.join(await temporaryFolder(), 'data'),
    PORT: String(await freePort()),
    SIP_PORT: String(await freePort()),
    SIP_TLS_PORT: String(await freePort()),
    RATE_LIMIT_PER_MINUTE: '1000000',
    ...more,
  }
}

/** The least that a production installation behind a proxy must set. */
export async function production(more: Env = {}): Promise<Env> {
  return {
    DATA_DIR: path.join(await temporaryFolder(), 'data'),
    PORT: String(await freePort()),
    SIP_PORT: String(await freePort()),
    SIP_TLS_PORT: String(await freePort()),
    ADMIN_PORT: String(await freePort()),
    PUBLIC_URL: 'https://phone.example.test',
    TRUSTED_PROXIES: '127.0.0.1',
    ...more,
  }
}

/** Requests as the proxy of a production installation passes them on; a sandbox does not mind. */
export function api(base: string, key: { api_id: string; api_token: string }): Client {
  return async (method, target, body) => {
    const response = await fetch(base + target, {
      method,
      headers: {
        authorization: `Basic ${Buffer.from(`${key.api_id}:${key.api_token}`).toString('base64')}`,
        'x-forwarded-proto': 'https',
        ...(body !== undefined && { 'content-type': 'application/json' }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    })
    const text = await response.text()
    const isJson = response.headers.get('content-type')?.startsWith('application/json') === true && text !== ''
    return { status: response.status, text, headers: response.headers, json: isJson ? JSON.parse(text) : null }
  }
}

function launch(words: string[], env: Env, node = process.execPath): ChildProcess & { stdout: Stream; stderr: Stream } {
  if (!existsSync(program)) throw new Error('the program is not built: run `npm run build`')
  return spawn(node, [program, ...words], {
    // A folder without .env.
    cwd: '/',
    env: { PATH: process.env.PATH ?? '', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  }) as ChildProcess & { stdout: Stream; stderr: Stream }
}

type Stream = NonNullable<ChildProcess['stdout']>

function collected(stream: Stream): () => string {
  let text = ''
  stream.setEncoding('utf8').on('data', (part: string) => {
    text += part
  })
  return () => text
}

function until(stream: Stream, isSo: () => boolean): Promise<void> {
  return new Promise((resolve) => {
    const look = () => {
      if (!isSo()) return
      stream.off('data', look)
      resolve()
    }
    stream.on('data', look)
    look()
  })
}
