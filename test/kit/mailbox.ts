/** Received items in order; waiting for one kind leaves the others. */
export interface Mailbox<T> {
  put(thing: T): void
  /** Removes and returns the first match; waits until there is one. */
  next(fits?: (thing: T) => boolean): Promise<T>
  left(): readonly T[]
}

export function mailbox<T>(): Mailbox<T> {
  const held: T[] = []
  const waiting: { fits: (thing: T) => boolean; take: (thing: T) => void }[] = []
  return {
    put(thing) {
      const index = waiting.findIndex(({ fits }) => fits(thing))
      if (index < 0) held.push(thing)
      else waiting.splice(index, 1)[0]?.take(thing)
    },
    next(fits = () => true) {
      const index = held.findIndex(fits)
      const [found] = index < 0 ? [] : held.splice(index, 1)
      if (found !== undefined) return Promise.resolve(found)
      return new Promise((take) => waiting.push({ fits, take }))
    },
    left: () => held,
  }
}
