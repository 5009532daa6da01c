import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { freePort } from '../../test/kit/postgres.ts'
import { temporaryFolder } from '../servers.ts'

// Calls without RTP by sipp: they are on hold from the beginning, so that no core is spent on audio.

export interface QuietCalls {
  to: string
  sipPort: number
  count: number
  /** At most so many at a time. */
  concurrent: number
  perSecond: number
  /** From the answer until the caller hangs up. */
  seconds: number
}

export interface Sipp {
  child: ChildProcess
  /** Rejects if a call failed. */
  ended: Promise<void>
  /** Never resolves. */
  failed: Promise<never>
  stop(): Promise<void>
}

export function sippIsMissing(): string | null {
  try {
    execFileSync('sh', ['-c', 'command -v sipp'], { stdio: 'ignore' })
    return null
  } catch {
    return 'sipp is not installed'
  }
}

const running = new Set<ChildProcess>()
process.on('exit', () => {
  for (const child of running) child.kill('SIGKILL')
})

export async function startQuietCalls({ to, sipPort, ...how }: QuietCalls): Promise<Sipp> {
  const folder = temporaryFolder()
  const errors = path.join(folder, 'errors.log')
  const child = spawn(
    'sipp',
    [
      ...['-sf', path.join(import.meta.dirname, 'sipp-call.xml'), '-s', to],
      ...['-i', '127.0.0.1', '-p', String(await freePort()), '-t', 'u1'],
      ...['-m', String(how.count), '-l', String(how.concurrent), '-r', String(how.perSecond)],
      ...['-d', String(how.seconds * 1_000), '-timeout', '240s', '-recv_timeout', '20000'],
      ...['-nostdin', '-trace_err', '-error_file', errors, `127.0.0.1:${sipPort}`],
    ],
    { cwd: folder, stdio: 'ignore' },
  )
  running.add(child)
  const exited = new Promise<number | null>((resolve) => child.once('exit', resolve))
  void exited.then(() => running.delete(child))
  let isStopped = false
  const ended = exited.then(async (code) => {
    if (code === 0 || isStopped) return
    const text = await readFile(errors, 'utf8').catch(() => 'no errors were written')
    throw new Error(`sipp ended with exit code ${code}: ${text.slice(0, 2_000)}`)
  })
  const failed = ended.then(() => new Promise<never>(() => {}))
  // Callers that only stop it later have no use for it.
  failed.catch(() => {})
  return {
    child,
    ended,
    failed,
    async stop() {
      isStopped = true
      child.kill('SIGKILL')
      await exited
    },
  }
}
