import { type Static, Type } from 'typebox'
import { keptSince } from '../../../domain/call/history.ts'
import { nullable } from '../../../http/schemas.ts'
import { day } from '../../../lib/clock.ts'

/** Kinds of data whose retention period a company can shorten. */
export const retentionKinds = ['calls', 'recordings', 'voicemails', 'transcripts'] as const
export type RetentionKind = (typeof retentionKinds)[number]

const days = (minimum: number, description: string) => nullable(Type.Integer({ minimum, maximum: 210, description }))

export const RetentionPeriods = Type.Object(
  {
    calls: days(7, 'Call details with everything that belongs to the call'),
    recordings: days(1, 'Recordings, with transcripts and results made of them'),
    voicemails: days(1, 'Voicemails, with transcripts and results made of them'),
    transcripts: days(1, 'Transcripts and results made of them'),
  },
  { description: 'Days; null: seven months, the longest period' },
)
export type RetentionPeriods = Static<typeof RetentionPeriods>

export const maxPeriods: RetentionPeriods = { calls: null, recordings: null, voicemails: null, transcripts: null }

/** Data of calls that started before this time is deleted. Never later than the period of the installation. */
export const deletedBefore = (period: number | null, now: number): number =>
  period === null ? keptSince(now) : Math.max(keptSince(now), now - period * day)

/** Whether a period is shorter than before: data is then deleted earlier than users expected. */
export const isShortened = (before: RetentionPeriods, after: RetentionPeriods): boolean =>
  retentionKinds.some((kind) => (after[kind] ?? Number.POSITIVE_INFINITY) < (before[kind] ?? Number.POSITIVE_INFINITY))
