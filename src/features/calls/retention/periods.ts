import { type Static, Type } from 'typebox'
import { keptSince, maxCallDays } from '../../../domain/call/history.ts'
import { nullable } from '../../../http/schemas.ts'
import { day } from '../../../lib/clock.ts'

/** Kinds of data whose retention period a company can set. */
export const retentionKinds = ['calls', 'recordings', 'voicemails', 'transcripts', 'messages', 'audit_log'] as const
export type RetentionKind = (typeof retentionKinds)[number]

/** Kinds that are deleted with their call after seven months at the latest; the others are kept without a period. */
const ofCalls: readonly RetentionKind[] = ['calls', 'recordings', 'voicemails', 'transcripts']

const days = (minimum: number, maximum: number, description: string) =>
  nullable(Type.Integer({ minimum, maximum, description }))

const tenYears = 3_650

export const RetentionPeriods = Type.Object(
  {
    calls: days(7, maxCallDays, 'Call details with everything that belongs to the call'),
    recordings: days(1, maxCallDays, 'Recordings, with transcripts and results made of them'),
    voicemails: days(1, maxCallDays, 'Voicemails, with transcripts and results made of them'),
    transcripts: days(1, maxCallDays, 'Transcripts and results made of them'),
    messages: days(1, tenYears, 'Messages with their attachments; null: until they are deleted'),
    audit_log: days(365, tenYears, 'Entries of the audit log; null: always kept'),
  },
  {
    description:
      'Days; null for data of calls: they are deleted after seven months. Calls of the last six months are shown',
  },
)
export type RetentionPeriods = Static<typeof RetentionPeriods>

/** What a request may leave out: fields that were added later. */
export const RetentionPeriodsInput = Type.Object({
  ...RetentionPeriods.properties,
  messages: Type.Optional(RetentionPeriods.properties.messages),
  audit_log: Type.Optional(RetentionPeriods.properties.audit_log),
})

export const maxPeriods: RetentionPeriods = {
  calls: null,
  recordings: null,
  voicemails: null,
  transcripts: null,
  messages: null,
  audit_log: null,
}

/** Data from before this time is deleted; null: none. For calls never later than the period of the installation. */
export function deletedBefore(kind: RetentionKind, periods: RetentionPeriods, now: number): number | null {
  const period = periods[kind]
  const before = period === null ? null : now - period * day
  if (!ofCalls.includes(kind)) return before
  return before === null ? keptSince(now) : Math.max(keptSince(now), before)
}

/** Whether a period is shorter than before: data is then deleted earlier than users expected. */
export const isShortened = (before: RetentionPeriods, after: RetentionPeriods): boolean =>
  retentionKinds.some((kind) => (after[kind] ?? Number.POSITIVE_INFINITY) < (before[kind] ?? Number.POSITIVE_INFINITY))
