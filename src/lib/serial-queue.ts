/** Serializes work with the same name, in order of submission. */
export interface SerialQueue {
  run<T>(name: string, work: () => Promise<T>): Promise<T>
  /** Resolves when nothing is in progress; true if something was. */
  idle(): Promise<boolean>
}

export function createSerialQueue(): SerialQueue {
  const last = new Map<string, Promise<unknown>>()

  return {
    run(name, work) {
      const before = last.get(name) ?? Promise.resolve()
      const current = before.then(work, work)
      const done = current
        .catch(() => {})
        .finally(() => {
          if (last.get(name) === done) last.delete(name)
        })
      last.set(name, done)
      return current
    },
    async idle() {
      const wasBusy = last.size > 0
      while (last.size > 0) await Promise.all(last.values())
      return wasBusy
    },
  }
}
