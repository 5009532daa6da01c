import { pause } from '../voice/measure.ts'

// Bounded load: each loop does one thing after the other, at most so often.

export interface Loops {
  /** Repeats the work with at least that time between two beginnings. */
  repeat(name: string, everyMs: number, work: () => Promise<void>): void
  /** Runs that failed, by name: without an answer while the server was killed. */
  failed: Map<string, number>
  done: Map<string, number>
  isStopping(): boolean
  /** Resolves when all have finished what they were doing. */
  stop(): Promise<void>
}

const sliceMs = 250

export function createLoops(): Loops {
  const [failed, done] = [new Map<string, number>(), new Map<string, number>()]
  const running: Promise<void>[] = []
  let isStopping = false
  const count = (counts: Map<string, number>, name: string) => counts.set(name, (counts.get(name) ?? 0) + 1)

  async function loop(name: string, everyMs: number, work: () => Promise<void>): Promise<void> {
    while (!isStopping) {
      const from = performance.now()
      await work().then(
        () => count(done, name),
        () => count(failed, name),
      )
      while (!isStopping && performance.now() - from < everyMs) {
        await pause(Math.max(1, Math.min(sliceMs, everyMs - (performance.now() - from))))
      }
    }
  }

  return {
    repeat: (name, everyMs, work) => void running.push(loop(name, everyMs, work)),
    failed,
    done,
    isStopping: () => isStopping,
    async stop() {
      isStopping = true
      await Promise.all(running)
    },
  }
}
