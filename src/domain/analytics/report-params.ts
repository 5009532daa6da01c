import type { RingOrigin } from '../call/events.ts'
import { type MissedReason, missedReasons } from '../call/record.ts'
import { isCalendarDate, isTimeZone } from '../opening-hours.ts'
import { isE164 } from '../phone-number.ts'
import { type DateFilter, type RelativeRange, relativeRanges } from './range.ts'
import { type ReportName, reportNames } from './reports.ts'

export const callTypes = [
  'INBOUND',
  'OUTBOUND',
  'INBOUND_ANSWERED',
  'INBOUND_UNANSWERED',
  'OUTBOUND_ANSWERED',
  'OUTBOUND_UNANSWERED',
] as const
export type CallType = (typeof callTypes)[number]

export const ringOrigins = ['RING_TO', 'TRANSFER', 'CALLBACK', 'ESCALATION'] as const satisfies readonly RingOrigin[]

export const userStatuses = ['AVAILABLE', 'OFFLINE', 'DO_NOT_DISTURB', 'IN_CALL', 'AFTER_CALL_WORK'] as const
export type UserStatus = (typeof userStatuses)[number]

/** Undefined: no filter. A list matches any of its values; tagIDs alone matches all of them. */
export interface Filters {
  userIDs?: readonly number[]
  teamIDs?: readonly number[]
  teamFilterOption?: 'ANY' | 'ALL'
  hours?: readonly number[]
  callIDs?: readonly number[]
  lineIDs?: readonly number[]
  customerNumbers?: readonly string[]
  tagIDs?: readonly number[]
  callTypes?: readonly CallType[]
  duration?: { min?: number; max?: number }
  minConnectedDuration?: number
  ivrBranches?: readonly string[]
  virtualVoiceAgentIDs?: readonly string[]
  withAiIntervention?: boolean
  withVoicemail?: boolean
  ringAttemptOrigin?: readonly RingOrigin[]
  userStatuses?: readonly UserStatus[]
  nextUserStatuses?: readonly UserStatus[]
}

/** Parameters of an export. */
export interface ReportParams {
  reportName: ReportName
  timezone: string
  dateFilter: DateFilter
  filters: Filters
  dateBreakdown?: 'DAILY'
  slaSeconds: number
  slaReasons: readonly MissedReason[]
  exportName: string
}

export type Parsed = { params: ReportParams } | { missing: string } | { invalid: string }

const maxValues = 10_000
const maxNameLength = 100
export const defaultSlaSeconds = 20

/** Parses `input` of a request. Missing fields are reported before invalid ones; unknown fields are ignored. */
export function parseReportParams(input: unknown): Parsed {
  if (!isObject(input)) return { invalid: '`input` must be an Object' }
  const { filter } = input
  const lacks = [
    ...(isAbsent(input.reportName) ? ['input.reportName'] : []),
    ...(isAbsent(filter) ? ['input.filter'] : []),
    ...(isObject(filter) && isAbsent(filter.timezone) ? ['input.filter.timezone'] : []),
    ...(isObject(filter) && isAbsent(filter.dateFilter) ? ['input.filter.dateFilter'] : []),
  ]
  if (lacks[0] !== undefined) return { missing: lacks[0] }
  try {
    return { params: readReportParams(input) }
  } catch (problem) {
    if (problem instanceof InvalidReportParams) return { invalid: problem.message }
    throw problem
  }
}

class InvalidReportParams extends Error {}

type Fields = Readonly<Record<string, unknown>>

