// Thresholds of the live page: when an alert is raised and when it is cleared. Hysteresis keeps an alert from flapping:
// the value has to stay beyond the threshold before the alert is raised, and to stay well within it before it is cleared.

export const liveAlertKinds = ['waiting_calls', 'longest_wait', 'answered_share', 'no_agent'] as const
export type LiveAlertKind = (typeof liveAlertKinds)[number]

export interface LiveFigures {
  waiting: number
  maxWaitSeconds: number
  /** Of today's inbound calls; null until there are enough of them. */
  answeredPercent: number | null
  availableAgents: number
  /** Whether a number of the company is within its opening hours. */
  isOpen: boolean
}

/** Null: no alert of this kind. Seconds for `longest_wait` and `no_agent`, percent for `answered_share`. */
export type LiveThresholds = Record<LiveAlertKind, number | null>

export const noThresholds: LiveThresholds = {
  waiting_calls: null,
  longest_wait: null,
  answered_share: null,
  no_agent: null,
}

/** Times in milliseconds. */
export interface LiveAlertState {
  /** Since when the value has been beyond the threshold without a break. */
  beyondSince: number | null
  /** Since when the value has been well within the threshold without a break. */
  withinSince: number | null
  /** The alert that is raised now. */
  alertId: number | null
  /** When the last alert was cleared. */
  clearedAt: number | null
}

export type LiveAlertStates = Partial<Record<LiveAlertKind, LiveAlertState>>

export const noAlert: LiveAlertState = { beyondSince: null, withinSince: null, alertId: null, clearedAt: null }

const secondMs = 1_000
/** A value beyond its threshold for a moment raises no alert. */
const raiseAfterMs = 10 * secondMs
const clearAfterMs = 60 * secondMs
/** After an alert was cleared, the next one of its kind waits for this long. */
const quietMs = 5 * 60 * secondMs

/** Inbound calls of today below this number say nothing about the answered share. */
export const minCallsForShare = 10

type Verdict = 'beyond' | 'between' | 'within'

function verdictOf(kind: LiveAlertKind, threshold: number, figures: LiveFigures): Verdict {
  switch (kind) {
    case 'waiting_calls':
      return upTo(figures.waiting, threshold, Math.max(1, Math.ceil(threshold * 0.2)))
    case 'longest_wait':
      return upTo(figures.maxWaitSeconds, threshold, Math.ceil(threshold * 0.2))
    case 'answered_share':
      if (figures.answeredPercent === null || figures.answeredPercent >= threshold + 2) return 'within'
      return figures.answeredPercent < threshold ? 'beyond' : 'between'
    case 'no_agent':
      return figures.isOpen && figures.availableAgents === 0 ? 'beyond' : 'within'
  }
}

const upTo = (value: number, threshold: number, margin: number): Verdict => {
  if (value >= threshold) return 'beyond'
  return value <= threshold - margin ? 'within' : 'between'
}

/** What an alert reports: callers, seconds, percent, or seconds without an available agent. */
function reportedValue(kind: LiveAlertKind, figures: LiveFigures, since: number, at: number): number {
  if (kind === 'waiting_calls') return figures.waiting
  if (kind === 'longest_wait') return figures.maxWaitSeconds
  if (kind === 'answered_share') return figures.answeredPercent ?? 0
  return Math.floor((at - since) / secondMs)
}

export interface LiveAlertStep {
  state: LiveAlertState
  change: { kind: 'raise'; value: number } | { kind: 'clear' } | undefined
}

/** One check of one threshold. The caller sets `alertId` when the alert is stored. */
export function checkThreshold(
  kind: LiveAlertKind,
  threshold: number | null,
  before: LiveAlertState,
  figures: LiveFigures,
  at: number,
): LiveAlertStep {
  const isRaised = before.alertId !== null
  // A threshold that was removed clears its alert immediately.
  if (threshold === null) {
    const change = isRaised ? ({ kind: 'clear' } as const) : undefined
    return { state: { ...noAlert, clearedAt: isRaised ? at : before.clearedAt }, change }
  }
  const verdict = verdictOf(kind, threshold, figures)
  const beyondSince = verdict === 'beyond' ? (before.beyondSince ?? at) : null
  const withinSince = verdict === 'within' ? (before.withinSince ?? at) : null
  const state = { ...before, beyondSince, withinSince }
  if (isRaised) {
    if (withinSince === null || at - withinSince < clearAfterMs) return { state, change: undefined }
    return { state: { ...state, alertId: null, clearedAt: at }, change: { kind: 'clear' } }
  }
  const holdMs = kind === 'no_agent' ? Math.max(raiseAfterMs, threshold * secondMs) : raiseAfterMs
  const isQuiet = before.clearedAt !== null && at - before.clearedAt < quietMs
  if (beyondSince === null || at - beyondSince < holdMs || isQuiet) return { state, change: undefined }
  return { state, change: { kind: 'raise', value: reportedValue(kind, figures, beyondSince, at) } }
}
