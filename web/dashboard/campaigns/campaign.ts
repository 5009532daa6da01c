import { defaultCampaignHours, defaultMaxAttempts, defaultRetryDelays } from '../../../src/domain/ai-agent/campaign.ts'
import { readCsv } from '../../../src/domain/csv.ts'
import type { Hours } from '../../../src/domain/opening-hours.ts'
import type { RequestOf, ResponseOf } from '../../kit/api.ts'
import { count, dateTimeField } from '../../kit/ui/format.ts'
import { scheduleError } from '../../kit/ui/hours.tsx'

// Outbound campaigns of AI agents as the pages show them.

export type AgentCampaign = ResponseOf<'/v1/outbound-campaigns/{id}'>
export type Recipient = ResponseOf<'/v1/outbound-campaigns/{id}/recipients'>['recipients'][number]
export type NewRecipient = NonNullable<RequestOf<'/v1/outbound-campaigns'>['recipients']>[number]

type RecipientProblem = ResponseOf<'/v1/outbound-campaigns/checks', 'post'>['problems'][number]
type Settings = RequestOf<'/v1/outbound-campaigns/{id}', 'put'>

export const campaignsKey = ['outbound-campaigns']

export const campaignStatuses: Record<AgentCampaign['status'], { label: string; color: string }> = {
  draft: { label: 'Draft', color: 'gray' },
  running: { label: 'Running', color: 'blue' },
  paused: { label: 'Paused', color: 'orange' },
  finished: { label: 'Finished', color: 'green' },
  cancelled: { label: 'Cancelled', color: 'gray' },
}

export const recipientStatuses: Record<Recipient['status'], { label: string; color: string }> = {
  pending: { label: 'Pending', color: 'gray' },
  calling: { label: 'Calling', color: 'blue' },
  reached: { label: 'Reached', color: 'green' },
  not_reached: { label: 'Not reached', color: 'orange' },
  opted_out: { label: 'Opted out', color: 'red' },
  cancelled: { label: 'Cancelled', color: 'gray' },
  expired: { label: 'Expired', color: 'gray' },
}

export const outcomeLabels: Record<keyof AgentCampaign['outcomes'], string> = {
  answered: 'Answered',
  voicemail: 'Voicemail',
  no_answer: 'No answer',
  busy: 'Busy',
  failed: 'Failed',
  refused: 'Refused',
  expired: 'Expired',
}

/** It may be edited, and get more recipients. */
export const isOpenCampaign = ({ status }: AgentCampaign): boolean => status !== 'finished' && status !== 'cancelled'

const weekdays = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'] as const
const dayNames = ['Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat', 'Sun']

/** “Mon–Fri 09:00–18:00; Sat 10:00–12:00”: days that follow each other with the same times are joined. */
export function hoursText(hours: Hours): string {
  const times = weekdays.map((name) => (hours[name] ?? []).map(([from, to]) => `${from}–${to}`).join(', '))
  const spans: { first: number; last: number; at: string }[] = []
  for (const [index, at] of times.entries()) {
    const last = spans.at(-1)
    if (last && last.at === at) last.last = index
    else spans.push({ first: index, last: index, at })
  }
  return spans
    .filter(({ at }) => at !== '')
    .map(({ first, last, at }) => `${dayNames[first]}${last > first ? `–${dayNames[last]}` : ''} ${at}`)
    .join('; ')
}

/** Recipients with a final result. */
export const doneIn = ({ total, pending, calling }: AgentCampaign['progress']): number => total - pending - calling

const fixed = ['phone_number', 'name', 'time_zone'] as const
const headings: Record<string, (typeof fixed)[number]> = {
  phone_number: 'phone_number',
  phone: 'phone_number',
  number: 'phone_number',
  name: 'name',
  time_zone: 'time_zone',
  timezone: 'time_zone',
}

/** Pasted lines or a CSV file: phone number, name and time zone; other columns of a heading are context variables. */
export function recipientsFrom(text: string): NewRecipient[] {
  const rows = readCsv(text)
  const first = (rows[0] ?? []).map((cell) => cell.toLowerCase().replaceAll(' ', '_'))
  const hasHeading = first.some((cell) => headings[cell] === 'phone_number')
  const names = hasHeading ? first.map((cell) => headings[cell] ?? cell) : [...fixed]
  return rows.slice(hasHeading ? 1 : 0).map((row) => recipientOf(names, row))
}

