import { envelope, headersOf } from '../features/integrations/webhooks/envelope.ts'
import { CommandRefused } from '../http/admin-socket.ts'
import { pause, second, systemClock } from '../lib/clock.ts'
import { randomId } from '../lib/secrets.ts'
import { ulid } from '../lib/ulid.ts'
import { newSigningSecret, signingKey } from '../lib/webhook-signature.ts'
import { type Api, apiDetails, apiFor, apiOptions, apiUsage } from './api.ts'
import { type Command, type CommandArguments, type CommandResult, UsageError } from './command.ts'
import { answerText, coloursFor, eventLine } from './event-line.ts'
import { asStreamedEvent, type EventLogEntry, eventsInLog } from './event-log.ts'
import { forward, isAccepted, type ReceiverResponse } from './forward.ts'
import { httpUrlIn } from './http-url.ts'
import { speedIn } from './time-span.ts'

export const replayCommand: Command = {
  name: 'replay',
  usage: `CALL --to URL [--speed N] [--secret SECRET] ${apiUsage}`,
  summary: 'Resend the events of a past call to any endpoint',
  details:
    'CALL is the id of a call of the last 30 days. Each event is sent once, in order, like a webhook delivery, with the\n' +
    'header webhook-replay: true. It is signed with the printed secret, or with --secret.\n' +
    '--speed 1 keeps the original intervals, 10 makes them ten times shorter; by default there are none.\n' +
    `Exit code 1: an event was not accepted.\n${apiDetails}`,
  options: { ...apiOptions, to: { type: 'string' }, speed: { type: 'string' }, secret: { type: 'string' } },
  words: [1, 1],
  run: replay,
}

type Sent = Pick<EventLogEntry, 'id' | 'event'> & { answer: ReceiverResponse }

async function replay(given: CommandArguments): Promise<CommandResult | undefined> {
  const [callId = ''] = given.words
  if (!/^[1-9]\d{0,18}$/.test(callId)) throw new UsageError('CALL must be the id of a call')
  const to = given.text('to')
  if (to === undefined) throw new UsageError('--to is required')
  const target = httpUrlIn(to, '--to')
  const speed = given.text('speed')
  const secret = secretIn(given.text('secret'))
  const factor = speed === undefined ? Number.POSITIVE_INFINITY : speedIn(speed)
  const events = await eventsOf(apiFor(given), callId)
  // One token per run, like the token of a webhook.
  const token = randomId()
  const printer = given.flag('json') ? silent : inText()
  printer.begin(callId, events.length, target, secret, token)
  const sent: Sent[] = []
  for await (const event of paced(events, factor)) {
    printer.event(event)
    const answer = await send(target, event, { secret, token, seq: sent.length + 1 })
    printer.answer(answer)
    sent.push({ id: event.id, event: event.event, answer })
  }
  if (sent.some(({ answer }) => !isAccepted(answer))) process.exitCode = 1
  return given.flag('json')
    ? { text: '', json: { call_id: Number(callId), signing_secret: secret, token, sent } }
    : undefined
}

/** The given secret, or a new one for this run. */
function secretIn(text: string | undefined): string {
  if (text === undefined) return newSigningSecret()
  if (!/^whsec_[A-Za-z0-9+/]{4,}={0,2}$/.test(text)) throw new UsageError('--secret must be a signing secret, whsec_…')
  return text
}

async function eventsOf(api: Api, callId: string): Promise<EventLogEntry[]> {
  const events: EventLogEntry[] = []
  for await (const event of eventsInLog(api, { callId })) events.push(event)
  if (events.length > 0) return events
  throw new CommandRefused(`the event log of ${api.base} contains no events of call ${callId}`)
}

/** Keeps the intervals of the log, which are whole seconds. */
async function* paced(events: readonly EventLogEntry[], speed: number): AsyncGenerator<EventLogEntry> {
  let before = events[0]?.timestamp ?? 0
  for (const event of events) {
    const waitMs = ((event.timestamp - before) * second) / speed
    if (waitMs > 0) await pause(waitMs)
    before = event.timestamp
    yield event
  }
}

interface Signing {
  secret: string
  token: string
  seq: number
}

function send(target: URL, event: EventLogEntry, { secret, token, seq }: Signing): Promise<ReceiverResponse> {
  const { event: name, resource, timestamp, data } = event
  const body = envelope({ name, resource, occurred_at: timestamp * second, data: JSON.stringify(data) }, token)
  const now = systemClock().machineNow()
  const signing = { messageId: `msg_${ulid(now)}`, eventId: event.id, seq, attempt: 1, kind: 'replay' }
  const keys = [signingKey(secret)]
  return forward(target, headersOf({ ...signing, keys, timestamp: Math.floor(now / second) }, body), body)
}

interface Printer {
  begin(callId: string, count: number, target: URL, secret: string, token: string): void
  /** Printed before the event is sent, so that a slow receiver is visible. */
  event(event: EventLogEntry): void
  answer(answer: ReceiverResponse): void
}

const silent: Printer = { begin() {}, event() {}, answer() {} }

function inText(): Printer {
  const colours = coloursFor(process.stdout)
  const clock = systemClock()
  const print = (text: string) => void process.stdout.write(text)
  return {
    begin(callId, count, target, secret, token) {
      print(`Sending ${count} events of call ${callId} to ${target.href}\n`)
      print(`Signing secret: ${secret}\nToken: ${token}\n`)
    },
    event: (event) => print(eventLine(asStreamedEvent(event), clock.now(), colours)),
    answer: (answer) => print(`  ${answerText(answer, colours)}\n`),
  }
}
