import type { StreamedEvent } from './event-stream.ts'
import { isAccepted, type ReceiverResponse } from './forward.ts'
import { printable } from './print.ts'

type Paint = (text: string) => string

export interface Colours {
  faint: Paint
  strong: Paint
  good: Paint
  bad: Paint
}

/** Colours on a terminal only; Node respects NO_COLOR. */
export function coloursFor(stream: { isTTY?: boolean; hasColors?: () => boolean }): Colours {
  const isColoured = stream.isTTY === true && stream.hasColors?.() === true
  const paint = (code: number) => (text: string) => (isColoured ? `\x1b[${code}m${text}\x1b[0m` : text)
  return { faint: paint(2), strong: paint(1), good: paint(32), bad: paint(31) }
}

/** One line with the time, the event, the resource and a short description. */
export function eventLine({ headers, body }: StreamedEvent, now: number, { faint, strong }: Colours): string {
  const { event, resource, timestamp, data } = JSON.parse(body)
  const id = data.id ?? data.call_id ?? data.webhook_id ?? ''
  const test = headers['webhook-test'] === 'true' ? ['(test)'] : []
  return [
    faint(clockTime(timestamp * 1_000, now)),
    strong(printable(event).padEnd(22)),
    printable(`${resource} ${id}`).padEnd(20),
    [...test, hintIn(data)].join(' '),
  ]
    .join('  ')
    .trimEnd()
}

const hints = ['direction', 'raw_digits', 'digits', 'status', 'availability_status', 'custom_name', 'body'] as const
const maxHintLength = 60

function hintIn(data: Record<string, unknown>): string {
  const name = data.name ?? [data.first_name, data.last_name].filter(Boolean).join(' ')
  const words = [nameIn(data.user), name, ...hints.map((field) => data[field])].filter(
    (word) => typeof word === 'string' && word !== '',
  )
  const text = printable(words.join(' '))
  return text.length > maxHintLength ? `${text.slice(0, maxHintLength - 1)}…` : text
}

/** The name of the ringing or answering agent. */
const nameIn = (user: unknown) => (typeof user === 'object' && user !== null && 'name' in user ? user.name : '')

/** In the local time zone; with the date if it is not today. */
function clockTime(ms: number, now: number): string {
  const at = new Date(ms)
  const two = (part: number) => String(part).padStart(2, '0')
  const time = [at.getHours(), at.getMinutes(), at.getSeconds()].map(two).join(':')
  if (at.toDateString() === new Date(now).toDateString()) return time
  return `${at.getFullYear()}-${two(at.getMonth() + 1)}-${two(at.getDate())} ${time}`
}

/** `→ 204 in 12 ms` */
export function answerText(answer: ReceiverResponse, { good, bad }: Colours): string {
  if ('failure' in answer) return bad(`→ ${printable(answer.failure)}`)
  const { status, location, ms } = answer
  const redirect = status >= 300 && status < 400 ? `, redirect to ${printable(location)} not followed` : ''
  return (isAccepted(answer) ? good : bad)(`→ ${status} in ${ms} ms${redirect}`)
}