function recipientOf(names: readonly string[], row: readonly string[]): NewRecipient {
  const cells = names.map((name, at) => [name, row[at] ?? ''] as const).filter(([, value]) => value !== '')
  const values = Object.fromEntries(cells)
  const context = Object.fromEntries(cells.filter(([name]) => !fixed.some((known) => known === name)))
  return {
    phone_number: values.phone_number ?? '',
    name: values.name ?? null,
    time_zone: values.time_zone ?? null,
    ...(Object.keys(context).length > 0 && { context }),
  }
}

const columnLimits = { phone_number: 40, name: 128, time_zone: 64 } as const

/** Rows that are too long for the server to check. */
export function overlong(recipients: readonly NewRecipient[]): string[] {
  const labels = { phone_number: 'phone number', name: 'name', time_zone: 'time zone' }
  return recipients.flatMap((one, index) => {
    const column = fixed.find((name) => (one[name] ?? '').length > columnLimits[name])
    return column ? [`Row ${index + 1}: the ${labels[column]} is longer than ${columnLimits[column]} characters`] : []
  })
}

/** In the words of the form. */
export function problemText({ index, issue, variable }: RecipientProblem, recipients: readonly NewRecipient[]): string {
  const row = `Row ${index + 1} (${recipients[index]?.phone_number || 'no phone number'})`
  switch (issue) {
    case 'phone_number':
      return `${row}: not a phone number. Numbers of other countries need their country code`
    case 'listed_twice':
      return `${row}: the phone number is in the list twice`
    case 'time_zone':
      return `${row}: unknown time zone. Use a name such as Europe/Paris`
    case 'unknown_country':
      return `${row}: the country of the number is unknown. Add a time zone`
    case 'no_common_hours':
      return `${row}: the time zones of the country have no calling hours in common. Add a time zone, or extend the calling hours`
    case 'context':
      return `${row}: a variable is longer than 1,000 characters, or there are more than 100`
    case 'missing_variable':
      return `${row}: no value for “${variable}”, which the greeting of the AI agent contains. Add a column with this heading`
    case 'opted_out':
      return `${row}: has opted out of calls by AI agents`
  }
}

/** What the form edits. */
export interface CampaignForm {
  name: string
  numberIds: string[]
  hours: Hours
  maxAttempts: number
  retryDelays: AgentCampaign['retry_delays']
  concurrency: number
  /** Value of a datetime-local input; empty: none. */
  expires: string
}

export const emptyCampaign: CampaignForm = {
  name: '',
  numberIds: [],
  hours: defaultCampaignHours,
  maxAttempts: defaultMaxAttempts,
  retryDelays: defaultRetryDelays,
  concurrency: 1,
  expires: '',
}

export const formOfCampaign = (campaign: AgentCampaign): CampaignForm => ({
  name: campaign.name,
  numberIds: campaign.number_ids.map(String),
  hours: campaign.calling_hours as Hours,
  maxAttempts: campaign.max_attempts,
  retryDelays: campaign.retry_delays,
  concurrency: campaign.concurrency,
  expires: campaign.expires_at === null ? '' : dateTimeField(Date.parse(campaign.expires_at)),
})

/** Without numbers, the AI agent calls from its own. */
export const campaignBody = (form: CampaignForm) =>
  ({
    name: form.name.trim(),
    ...(form.numberIds.length > 0 && { number_ids: form.numberIds.map(Number) }),
    calling_hours: form.hours,
    max_attempts: form.maxAttempts,
    retry_delays: form.retryDelays,
    concurrency: form.concurrency,
    expires_at: form.expires === '' ? null : new Date(form.expires).toISOString(),
  }) satisfies Settings

/** Throws what is wrong with the calling hours or the expiry. */
export function checkForm({ hours, expires }: CampaignForm, now: number): void {
  const problem = scheduleError({ hours, closed_dates: [] })
  if (problem !== undefined) throw new Error(problem)
  if (Object.keys(hours).length === 0) throw new Error('Select at least one day with calling hours')
  if (expires !== '' && Date.parse(expires) <= now) throw new Error('The expiry must be in the future')
}

const minute = 60
const hour = 60 * minute
const day = 24 * hour

/** “15 minutes”, “4 hours”, “2 days”. */
export function delayText(seconds: number): string {
  if (seconds % day === 0) return count(seconds / day, 'day')
  if (seconds % hour === 0) return count(seconds / hour, 'hour')
  return count(Math.round(seconds / minute), 'minute')
}

export const retryChoices = [
  5 * minute,
  15 * minute,
  30 * minute,
  hour,
  2 * hour,
  4 * hour,
  8 * hour,
  day,
  2 * day,
  7 * day,
]
