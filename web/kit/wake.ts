const lookEveryMs = 10_000
/** Timers of a hidden page run once a minute; a longer gap is a machine that slept. */
const gapMs = 90_000

/** Runs when connections may be dead without a sign of it: the machine slept, the network changed, the page is shown again. */
export function onWake(run: () => void): () => void {
  let last = Date.now()
  const timer = window.setInterval(() => {
    const isLate = Date.now() - last > gapMs
    last = Date.now()
    if (isLate) run()
  }, lookEveryMs)
  const shown = () => document.visibilityState === 'visible' && run()
  window.addEventListener('online', run)
  document.addEventListener('visibilitychange', shown)
  return () => {
    window.clearInterval(timer)
    window.removeEventListener('online', run)
    document.removeEventListener('visibilitychange', shown)
  }
}
