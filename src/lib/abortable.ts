/** What a source gives until the signal says that it is enough; a source that does not notice is not waited for. */
export async function* abortable<T, R>(source: AsyncIterator<T, R>, signal: AbortSignal): AsyncGenerator<T, R> {
  signal.throwIfAborted()
  let forget = () => {}
  const aborted = new Promise<never>((_, reject) => {
    const stop = () => reject(signal.reason)
    signal.addEventListener('abort', stop, { once: true })
    forget = () => signal.removeEventListener('abort', stop)
  })
  // Nobody may be waiting when it comes.
  aborted.catch(() => {})
  try {
    for (;;) {
      const { done, value } = await Promise.race([source.next(), aborted])
      if (done) return value
      yield value
    }
  } finally {
    forget()
    // Also when whoever reads has had enough; what it says to that is of no interest.
    source.return?.().catch(() => {})
  }
}
