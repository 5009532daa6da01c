/** Serializes work with the same name, in order of submission. */
export interface Turns {
  take<T>(name: string, work: () => Promise<T>): Promise<T>
  /** Resolves when nothing is in progress; true if something was. */
  idle(): Promise<boolean>
}

export function createTurns(): Turns {
  const last = new Map<string, Promise<unknown>>()

  return {
    take(name, work) {
      const before = last.get(name) ?? Promise.resolve()
      const mine = before.then(work, work)
      const done = mine
        .catch(() => {})
        .finally(() => {
          if (last.get(name) === done) last.delete(name)
        })
      last.set(name, done)
      return mine
    },
    async idle() {
      const wasBusy = last.size > 0
      while (last.size > 0) await Promise.all(last.values())
      return wasBusy
    },
  }
}
