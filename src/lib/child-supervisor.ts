import { type ChildProcess, fork } from 'node:child_process'
import type { Cancel, Clock } from './clock.ts'
import { programFile } from './program-file.ts'

/**
 * Runs a program of this package as a child process that answers numbered requests. The owner decides when it is
 * launched again after an unexpected exit.
 */
export interface ChildSupervisor {
  /** Starts the program; resolves when it has reported that it is ready, rejects if it exits before. */
  launch(): Promise<void>
  /** Rejects if no process is running, or if it exits or times out before it responds. */
  request(method: string, params: unknown): Promise<unknown>
  /** Number of requests without a response. */
  pending(): number
  isRunning(): boolean
  /** Launched, and neither stopped nor about to exit on request. */
  isWanted(): boolean
  readonly pid: number | undefined
  /** The back-off starts again from its first value. */
  resetBackOff(): void
  /** The exit of the running process is not an error. */
  expectExit(): void
  /** Closes the channel of the running process and forgets it: another one may be launched at once. */
  abandon(): void
  /** Closes the channel; resolves when the process has exited. */
  stop(): Promise<void>
  /** Resolves when the process that was launched last has exited. */
  exited(): Promise<void>
}

export interface ChildSupervisorOptions<Notice extends object> {
  /** Folder of the program in `src`, and the name of its file in a build. */
  program: string
  /** The only argument of the program, passed as JSON. */
  argument: object
  serialization: 'json' | 'advanced'
  clock: Clock
  /** Delay after the first unexpected exit; it doubles with each further one. */
  firstBackOffMs: number
  maxBackOffMs: number
  /** A process that ran this long did not exit because of how it was started: the back-off is reset. */
  steadyAfterMs?: number
  answerTimeoutMs: number
  /** The error of the request, or `kill`: the process is killed, which fails all its requests. */
  onTimeout(method: string): Error | 'kill'
  /** The error of requests to a process that is not running. */
  gone(message: 'has exited' | 'is not running'): Error
  isReady(notice: Notice): boolean
  /** A message that is not a response. */
  onNotice?(notice: Notice): void
  onResponse?(): void
  onError(error: Error): void
  /** Called after its requests have failed; undefined: the exit was expected. */
  onExit(exit: UnexpectedExit | undefined): void
}

export interface UnexpectedExit {
  code: number | null
  signal: string | null
  /** Delay before the next launch. */
  backOffMs: number
}

type Response = { id: number; result: unknown } | { id: number; error: { name: string; message: string } }

interface Pending {
  resolve(value: unknown): void
  reject(error: Error): void
  cancel: Cancel
}

export function createChildSupervisor<Notice extends object>(options: ChildSupervisorOptions<Notice>): ChildSupervisor {
  const { clock, firstBackOffMs, maxBackOffMs, steadyAfterMs = Number.POSITIVE_INFINITY } = options
  const pending = new Map<number, Pending>()
  let child: ChildProcess | null = null
  let exited: Promise<void> = Promise.resolve()
  let isWanted = false
  let backOffMs = firstBackOffMs
  let lastId = 0

  function launch(): Promise<void> {
    const { file, execArgv } = programFile(options.program)
    const startedAt = clock.machineNow()
    const { serialization } = options
    const started = fork(file, [JSON.stringify(options.argument)], { execArgv, serialization })
    child = started
    isWanted = true
    // Emitted if the program cannot be started at all.
    started.on('error', options.onError)
    return new Promise<void>((resolve, reject) => {
      started.on('message', (message: Response | Notice) => {
        if ('id' in message) return onResponse(message as Response)
        if (options.isReady(message)) resolve()
        options.onNotice?.(message)
      })
      exited = new Promise((done) => {
        started.once('exit', (code, signal) => {
          reject(options.gone('has exited'))
          if (child === started) onExit(code, signal, clock.machineNow() - startedAt)
          done()
        })
      })
    })
  }

  function onResponse(response: Response): void {
    const request = pending.get(response.id)
    if (!request) return
    pending.delete(response.id)
    request.cancel()
    if ('error' in response) request.reject(namedError(response.error.name, response.error.message))
    else request.resolve(response.result)
    options.onResponse?.()
  }

  function onExit(code: number | null, signal: string | null, ranMs: number): void {
    child = null
    for (const { reject, cancel } of pending.values()) {
      cancel()
      reject(options.gone('has exited'))
    }
    pending.clear()
    if (ranMs > steadyAfterMs) backOffMs = firstBackOffMs
    if (!isWanted) {
      options.onExit(undefined)
      return
    }
    const delay = backOffMs
    backOffMs = Math.min(backOffMs * 2, maxBackOffMs)
    options.onExit({ code, signal, backOffMs: delay })
  }

  async function request(method: string, params: unknown): Promise<unknown> {
    const to = child
    if (!to?.connected) throw options.gone('is not running')
    const id = ++lastId
    return new Promise<unknown>((resolve, reject) => {
      const cancel = clock.machineAfter(options.answerTimeoutMs, () => {
        const outcome = options.onTimeout(method)
        if (outcome === 'kill') return void to.kill('SIGKILL')
        pending.delete(id)
        reject(outcome)
      })
      pending.set(id, { resolve, reject, cancel })
      to.send({ id, method, params })
    })
  }

  function disconnect(): void {
    if (child?.connected) child.disconnect()
  }

  return {
    launch,
    request,
    pending: () => pending.size,
    isRunning: () => child !== null,
    isWanted: () => isWanted,
    get pid() {
      return child?.pid
    },
    resetBackOff() {
      backOffMs = firstBackOffMs
    },
    expectExit() {
      isWanted = false
    },
    abandon() {
      disconnect()
      child = null
    },
    async stop() {
      isWanted = false
      disconnect()
      await exited
    },
    exited: () => exited,
  }
}

export function namedError(name: string, message: string): Error {
  const error = new Error(message)
  error.name = name
  return error
}
