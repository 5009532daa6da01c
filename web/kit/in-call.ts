// Whether a call is ringing or in progress in this window. The app must not be reloaded or unmounted while it is.

const listeners = new Set<() => void>()
let isInCall = false

export const inCall = {
  get: () => isInCall,
  set(value: boolean): void {
    if (value === isInCall) return
    isInCall = value
    for (const listener of [...listeners]) listener()
  },
  watch(listener: () => void): () => void {
    listeners.add(listener)
    return () => listeners.delete(listener)
  },
  /** Resolves when no call rings or is in progress. */
  ended: () =>
    new Promise<void>((resolve) => {
      if (!isInCall) return resolve()
      const stop = inCall.watch(() => {
        stop()
        resolve()
      })
    }),
}
