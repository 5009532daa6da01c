import type { Mood } from './sentiment.ts'

// Why a supervisor should listen to a call with the agent. By figures that exist; the thresholds are a choice of the
// product, and the figure is shown with the reason.

export const coachingReasons = [
  'low_score',
  'negative_sentiment',
  'low_csat',
  'handovers',
  'monologue',
  'talk_share',
  'open_action_items',
] as const
export type CoachingReasonKind = (typeof coachingReasons)[number]

export interface CoachingReason {
  kind: CoachingReasonKind
  /** Score, CSAT, handovers, seconds, per cent, or open action items. */
  value: number | null
}

export interface CoachingFacts {
  /** Normalized scores of the evaluations of the call. */
  scores: readonly number[]
  moods: readonly Mood[]
  /** From 1 to 5. */
  csat: number | null
  /** Transfers, and escalations of AI agents. */
  handovers: number
  internalMs: number | null
  externalMs: number | null
  monologueMs: number | null
  /** Open for at least `overdueMs`. */
  overdueItems: number
}

/** An action item that is open for longer is overdue. */
export const overdueMs = 3 * 24 * 3_600_000

const lowScore = 60
const veryLowScore = 40
const lowCsat = 2
const manyHandovers = 2
/** The upper bound of a fair monologue in scorecards. */
const longMonologueMs = 90_000
const highTalkShare = 70
/** In a short call, the share says little. */
const minSpeechMs = 60_000

/** In the order of `coachingReasons`, the most serious first. */
export function coachingReasonsOf(facts: CoachingFacts): CoachingReason[] {
  const { moods, csat, handovers, monologueMs, overdueItems } = facts
  const score = facts.scores.length > 0 ? Math.min(...facts.scores) : null
  const share = talkShare(facts)
  const found: (CoachingReason | false)[] = [
    score !== null && score < lowScore && { kind: 'low_score', value: score },
    moods.includes('NEGATIVE') && { kind: 'negative_sentiment', value: null },
    csat !== null && csat <= lowCsat && { kind: 'low_csat', value: csat },
    handovers >= manyHandovers && { kind: 'handovers', value: handovers },
    monologueMs !== null &&
      monologueMs > longMonologueMs && { kind: 'monologue', value: Math.round(monologueMs / 1_000) },
    share !== null && share >= highTalkShare && { kind: 'talk_share', value: share },
    overdueItems > 0 && { kind: 'open_action_items', value: overdueItems },
  ]
  return found.filter((one) => one !== false)
}

/** Per cent of the speech that is the agents'; null in a short call, and where one side is silent, as in a voicemail. */
function talkShare({ internalMs, externalMs }: CoachingFacts): number | null {
  if (!internalMs || !externalMs || internalMs + externalMs < minSpeechMs) return null
  return Math.round((100 * internalMs) / (internalMs + externalMs))
}

const weights: Record<CoachingReasonKind, number> = {
  low_score: 3,
  negative_sentiment: 2,
  low_csat: 2,
  handovers: 2,
  monologue: 1,
  talk_share: 1,
  open_action_items: 1,
}

/** For the order of calls: several reasons weigh more than one. */
export const coachingWeight = (reasons: readonly CoachingReason[]): number =>
  reasons.reduce(
    (sum, { kind, value }) => sum + weights[kind] + (kind === 'low_score' && (value ?? 100) < veryLowScore ? 1 : 0),
    0,
  )
