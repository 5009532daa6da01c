import type { Worker } from 'node:worker_threads'
import type { EstimateRequest, EstimateResponse } from '../password-worker/protocol.ts'
import { type Cancel, type Clock, minute, second, systemClock } from './clock.ts'
import { startProgramThread } from './program-file.ts'

// Estimates in a worker thread how easily a password is guessed. The thread starts with the first check and ends when it
// has been idle; it never keeps the process alive.

export const idleMs = minute
/** Includes the start of the thread and the checks before this one. */
export const checkTimeoutMs = 5 * second
/** The slowest check takes a quarter of a second, so all of them end within the timeout. */
export const maxInFlight = 16
/** The time of a check grows faster than the length. */
const maxLength = 64
const maxOwnWords = 30

export type PasswordEstimate =
  | ({ kind: 'estimated' } & Omit<EstimateResponse, 'id'>)
  | { kind: 'unavailable'; reason: 'timeout' | 'busy' }
  | { kind: 'unavailable'; reason: 'failed'; error: Error }

export interface PasswordEstimator {
  check(password: string, own: readonly string[]): Promise<PasswordEstimate>
  isRunning(): boolean
  stop(): Promise<void>
}

interface Pending {
  resolve(estimate: PasswordEstimate): void
  cancel: Cancel
}

export function createPasswordEstimator(
  clock: Clock,
  { startThread = startWorker }: { startThread?: () => Worker } = {},
): PasswordEstimator {
  const pending = new Map<number, Pending>()
  let thread: Worker | undefined
  let lastId = 0
  let cancelIdle: Cancel = () => {}

  function running(): Worker {
    if (thread) return thread
    const started = startThread()
    started.on('message', onResponse)
    const onFailure = (error: Error) => {
      if (thread === started) void abandon({ kind: 'unavailable', reason: 'failed', error })
    }
    started.on('error', onFailure)
    started.on('exit', () => onFailure(new Error('the thread has exited')))
    // A listener keeps the process alive, so this comes after the last one.
    started.unref()
    thread = started
    return started
  }

  function onResponse({ id, ...estimate }: EstimateResponse): void {
    settle(id, { kind: 'estimated', ...estimate })
    if (pending.size > 0) return
    cancelIdle()
    cancelIdle = clock.machineAfter(idleMs, () => void stop())
  }

  function settle(id: number, estimate: PasswordEstimate): void {
    const check = pending.get(id)
    pending.delete(id)
    check?.cancel()
    check?.resolve(estimate)
  }

  /** A computation cannot be interrupted, only its thread be ended; all checks that wait for it end with it. */
  async function abandon(estimate: PasswordEstimate): Promise<void> {
    const ended = thread
    thread = undefined
    cancelIdle()
    for (const id of [...pending.keys()]) settle(id, estimate)
    await ended?.terminate()
  }

  const stop = () => abandon({ kind: 'unavailable', reason: 'failed', error: new Error('the estimator was stopped') })

  return {
    check(password, own) {
      if (pending.size >= maxInFlight) return Promise.resolve({ kind: 'unavailable', reason: 'busy' })
      cancelIdle()
      const id = ++lastId
      const request: EstimateRequest = {
        id,
        password: password.slice(0, maxLength),
        own: own.slice(0, maxOwnWords).map((word) => word.slice(0, maxLength)),
      }
      return new Promise((resolve) => {
        const cancel = clock.machineAfter(
          checkTimeoutMs,
          () => void abandon({ kind: 'unavailable', reason: 'timeout' }),
        )
        pending.set(id, { resolve, cancel })
        running().postMessage(request)
      })
    },
    isRunning: () => thread !== undefined,
    stop,
  }
}

export const startWorker = (): Worker =>
  startProgramThread('password-worker', { resourceLimits: { maxOldGenerationSizeMb: 128 } })

/** One thread for the process. */
export const passwordEstimator = createPasswordEstimator(systemClock())
