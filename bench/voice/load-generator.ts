import { type ChildProcess, fork } from 'node:child_process'
import path from 'node:path'

// All talkers run in a process of their own: their cost is not part of any figure.

export interface Asks {
  /** A browser at this address and the far end of a trunk, which do not talk yet. */
  invite: { with: { call: number; address: string }; gives: { offer: string; farPort: number } }
  /** Both start to talk; resolves when audio of the browser arrives. */
  talk: { with: { call: number; answer: string; port: number }; gives: null }
  /**
   * Since the last request: received packets with audio, the number of talkers that received none, and the maximum
   * lateness of the talkers. Above the 40 ms of buffered audio, every carrier runs out of it.
   */
  received: { with: Record<never, never>; gives: { packets: number; withoutAudio: number; lateMs: number } }
  /** One call, or all. */
  leave: { with: { call?: number }; gives: null }
}

export type AskName = keyof Asks

export interface LoadGenerator {
  readonly pid: number
  ask<Name extends AskName>(name: Name, given: Asks[Name]['with']): Promise<Asks[Name]['gives']>
  stop(): Promise<void>
}

type Answer = { id: number; gives: unknown } | { id: number; failed: string }

export function startLoadGenerator(): LoadGenerator {
  const child: ChildProcess = fork(path.join(import.meta.dirname, 'talkers.ts'), [], { execArgv: ['--import', 'tsx'] })
  const waiting = new Map<number, { resolve(value: unknown): void; reject(error: Error): void }>()
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()))
  child.once('exit', (code) => {
    for (const { reject } of waiting.values()) reject(new Error(`the load generator has ended with exit code ${code}`))
  })
  child.on('message', (answer: Answer) => {
    const asked = waiting.get(answer.id)
    waiting.delete(answer.id)
    if ('failed' in answer) asked?.reject(new Error(answer.failed))
    else asked?.resolve(answer.gives)
  })
  let last = 0
  return {
    pid: child.pid ?? 0,
    async ask<Name extends AskName>(name: Name, given: Asks[Name]['with']) {
      const id = ++last
      const answer = new Promise<unknown>((resolve, reject) => waiting.set(id, { resolve, reject }))
      child.send({ id, ask: name, with: given })
      return (await answer) as Asks[Name]['gives']
    },
    async stop() {
      if (child.connected) child.disconnect()
      await ended
    },
  }
}
