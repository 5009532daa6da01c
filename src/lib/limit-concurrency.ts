/** The waiting queue is full. */
export class Overloaded extends Error {}

/**
 * Limits concurrency. Waiting work runs last in, first out: during a flood the queue is full of flood requests, and a
 * new request need not wait for all of them. When the queue is full, the oldest entry is rejected.
 */
export function limitConcurrency(limit: number, maxWaiting: number): <T>(work: () => Promise<T>) => Promise<T> {
  let running = 0
  const waiting: { start(): void; reject(error: Error): void }[] = []

  function slot(): Promise<void> {
    return new Promise((start, reject) => {
      waiting.push({ start, reject })
      if (waiting.length > maxWaiting) waiting.shift()?.reject(new Overloaded('too many wait'))
    })
  }

  return async (work) => {
    if (running < limit) running++
    else await slot()
    try {
      return await work()
    } finally {
      // The slot passes directly to the next entry, so that no new work can take it.
      const next = waiting.pop()
      if (next) next.start()
      else running--
    }
  }
}
