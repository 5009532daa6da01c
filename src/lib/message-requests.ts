import type { Cancel, Clock } from './clock.ts'

/** Requests over a message channel that await their responses. */
export interface MessageRequests {
  /** `send` is called with the id of the request; rejects after `timeoutMs` without a response. */
  request(send: (id: number) => void, timeoutMs: number): Promise<unknown>
  respond(id: number, result: unknown): void
  fail(id: number, error: Error): void
  /** All pending requests fail. */
  failAll(error: Error): void
}

interface Pending {
  resolve(result: unknown): void
  reject(error: Error): void
  cancel: Cancel
}

export function createMessageRequests(clock: Clock, onTimeout: () => Error): MessageRequests {
  const pending = new Map<number, Pending>()
  let lastId = 0

  function take(id: number): Pending | undefined {
    const found = pending.get(id)
    pending.delete(id)
    found?.cancel()
    return found
  }

  return {
    request(send, timeoutMs) {
      const id = ++lastId
      return new Promise((resolve, reject) => {
        const cancel = clock.machineAfter(timeoutMs, () => take(id)?.reject(onTimeout()))
        pending.set(id, { resolve, reject, cancel })
        send(id)
      })
    },
    respond: (id, result) => take(id)?.resolve(result),
    fail: (id, error) => take(id)?.reject(error),
    failAll(error) {
      for (const id of [...pending.keys()]) take(id)?.reject(error)
    },
  }
}
