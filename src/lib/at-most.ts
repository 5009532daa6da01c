/** Too many wait already. */
export class Overloaded extends Error {}

/**
 * Runs what it is given, so many at a time. Whoever came last is next: in a flood the queue is full of those who flood, and
 * somebody who comes now need not wait behind them all. When too many wait, the one who has waited longest is sent away.
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
      // The place is handed on, so that nobody slips in between.
      const next = waiting.pop()
      if (next) next.begin()
      else running--
    }
  }
}
