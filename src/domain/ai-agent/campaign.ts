import { type Hours, isOpen, nextChange, wallClock } from '../opening-hours.ts'

// Outbound campaigns of AI agents: when a recipient may be called, and what follows an attempt.

export const campaignStatuses = ['draft', 'running', 'paused', 'finished', 'cancelled'] as const
export type CampaignStatus = (typeof campaignStatuses)[number]

export const recipientStatuses = [
  'pending',
  'calling',
  'reached',
  'not_reached',
  'opted_out',
  'cancelled',
  'expired',
] as const
export type RecipientStatus = (typeof recipientStatuses)[number]

export const callOutcomes = ['answered', 'voicemail', 'no_answer', 'busy', 'failed', 'refused', 'expired'] as const
export type CallOutcome = (typeof callOutcomes)[number]

/** Seconds until the next attempt; null: no further attempt. */
export interface RetryDelays {
  no_answer: number | null
  busy: number | null
  voicemail: number | null
}

const workday: [string, string][] = [['09:00', '18:00']]
export const defaultCampaignHours: Hours = { mon: workday, tue: workday, wed: workday, thu: workday, fri: workday }
export const defaultRetryDelays: RetryDelays = { no_answer: 14_400, busy: 900, voicemail: 14_400 }
export const defaultMaxAttempts = 3

/** Calls are allowed while all time zones of the recipient are within the calling hours. */
const isCallable = (hours: Hours, zones: readonly string[], at: number): boolean =>
  zones.every((zone) => isOpen({ hours, closedDates: [] }, zone, at))

/** Enough for weeks of changes in two time zones. */
const maxChanges = 100

/** The first time from `at` on at which calls are allowed; undefined: never. */
export function nextCallable(hours: Hours, zones: readonly string[], at: number): number | undefined {
  let time = at
  for (let n = 0; n < maxChanges; n++) {
    if (isCallable(hours, zones, time)) return time
    const next = firstChange(hours, zones, time)
    if (next === undefined) return undefined
    time = next
  }
  return undefined
}

/** When calls are no longer allowed; undefined: always allowed. */
export const firstChange = (hours: Hours, zones: readonly string[], at: number): number | undefined =>
  zones
    .flatMap((zone) => nextChange({ hours, closedDates: [] }, zone, at) ?? [])
    .reduce<number | undefined>((first, change) => Math.min(first ?? change, change), undefined)

interface LocaleWithZones {
  getTimeZones?(): string[] | undefined
  timeZones?: string[]
}

const halfYearMs = 183 * 86_400_000

/**
 * The time zone of a country; of a country with several, the westernmost and the easternmost one, because the phone
 * number does not say where the callee is. In summer and in winter: Honolulu has the time of Adak in winter only, and is
 * west of it in summer. Empty: unknown country.
 */
export function zonesOfCountry(country: string, at: number): string[] {
  if (!/^[A-Z]{2}$/.test(country)) return []
  const locale = new Intl.Locale(`und-${country}`) as LocaleWithZones
  const zones = locale.getTimeZones?.() ?? locale.timeZones ?? []
  const times = [at, at + halfYearMs]
  const candidates = times.map((time) => outermost(zones, time))
  const spans = (some: readonly string[]) => times.every((time) => spanOf(some, time) === spanOf(zones, time))
  return candidates.find(spans) ?? [...new Set(candidates.flat())]
}

/** The westernmost and the easternmost time zone; one if they have the same time. */
function outermost(zones: readonly string[], at: number): string[] {
  const sorted = inOrder(zones, at)
  const [west, east] = [sorted[0], sorted.at(-1)]
  if (!west || !east) return []
  return west.offset === east.offset ? [west.zone] : [west.zone, east.zone]
}

const spanOf = (zones: readonly string[], at: number): string => {
  const sorted = inOrder(zones, at)
  return `${sorted[0]?.offset} ${sorted.at(-1)?.offset}`
}

const inOrder = (zones: readonly string[], at: number) =>
  zones
    .map((zone) => ({ zone, offset: wallClock(zone, at) - at }))
    .toSorted((a, b) => a.offset - b.offset || a.zone.localeCompare(b.zone))

const maxRefusals = 4
const refusalDelayMs = 300_000

interface Attempted {
  outcome: CallOutcome
  /** Attempts so far, with this one. */
  attempts: number
  maxAttempts: number
  /** Earlier calls that were refused. */
  refusals: number
  retryDelays: RetryDelays
  hasOptedOut: boolean
  at: number
}

export interface RecipientProgress {
  status: RecipientStatus
  attempts: number
  dueAt: number
  refusals?: number
}

/** What follows an attempt to call a recipient. */
export function afterAttempt({ outcome, attempts, at, ...rest }: Attempted): RecipientProgress {
  if (rest.hasOptedOut) return { status: 'opted_out', attempts, dueAt: at }
  if (outcome === 'answered') return { status: 'reached', attempts, dueAt: at }
  // The phone of the recipient did not ring. A call may be refused because no trunk or no capacity was available.
  if (outcome === 'refused' && rest.refusals < maxRefusals) {
    const refusals = rest.refusals + 1
    return { status: 'pending', attempts: attempts - 1, dueAt: at + refusals * refusalDelayMs, refusals }
  }
  if (outcome === 'expired') return { status: 'pending', attempts: attempts - 1, dueAt: at }
  const { no_answer: noAnswer, busy, voicemail } = rest.retryDelays
  const delay = outcome === 'busy' ? busy : outcome === 'voicemail' ? voicemail : noAnswer
  if (delay === null || attempts >= rest.maxAttempts) return { status: 'not_reached', attempts, dueAt: at }
  return { status: 'pending', attempts, dueAt: at + delay * 1_000 }
}
