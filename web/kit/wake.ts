const checkIntervalMs = 10_000
/** Timers of a hidden page run once a minute; a longer gap means that the machine slept. */
const sleepGapMs = 90_000

/** Runs when connections may be dead unnoticed: the machine slept, the network changed, or the page is visible again. */
export function onWake(run: () => void): () => void {
  let last = Date.now()
  const timer = window.setInterval(() => {
    const isLate = Date.now() - last > sleepGapMs
    last = Date.now()
    if (isLate) run()
  }, checkIntervalMs)
  const onVisible = () => document.visibilityState === 'visible' && run()
  window.addEventListener('online', run)
  document.addEventListener('visibilitychange', onVisible)
  return () => {
    window.clearInterval(timer)
    window.removeEventListener('online', run)
    document.removeEventListener('visibilitychange', onVisible)
  }
}
