// Whether a call rings or is in progress in this window. Meanwhile the app must not be reloaded or unmounted.

const watchers = new Set<() => void>()
let isInCall = false

export const inCall = {
  get: () => isInCall,
  set(value: boolean): void {
    if (value === isInCall) return
    isInCall = value
    for (const look of [...watchers]) look()
  },
  watch(look: () => void): () => void {
    watchers.add(look)
    return () => watchers.delete(look)
  },
  /** Resolves when no call rings or is in progress. */
  over: () =>
    new Promise<void>((resolve) => {
      if (!isInCall) return resolve()
      const stop = inCall.watch(() => {
        stop()
        resolve()
      })
    }),
}