function readReportParams(input: Fields): ReportParams {
  const reportName = wordIn(reportNames, input.reportName, 'input.reportName')
  const filter = fieldsOf(input.filter, 'input.filter')
  const { timezone } = filter
  if (typeof timezone !== 'string' || !isTimeZone(timezone)) {
    throw new InvalidReportParams('`input.filter.timezone` must be an IANA name such as Europe/Paris')
  }
  const options = given(input.options) ? fieldsOf(input.options, 'input.options') : {}
  const output = given(input.exportOptions) ? fieldsOf(input.exportOptions, 'input.exportOptions') : {}
  const { dateBreakdown, slaTimeToAnswerInSeconds: sla, slaIncludedCallUnansweredReasons: reasons } = options
  if (given(dateBreakdown)) wordIn(['DAILY'], dateBreakdown, 'input.options.dateBreakdown')
  if (given(output.format)) wordIn(['CSV'], output.format, 'input.exportOptions.format')
  return {
    reportName,
    timezone,
    dateFilter: readDates(filter.dateFilter),
    filters: readFilters(filter),
    ...(given(dateBreakdown) && { dateBreakdown: 'DAILY' as const }),
    slaSeconds: given(sla) ? wholeIn(sla, 1, 3_600, 'input.options.slaTimeToAnswerInSeconds') : defaultSlaSeconds,
    slaReasons: given(reasons)
      ? listOf(reasons, 'input.options.slaIncludedCallUnansweredReasons', (value, at) =>
          wordIn(missedReasons, value, at),
        )
      : missedReasons,
    exportName: given(output.exportName) ? nameIn(output.exportName) : reportName,
  }
}

function readDates(value: unknown): DateFilter {
  const where = 'input.filter.dateFilter'
  const { relative, absoluteRange } = fieldsOf(value, where)
  if (given(relative) === given(absoluteRange))
    throw new InvalidReportParams(`\`${where}\` takes exactly one of relative, absoluteRange`)
  if (given(relative)) return { relative: wordIn<RelativeRange>(relativeRanges, relative, `${where}.relative`) }
  const { fromDate, toDate } = fieldsOf(absoluteRange, `${where}.absoluteRange`)
  const from = dateIn(fromDate, `${where}.absoluteRange.fromDate`)
  const to = dateIn(toDate, `${where}.absoluteRange.toDate`)
  if (from > to) throw new InvalidReportParams(`\`${where}.absoluteRange\` must not begin after its end`)
  return { absoluteRange: { fromDate: from, toDate: to } }
}

function readFilters(filter: Fields): Filters {
  const at = (name: string) => `input.filter.${name}`
  const list = <T>(name: string, one: (value: unknown, where: string) => T) =>
    given(filter[name]) ? listOf(filter[name], at(name), one) : undefined
  const ids = (name: string) => list(name, idIn)
  const words = <W extends string>(name: string, known: readonly W[]) =>
    list(name, (value, where) => wordIn(known, value, where))
  const flag = (name: string) => (given(filter[name]) ? flagIn(filter[name], at(name)) : undefined)
  const read: { [K in keyof Filters]: Filters[K] | undefined } = {
    userIDs: ids('userIDs'),
    teamIDs: ids('teamIDs'),
    teamFilterOption: given(filter.teamFilterOption)
      ? wordIn(['ANY', 'ALL'] as const, filter.teamFilterOption, at('teamFilterOption'))
      : undefined,
    hours: list('hours', (value, where) => wholeIn(value, 0, 23, where)),
    callIDs: ids('callIDs'),
    lineIDs: ids('lineIDs'),
    customerNumbers: list('customerNumbers', numberIn),
    tagIDs: ids('tagIDs'),
    callTypes: words('callTypes', callTypes),
    duration: given(filter.duration) ? durationIn(filter.duration, at('duration')) : undefined,
    minConnectedDuration: given(filter.minConnectedDuration)
      ? wholeIn(filter.minConnectedDuration, 0, maxDuration, at('minConnectedDuration'))
      : undefined,
    ivrBranches: list('ivrBranches', textIn),
    virtualVoiceAgentIDs: list('virtualVoiceAgentIDs', textIn),
    withAiIntervention: flag('withAiIntervention'),
    withVoicemail: flag('withVoicemail'),
    ringAttemptOrigin: words('ringAttemptOrigin', ringOrigins),
    userStatuses: words('userStatuses', userStatuses),
    nextUserStatuses: words('nextUserStatuses', userStatuses),
  }
  return Object.fromEntries(Object.entries(read).filter(([, value]) => value !== undefined))
}

