import type { Mode } from '../flow/document.ts'
import { days, isOpen, nextChange, type Schedule } from '../opening-hours.ts'
import type { Answers } from './plan.ts'
import type { Context } from './variables.ts'

// Facts in the prompt of a language model: the call, its caller, the answers so far, and the results of tools. They are
// written by callers, contacts and other servers, so the prompt marks them as data.

/** What is known about a call before the conversation. */
export interface PromptCallFacts {
  direction: 'inbound' | 'outbound'
  company: string | null
  /** Name of the Number. */
  number: string | null
  /** The Time Rule of the Number; null without one. */
  hours: (Schedule & { mode: Mode }) | null
  /** The outside party, E.164; null if withheld. */
  phone: string | null
  contact: ContactFacts | null
  /** Context of an outbound call. */
  variables: Context
  /** What another server returned about the caller; none unless set. */
  fetched?: Context
}

export interface ContactFacts {
  name: string | null
  company: string | null
  information: string | null
}

/** A tool call of an earlier turn. */
export interface ToolResult {
  tool: string
  args: string
  result: string
}

const maxFactLength = 500
/** Results of earlier turns that the prompt repeats. */
const maxResults = 6
const maxResultLength = 1_500

/** On one line, without the characters that delimit data. */
const fact = (value: unknown, max = maxFactLength) =>
  String(value)
    .replace(/[\s<>]+/g, ' ')
    .trim()
    .slice(0, max)

/** A block of data. Markers within the text do not end it. */
export const dataBlock = (name: string, text: string): string =>
  `<${name}>\n${text.replaceAll('<', '‹').replaceAll('>', '›')}\n</${name}>`

export function callData(call: PromptCallFacts | undefined, timeZone: string, now: number): string {
  const lines = [`Now: ${instant(timeZone, now)} (${timeZone})`]
  if (!call) return dataBlock('call', lines.join('\n'))
  const { company, number, hours, direction, phone, contact, variables, fetched = {} } = call
  if (company !== null) lines.push(`Company: ${fact(company)}`)
  if (number !== null) lines.push(`Number: ${fact(number)}`)
  if (hours) lines.push(...hoursLines(hours, timeZone, now))
  lines.push(direction === 'inbound' ? 'Direction: the caller has called us' : 'Direction: we have called this person')
  lines.push(`Phone number of the caller: ${phone ?? 'withheld'}`)
  if (contact) lines.push(...contactLines(contact))
  else lines.push('Contact: unknown')
  for (const [key, value] of Object.entries(variables)) lines.push(`Reason of the call, ${fact(key)}: ${fact(value)}`)
  for (const [key, value] of Object.entries(fetched)) lines.push(`About the caller, ${fact(key)}: ${fact(value)}`)
  return dataBlock('call', lines.join('\n'))
}

function contactLines({ name, company, information }: ContactFacts): string[] {
  return [
    `Contact: ${name === null ? 'without a name' : fact(name)}`,
    ...(company === null ? [] : [`Company of the contact: ${fact(company)}`]),
    ...(information === null ? [] : [`Notes about the contact: ${fact(information)}`]),
  ]
}

const dayNames = ['Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday', 'Sunday']

function hoursLines(schedule: Schedule & { mode: Mode }, timeZone: string, now: number): string[] {
  if (schedule.mode === 'open') return ['Opening hours: open at all times']
  if (schedule.mode === 'closed') return ['Opening hours: closed until further notice']
  const week = days.map((day, index) => {
    const ranges = (schedule.hours[day] ?? []).map(([start, end]) => `${start}–${end}`)
    return `${dayNames[index]} ${ranges.length === 0 ? 'closed' : ranges.join(', ')}`
  })
  const today = isoDate(timeZone, now)
  const closed = schedule.closedDates.filter((date) => date >= today).slice(0, 20)
  const open = isOpen(schedule, timeZone, now)
  const change = nextChange(schedule, timeZone, now)
  const until = change === undefined ? '' : `, ${open ? 'until' : 'opens'} ${instant(timeZone, change)}`
  return [
    `Opening hours: ${week.join('; ')}`,
    ...(closed.length === 0 ? [] : [`Closed on: ${closed.join(', ')}`]),
    `${open ? 'Open now' : 'Closed now'}${until}`,
  ]
}

export function progressData(answers: Answers, proposed: Answers, results: readonly ToolResult[]): string {
  const lines = [
    ...Object.entries(answers).map(([key, value]) => `Collected ${key}: ${fact(value)}`),
    ...Object.entries(proposed)
      .filter(([key, value]) => answers[key] !== value)
      .map(([key, value]) => `Not confirmed yet ${key}: ${fact(value)}`),
    ...results.slice(-maxResults).map(({ tool, args, result }) => `Result of ${tool} ${args}: ${result}`),
  ]
  return lines.length === 0 ? '' : dataBlock('so_far', lines.join('\n'))
}

/** With the result of one more tool call; old and long ones are cut. */
export const withResult = (
  results: readonly ToolResult[] | undefined,
  tool: string,
  args: unknown,
  result: string,
): ToolResult[] => [
  ...(results ?? []).slice(1 - maxResults),
  { tool, args: (JSON.stringify(args) ?? '').slice(0, maxFactLength), result: result.slice(0, maxResultLength) },
]

const instant = (timeZone: string, at: number) =>
  new Intl.DateTimeFormat('en-GB', {
    timeZone,
    weekday: 'long',
    day: 'numeric',
    month: 'long',
    year: 'numeric',
    hour: '2-digit',
    minute: '2-digit',
  }).format(at)

/** `sv-SE` writes dates like ISO 8601. */
const isoDate = (timeZone: string, at: number) =>
  new Intl.DateTimeFormat('sv-SE', { timeZone, dateStyle: 'short' }).format(at)
