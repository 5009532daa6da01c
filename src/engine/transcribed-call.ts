import { isRefused } from '../domain/call/recording-notice.ts'
import type { CallState } from '../domain/call/state.ts'
import type { Speaker } from '../domain/intelligence/transcript.ts'
import type { LegId } from '../domain/voice.ts'

/** A call with real-time transcription, from its answer on. */
export interface TranscribedCall {
  /** Undefined: not enabled. */
  language: Promise<string | undefined>
  /** The legs that are transcribed, or about to be. */
  legs: Set<LegId>
  /** Each ends the transcription of a leg. */
  close: Set<() => void>
  /** Utterances are saved in the order in which they were spoken. */
  saving: Promise<void>
  /** The last utterance of the customer. */
  customerSaid: string | undefined
  /** A transcriber could not keep up. */
  isLost: boolean
}

/** When a call was recorded: decides which speech is transcribed, and its offset in the recording. */
export interface RecordedIntervals {
  /** So far. */
  recorded: readonly Interval[]
  /** When the customer was on hold or the recording paused: speech during that time is not transcribed. */
  offRecord: readonly Interval[]
}

export const noIntervals: RecordedIntervals = { recorded: [], offRecord: [] }

interface Interval {
  from: number
  /** Null: not over. */
  until: number | null
}

export const transcribedCall = (language: TranscribedCall['language']): TranscribedCall => ({
  language,
  legs: new Set(),
  close: new Set(),
  saving: Promise.resolve(),
  customerSaid: undefined,
  isLost: false,
})

/** Not without the consent of the customer where the company asks for it. */
export const isTranscribable = ({ callId, phase, record, recordingConsent }: CallState): boolean =>
  callId !== null &&
  record.answeredAt !== null &&
  !isRefused(recordingConsent) &&
  ['talking', 'voiceAgent', 'forwarded'].includes(phase.kind)

export const intervalsAfter = (
  { recorded, offRecord }: RecordedIntervals,
  { phase, recording }: CallState,
  at: number,
): RecordedIntervals => ({
  recorded: updated(recorded, recording.kind === 'on' && recording.recId !== null, at),
  offRecord: updated(offRecord, recording.kind === 'paused' || (phase.kind === 'talking' && phase.held), at),
})

function updated(intervals: readonly Interval[], isOn: boolean, at: number): readonly Interval[] {
  const last = intervals.at(-1)
  if (isOn && last?.until !== null) return [...intervals, { from: at, until: null }]
  if (!isOn && last?.until === null) return [...intervals.slice(0, -1), { ...last, until: at }]
  return intervals
}

export const isOffRecord = ({ offRecord }: RecordedIntervals, at: number): boolean =>
  offRecord.some(({ from, until }) => at >= from && (until === null || at < until))

/** Offset in the recording; without one, since the answer. */
export function recordingOffsetOf({ recorded }: RecordedIntervals, at: number, answeredAt: number): number {
  if (recorded.length === 0) return Math.max(0, at - answeredAt)
  return recorded.reduce((sum, { from, until }) => sum + Math.max(0, Math.min(at, until ?? at) - from), 0)
}

/** The legs to transcribe; while an AI voice agent talks to the customer, its own speech-to-text is used. */
export function legsToTranscribe({ phase, customer, agents, guests }: CallState): LegId[] {
  const others = [...agents, ...guests].flatMap(({ leg }) => (leg === null ? [] : [leg]))
  const own = customer.leg === null ? [] : [customer.leg]
  if (phase.kind === 'talking') return [...own, ...others]
  if (phase.kind === 'forwarded' && phase.joined) return [...own, ...(phase.leg === null ? [] : [phase.leg])]
  return []
}

export function speakerOn({ phase, customer, agents, guests, record }: CallState, leg: LegId): Speaker | undefined {
  if (leg === customer.leg) return { side: 'external', phone: record.external }
  const agent = agents.find((one) => one.leg === leg)
  if (agent) return { side: 'internal', userId: agent.userId }
  const guest = guests.find((one) => one.leg === leg)
  if (guest) return { side: 'external', phone: guest.phone }
  return phase.kind === 'forwarded' && phase.leg === leg ? { side: 'external', phone: phase.phone } : undefined
}
