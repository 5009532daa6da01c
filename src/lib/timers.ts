/** Knows its position in the heap, so that it can be removed from the middle. */
export interface Timer {
  readonly at: number
  readonly order: number
  readonly run: () => void
  place: number
}

/** Timers ordered by due time, then by creation. */
export interface Timers {
  add(at: number, run: () => void): Timer
  /** Removing a timer that has fired or been removed is not an error. */
  remove(timer: Timer): void
  first(): Timer | undefined
  countUntil(at: number): number
}

/** A binary heap: thousands of calls set timers and cancel nearly all of them. */
export function createTimers(): Timers {
  const heap: Timer[] = []
  let added = 0

  const isEarlier = (a: Timer, b: Timer) => a.at < b.at || (a.at === b.at && a.order < b.order)

  function put(timer: Timer, place: number) {
    heap[place] = timer
    timer.place = place
  }

  function swap(a: Timer, b: Timer) {
    const place = a.place
    put(a, b.place)
    put(b, place)
  }

  function rise(timer: Timer) {
    while (timer.place > 0) {
      const parent = heap[(timer.place - 1) >> 1]
      if (!parent || isEarlier(parent, timer)) return
      swap(parent, timer)
    }
  }

  function sink(timer: Timer) {
    for (;;) {
      const [left, right] = [heap[2 * timer.place + 1], heap[2 * timer.place + 2]]
      const child = left && right && isEarlier(right, left) ? right : left
      if (!child || isEarlier(timer, child)) return
      swap(timer, child)
    }
  }

  return {
    add(at, run) {
      const timer: Timer = { at, order: added++, run, place: heap.length }
      heap.push(timer)
      rise(timer)
      return timer
    },
    remove(timer) {
      if (heap[timer.place] !== timer) return
      const last = heap.pop()
      if (!last || last === timer) return
      put(last, timer.place)
      rise(last)
      sink(last)
    },
    first: () => heap[0],
    countUntil: (at) => heap.filter((timer) => timer.at <= at).length,
  }
}
