// How fast requests are sent to a server with a rate limit. It reports the limit, the requests left and the time of the
// next reset with its responses; a share of each period is left for the other integrations of the company.

const shareLeft = 0.05

export interface RateReport {
  limit: number
  remaining: number
  /** Milliseconds until the counter is reset, by the clock of the server. */
  resetInMs: number
}

/** Headers are named after the service, such as `X-ServiceApi-Remaining`. */
export function rateReportIn(headers: Readonly<Record<string, string>>, now: number): RateReport | undefined {
  const named = (suffix: string) => {
    const name = Object.keys(headers).find((key) => /^x-[a-z0-9-]+$/i.test(key) && key.toLowerCase().endsWith(suffix))
    const value = name === undefined ? Number.NaN : Number(headers[name])
    return Number.isFinite(value) ? value : undefined
  }
  const [limit, remaining, reset] = [named('-limit'), named('-remaining'), named('-reset')]
  if (limit === undefined || remaining === undefined || reset === undefined) return undefined
  const date = Date.parse(headers.date ?? '')
  return { limit, remaining, resetInMs: Math.max(0, reset * 1_000 - (Number.isNaN(date) ? now : date)) }
}

/** Retry-After in seconds, or a date. */
export function retryAfterIn(headers: Readonly<Record<string, string>>, now: number): number | undefined {
  const value = headers['retry-after']
  if (value === undefined) return undefined
  const ms = /^\d+$/.test(value) ? Number(value) * 1_000 : Date.parse(value) - now
  return Number.isNaN(ms) ? undefined : Math.max(0, ms)
}

export interface RequestPace {
  /** Milliseconds to wait before the next request; 0: it is counted and may be sent. */
  take(now: number): number
  /** What a response reported. */
  report(report: RateReport, now: number): void
  /** No request before this time. */
  holdUntil(at: number): void
}

export function createRequestPace(): RequestPace {
  // Unknown until the first response.
  let left = Number.POSITIVE_INFINITY
  let reserve = 0
  let resetAt = 0
  let heldUntil = 0
  return {
    take(now) {
      if (now < heldUntil) return heldUntil - now
      if (now >= resetAt) left = Number.POSITIVE_INFINITY
      if (left <= reserve) return resetAt - now
      left--
      return 0
    },
    report({ limit, remaining, resetInMs }, now) {
      reserve = Math.floor(limit * shareLeft)
      const reportedReset = now + resetInMs
      // Times are whole seconds: the same period is reported with a difference of up to one second.
      const isSamePeriod = Math.abs(reportedReset - resetAt) < 2_000
      left = isSamePeriod ? Math.min(left, remaining) : remaining
      if (!isSamePeriod || reportedReset > resetAt) resetAt = reportedReset
    },
    holdUntil(at) {
      heldUntil = Math.max(heldUntil, at)
    },
  }
}
