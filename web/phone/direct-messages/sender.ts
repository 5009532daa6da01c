import { ApiError } from '../../kit/api.ts'
import { errorMessage, mayRepeat } from '../../kit/ui/error-alert.tsx'
import { nextToSend, type OutgoingDirect } from './model.ts'
import type { DirectStore } from './store.ts'

const retryDelayMs = 3_000
/** A new session hurries the sender. */
const signedOutDelayMs = 30_000

interface Parts {
  store: DirectStore
  /** Resolves when the server has accepted the message. */
  post(message: OutgoingDirect): Promise<void>
}

export interface DirectSender {
  /** The server may be reachable again: does not wait for the next attempt. */
  hurry(): void
  close(): void
}

/** Sends the messages of the outbox, one at a time to each colleague, and again when the server could not be reached. */
export function createDirectSender({ store, post }: Parts): DirectSender {
  const busy = new Set<number>()
  const delays = new Map<number, number>()
  let isClosed = false

  function run(): void {
    if (isClosed) return
    for (const message of nextToSend(store.get())) {
      const { colleagueId } = message
      if (busy.has(colleagueId) || delays.has(colleagueId)) continue
      busy.add(colleagueId)
      void deliver(message).finally(() => {
        busy.delete(colleagueId)
        run()
      })
    }
  }

  async function deliver(message: OutgoingDirect): Promise<void> {
    const { key, colleagueId } = message
    store.dispatch({ type: 'started', key })
    try {
      await post(message)
    } catch (error) {
      if (isClosed) return
      if (!isRepeatable(error)) return store.dispatch({ type: 'refused', key, why: errorMessage(error) })
      delay(colleagueId, delayAfter(error))
      return store.dispatch({ type: 'delayed', key, why: errorMessage(error) })
    }
    if (!isClosed) store.dispatch({ type: 'accepted', key })
  }

  function delay(colleagueId: number, ms: number): void {
    delays.set(
      colleagueId,
      window.setTimeout(() => release(colleagueId), ms),
    )
  }

  function release(colleagueId: number): void {
    window.clearTimeout(delays.get(colleagueId))
    delays.delete(colleagueId)
    run()
  }

  const unwatch = store.watch(run)
  run()
  return {
    hurry() {
      for (const colleagueId of [...delays.keys()]) release(colleagueId)
    },
    close() {
      isClosed = true
      unwatch()
      for (const timer of delays.values()) window.clearTimeout(timer)
    },
  }
}

function delayAfter(error: unknown): number {
  if (!(error instanceof ApiError)) return retryDelayMs
  if (error.retryAfter !== undefined) return error.retryAfter * 1_000
  return error.status === 403 ? signedOutDelayMs : retryDelayMs
}

/** Also while the first attempt is still being processed, and after the session has ended: the user signs in again. */
const isRepeatable = (error: unknown) =>
  mayRepeat(error) || (error instanceof ApiError && (error.status === 409 || error.status === 403))
