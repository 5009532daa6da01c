/** Iterates over the source until the signal aborts; does not wait for a source that ignores the signal. */
export async function* abortable<T, R>(source: AsyncIterator<T, R>, signal: AbortSignal): AsyncGenerator<T, R> {
  signal.throwIfAborted()
  let forget = () => {}
  const aborted = new Promise<never>((_, reject) => {
    const stop = () => reject(signal.reason)
    signal.addEventListener('abort', stop, { once: true })
    forget = () => signal.removeEventListener('abort', stop)
  })
  // Prevents an unhandled rejection when no iteration is waiting.
  aborted.catch(() => {})
  try {
    for (;;) {
      const { done, value } = await Promise.race([source.next(), aborted])
      if (done) return value
      yield value
    }
  } finally {
    forget()
    // Also when the consumer stops early; errors of the source are ignored then.
    source.return?.().catch(() => {})
  }
}
