/** The waiting queue is full. */
export class Overloaded extends Error {}

/**
 * Limits concurrency. Waiting work runs last in, first out: during a flood the queue is full of flood requests, and a
 * new request need not wait for all of them. When the queue is full, the oldest entry is rejected.
 */
export function atMost(most: number, maxWaiting: number): <T>(work: () => Promise<T>) => Promise<T> {
  let running = 0
  const waiting: { begin(): void; leave(error: Error): void }[] = []

  function place(): Promise<void> {
    return new Promise((begin, leave) => {
      waiting.push({ begin, leave })
      if (waiting.length > maxWaiting) waiting.shift()?.leave(new Overloaded('too many wait'))
    })
  }

  return async (work) => {
    if (running < most) running++
    else await place()
    try {
      return await work()
    } finally {
      // The slot passes directly to the next entry, so that no new work can take it.
      const next = waiting.pop()
      if (next) next.begin()
      else running--
    }
  }
}
