// Server time for the durations of the live page. One timer serves all rows.

const tickMs = 1_000
/** While updates are interrupted, durations stand still. */
const maxAheadSeconds = 5

let atRead = 0
let readAt = 0
let shown = 0
let timer: number | undefined
const watchers = new Set<() => void>()

function tick(): void {
  const ahead = Math.min(maxAheadSeconds, Math.max(0, Math.round((Date.now() - readAt) / 1_000)))
  if (atRead + ahead === shown) return
  shown = atRead + ahead
  for (const watcher of watchers) watcher()
}

export const liveClock = {
  /** Seconds, extrapolated between two reads. In the sandbox it may be paused or ahead of browser time. */
  now: () => shown,
  set(seconds: number, at: number): void {
    atRead = seconds
    readAt = at
    tick()
  },
  watch(watcher: () => void): () => void {
    watchers.add(watcher)
    timer ??= window.setInterval(tick, tickMs)
    return () => {
      watchers.delete(watcher)
      if (watchers.size > 0) return
      window.clearInterval(timer)
      timer = undefined
    }
  },
}
