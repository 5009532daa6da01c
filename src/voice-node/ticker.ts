const tickMs = 20
const checkMs = 10
const maxConcurrent = 10
/** Ten seconds. */
const lagsKept = 500

export interface Ticker {
  readonly ticks: number
  /** Ticks that could not be made up for. */
  readonly skipped: number
  lag(): { max: number; p99: number }
  stop(): void
}

/**
 * Ticks every 20 ms by the clock, because timers drift: a timer of 10 ms runs all ticks that are due.
 * This is the only place besides lib/clock.ts that sets timers.
 */
export function startTicker(tick: () => void): Ticker {
  const lags = new Float64Array(lagsKept)
  let ticks = 0
  let skipped = 0
  let due = performance.now() + tickMs

  const timer = setInterval(() => {
    const now = performance.now()
    for (let made = 0; due <= now && made < maxConcurrent; made++) {
      lags[ticks % lagsKept] = now - due
      ticks++
      due += tickMs
      tick()
    }
    if (due > now) return
    const missed = Math.floor((now - due) / tickMs) + 1
    skipped += missed
    due += missed * tickMs
  }, checkMs)

  return {
    get ticks() {
      return ticks
    },
    get skipped() {
      return skipped
    },
    lag() {
      const sorted = lags.slice(0, Math.min(ticks, lagsKept)).sort()
      return { max: sorted.at(-1) ?? 0, p99: sorted[Math.floor(sorted.length * 0.99)] ?? 0 }
    },
    stop: () => clearInterval(timer),
  }
}