const maxDuration = 1_000_000_000

function durationIn(value: unknown, where: string): { min?: number; max?: number } {
  const limits = fieldsOf(value, where)
  const min = given(limits.min) ? wholeIn(limits.min, 0, maxDuration, `${where}.min`) : undefined
  const max = given(limits.max) ? wholeIn(limits.max, 0, maxDuration, `${where}.max`) : undefined
  if (min === undefined && max === undefined) throw new InvalidReportParams(`\`${where}\` takes min, max or both`)
  if (min !== undefined && max !== undefined && min > max)
    throw new InvalidReportParams(`\`${where}\` has a min above its max`)
  return { ...(min !== undefined && { min }), ...(max !== undefined && { max }) }
}

const isObject = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Null is treated as absent. */
const given = (value: unknown) => value !== undefined && value !== null

const isAbsent = (value: unknown) => !given(value) || (typeof value === 'string' && value.trim() === '')

function fieldsOf(value: unknown, where: string): Fields {
  if (!isObject(value)) throw new InvalidReportParams(`\`${where}\` must be an Object`)
  return value
}

function listOf<T>(value: unknown, where: string, one: (value: unknown, where: string) => T): T[] {
  const values = Array.isArray(value) ? value : [value]
  if (values.length === 0 || values.length > maxValues) {
    throw new InvalidReportParams(`\`${where}\` must be an Array of 1 to ${maxValues} values`)
  }
  return values.map((item) => one(item, where))
}

function wordIn<W extends string>(words: readonly W[], value: unknown, where: string): W {
  const word = words.find((known) => known === value)
  if (word === undefined) throw new InvalidReportParams(`\`${where}\` must be one of ${words.join(', ')}`)
  return word
}

function wholeIn(value: unknown, min: number, max: number, where: string): number {
  if (typeof value !== 'number' || !Number.isSafeInteger(value) || value < min || value > max) {
    throw new InvalidReportParams(`\`${where}\` must be an Integer from ${min} to ${max}`)
  }
  return value
}

/** As everywhere in the API, a quoted number or boolean is accepted. */
function idIn(value: unknown, where: string): number {
  const id = typeof value === 'string' && /^[1-9]\d{0,15}$/.test(value) ? Number(value) : value
  if (typeof id !== 'number' || !Number.isSafeInteger(id) || id < 1)
    throw new InvalidReportParams(`\`${where}\` must hold Integer ids`)
  return id
}

function flagIn(value: unknown, where: string): boolean {
  if (typeof value !== 'boolean') throw new InvalidReportParams(`\`${where}\` must be true or false`)
  return value
}

function numberIn(value: unknown, where: string): string {
  if (typeof value !== 'string' || !isE164(value))
    throw new InvalidReportParams(`\`${where}\` must hold numbers such as +33176360695`)
  return value
}

function textIn(value: unknown, where: string): string {
  if (typeof value !== 'string' || value.trim() === '' || value.length > 500 || !isClean(value)) {
    throw new InvalidReportParams(`\`${where}\` must hold Strings that are not blank`)
  }
  return value
}

function dateIn(value: unknown, where: string): string {
  // Four-digit years with a safe margin: day arithmetic works for all of them.
  if (!isCalendarDate(value) || value < '1970-01-02' || value > '9990-12-31') {
    throw new InvalidReportParams(`\`${where}\` must be a date of the calendar as YYYY-MM-DD`)
  }
  return value
}

function nameIn(value: unknown): string {
  const isGood =
    typeof value === 'string' && value.trim() !== '' && [...value].length <= maxNameLength && isClean(value)
  if (!isGood)
    throw new InvalidReportParams(
      `\`input.exportOptions.exportName\` must be a String of 1 to ${maxNameLength} characters`,
    )
  return value
}

const isClean = (text: string) => text.isWellFormed() && !/\p{Cc}/u.test(text)
