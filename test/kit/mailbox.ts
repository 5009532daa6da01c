/** Things in the order in which they came; whoever waits for one of a kind leaves the others where they are. */
export interface Mailbox<T> {
  put(thing: T): void
  /** The first that fits, taken out; waits for it where there is none. */
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
