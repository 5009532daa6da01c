const hour = 3_600_000

/** Health of an endpoint: its lane, its concurrency, and when deliveries to it are disabled. */
export interface EndpointHealth {
  state: 'unproven' | 'proven' | 'failing'
  consecutiveFailures: number
  /**
   * The first failure after the last success, not that success itself: a webhook with rare events would otherwise
   * seem to have been failing for long.
   */
  failingSince: number | null
  lastSuccessAt: number | null
  /** Warnings sent: 0 none, 1 after 1 h, 2 after 24 h, 3 after 96 h of this run. */
  warnedLevel: 0 | 1 | 2 | 3
  /** Concurrent requests that a proven endpoint may have, 1 to 16. Other lanes have limits of their own. */
  cap: number
  /** Successes since the limit last grew; negative after `failing`: the number of doublings still to come. */
  streak: number
}

const firstCap = 2
const maxCap = 16
const successesToGrow = 20
/** 1, 2, 4, 8, 16 */
const doublings = 4

const failuresToFail = 3
const failuresToDisable = 50
const hoursToDisable = 120
const warnings = [
  { level: 3, hours: 96 },
  { level: 2, hours: 24 },
  { level: 1, hours: 1 },
] as const

/** Initial state of a new webhook, or of one whose URL has changed. */
export const fresh: EndpointHealth = {
  state: 'unproven',
  consecutiveFailures: 0,
  failingSince: null,
  lastSuccessAt: null,
  warnedLevel: 0,
  cap: firstCap,
  streak: 0,
}

export function afterSuccess(health: EndpointHealth, at: number): EndpointHealth {
  return {
    state: 'proven',
    consecutiveFailures: 0,
    failingSince: null,
    lastSuccessAt: at,
    warnedLevel: 0,
    ...grown(health),
  }
}

export function afterFailure(
  health: EndpointHealth,
  at: number,
  timedOut: boolean,
): { health: EndpointHealth; warn: 1 | 2 | 3 | null; disable: boolean } {
  const consecutiveFailures = health.consecutiveFailures + 1
  const failingSince = health.failingSince ?? at
  const hours = (at - failingSince) / hour
  const disable = hours >= hoursToDisable && consecutiveFailures >= failuresToDisable
  const failing = consecutiveFailures >= failuresToFail
  const reached = failing ? warnings.find((warning) => hours >= warning.hours)?.level : undefined
  const warn = !disable && reached && reached > health.warnedLevel ? reached : null
  return {
    health: {
      ...health,
      state: failing ? 'failing' : health.state,
      consecutiveFailures,
      failingSince,
      warnedLevel: warn ?? health.warnedLevel,
      ...(timedOut ? halved(health) : {}),
    },
    warn,
    disable,
  }
}

/** From then on a failure may disable the webhook; null while nothing fails. */
export function disablesAt(health: Pick<EndpointHealth, 'failingSince'>): number | null {
  return health.failingSince === null ? null : health.failingSince + hoursToDisable * hour
}

/** An endpoint that was healthy a day ago may be down now, and after a restart many deliveries are due at once. */
export function atRestart(health: EndpointHealth, now: number): EndpointHealth {
  const stale = health.lastSuccessAt === null || now - health.lastSuccessAt > 24 * hour
  return health.state === 'proven' && stale ? { ...health, state: 'unproven' } : health
}

function grown({ state, cap, streak }: EndpointHealth): Pick<EndpointHealth, 'cap' | 'streak'> {
  switch (state) {
    case 'failing':
      return { cap: 1, streak: -doublings }
    case 'unproven':
      // Starts over, regardless of its previous limit.
      return { cap: Math.min(cap, firstCap), streak: 1 }
    case 'proven':
      if (streak < 0) return { cap: Math.min(2 * cap, maxCap), streak: streak + 1 }
      if (cap >= maxCap) return { cap, streak: 0 }
      return streak + 1 < successesToGrow ? { cap, streak: streak + 1 } : { cap: cap + 1, streak: 0 }
  }
}

/** A timeout also ends the doubling: the endpoint has reached its capacity, and the limit grows slowly from there. */
function halved({ cap }: EndpointHealth): Pick<EndpointHealth, 'cap' | 'streak'> {
  return { cap: Math.max(1, Math.floor(cap / 2)), streak: 0 }
}
