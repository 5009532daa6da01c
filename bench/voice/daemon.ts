import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { prefer } from './pin.ts'

const children = new Set<ChildProcess>()
process.on('exit', () => {
  for (const child of children) child.kill('SIGKILL')
})

export interface Daemon {
  readonly pid: number
  /** Its last output, for the error message. */
  output(): string
  stop(): Promise<void>
}

export const isInstalled = (program: string): boolean => spawnSync('which', [program]).status === 0

/** A program of others as our child, with nothing of its own configuration. */
export function startDaemon(program: string, args: readonly string[]): Daemon {
  const child = spawn(program, args, { stdio: ['ignore', 'pipe', 'pipe'] })
  children.add(child)
  if (child.pid) prefer(child.pid)
  let text = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (chunk: string) => {
      text = (text + chunk).slice(-4_000)
    })
  }
  const ended = new Promise<void>((resolve) => {
    child.once('exit', () => {
      children.delete(child)
      resolve()
    })
  })
  return {
    pid: child.pid ?? 0,
    output: () => text,
    async stop() {
      child.kill('SIGTERM')
      const patience = setTimeout(() => child.kill('SIGKILL'), 5_000)
      await ended
      clearTimeout(patience)
    },
  }
}

/** Retries until it works: a program that was just started is not ready at once. */
export async function eventually<T>(attempt: () => Promise<T>, { output }: Daemon): Promise<T> {
  for (let tries = 1; ; tries++) {
    try {
      return await attempt()
    } catch (error) {
      if (tries === 100) throw new Error(`it does not answer (${error}):\n${output()}`)
      await new Promise((resolve) => setTimeout(resolve, 100))
    }
  }
}
