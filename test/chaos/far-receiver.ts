import { fork } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { ended, endWithUs } from './server.ts'

/** One complete request. */
export interface Arrival {
  hook: string
  /** webhook-id */
  id: string
  /** webhook-sequence */
  seq: number
  /** webhook-attempt */
  attempt: number
  /** By third-party code, on arrival. */
  verified: boolean
  body: string
}

/** Messages of the receiver process; `open` counts the requests that wait for their answer. */
export interface FromReceiver {
  open: number
  id?: string
  port?: number
  received?: true
}

export interface ToReceiver {
  secrets?: [hook: string, secret: string][]
  /** Response delay in ms. */
  pace?: { from: number; to: number }
}

export interface FarReceiver {
  urlOf(hook: string): string
  send(message: ToReceiver): Promise<void>
  /** Completed and pending requests. */
  got(): number
  open(): number
  has(id: string): boolean
  /** Resolves with true as soon as the condition holds, with false after that long without a message. */
  until(isSo: () => boolean, patienceMs?: number): Promise<boolean>
  /** All requests, in order, from its file. */
  arrivals(): Arrival[]
  stop(): Promise<void>
}

export async function farReceiver(folder: string, seed: number): Promise<FarReceiver> {
  const file = path.join(folder, `arrivals-${seed}.jsonl`)
  const child = fork(path.resolve(import.meta.dirname, 'receiver-process.ts'), [file, String(seed)], {
    execArgv: ['--import', 'tsx'],
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  })
  endWithUs(child)
  const ids = new Set<string>()
  const waiting = new Set<(message: FromReceiver) => void>()
  let got = 0
  let open = 0
  let fail = (_error: Error) => {}
  const gone = new Promise<never>((_resolve, reject) => {
    fail = reject
  })
  gone.catch(() => {})
  child.once('exit', () => fail(new Error('the receiver has ended')))
  const [first] = (await once(child, 'message')) as [FromReceiver]
  child.on('message', (message: FromReceiver) => {
    open = message.open
    if (message.id !== undefined) {
      got++
      ids.add(message.id)
    }
    for (const look of [...waiting]) look(message)
  })

  return {
    urlOf: (hook) => `http://127.0.0.1:${first.port}/${hook}`,
    send(message) {
      const received = new Promise<void>((resolve) => {
        const look = (answer: FromReceiver) => {
          if (answer.received && waiting.delete(look)) resolve()
        }
        waiting.add(look)
        child.send(message)
      })
      return Promise.race([received, gone])
    },
    got: () => got,
    open: () => open,
    has: (id) => ids.has(id),
    until(isSo, patienceMs = 60_000) {
      const result = new Promise<boolean>((resolve) => {
        const finish = (isIt: boolean) => {
          clearTimeout(timer)
          waiting.delete(look)
          resolve(isIt)
        }
        const look = () => {
          timer.refresh()
          if (isSo()) finish(true)
        }
        const timer = setTimeout(() => finish(isSo()), patienceMs)
        waiting.add(look)
        look()
      })
      return Promise.race([result, gone])
    },
    arrivals: () =>
      readFileSync(file, 'utf8')
        .split('\n')
        .filter((line) => line !== '')
        .map((line) => JSON.parse(line)),
    async stop() {
      child.kill('SIGTERM')
      await ended(child)
    },
  }
}
