import { envelope, headersOf } from '../features/integrations/webhooks/envelope.ts'
import { CommandRefused } from '../http/admin-socket.ts'
import { pause, second, systemClock } from '../lib/clock.ts'
import { randomId } from '../lib/secrets.ts'
import { ulid } from '../lib/ulid.ts'
import { newSigningSecret, signingKey } from '../lib/webhook-signature.ts'
import { type Api, apiDetails, apiFor, apiOptions, apiUsage } from './api.ts'
import { type Command, type Given, type Outcome, UsageError } from './command.ts'
import { answerText, coloursFor, eventLine } from './event-line.ts'
import { asTold, eventsInLog, type LoggedEvent } from './event-log.ts'
import { type Answer, forward, isAccepted } from './forward.ts'
import { httpUrlIn } from './http-url.ts'
import { speedIn } from './time-span.ts'

export const replayCommand: Command = {
  name: 'replay',
  usage: `CALL --to URL [--speed N] [--secret SECRET] ${apiUsage}`,
  summary: 'Send the events of a past call again, to any receiver',
  details:
    'CALL is the id of a call of the last 30 days. Each event is sent once, in order, as a webhook would get it, marked by\n' +
    'webhook-replay: true and signed with a secret that is printed, or with --secret, the one your receiver knows.\n' +
    '--speed 1 keeps the pauses between them, 10 makes them ten times shorter; without it there are none.\n' +
    `It ends with 1 when an event was not accepted.\n${apiDetails}`,
  options: { ...apiOptions, to: { type: 'string' }, speed: { type: 'string' }, secret: { type: 'string' } },
  words: [1, 1],
  run: replay,
}

type Sent = Pick<LoggedEvent, 'id' | 'event'> & { answer: Answer }

async function replay(given: Given): Promise<Outcome | undefined> {
  const [callId = ''] = given.words
  if (!/^[1-9]\d{0,18}$/.test(callId)) throw new UsageError('CALL must be the id of a call')
  const to = given.text('to')
  if (to === undefined) throw new UsageError('Say --to')
  const target = httpUrlIn(to, '--to')
  const speed = given.text('speed')
  const secret = secretIn(given.text('secret'))
  const factor = speed === undefined ? Number.POSITIVE_INFINITY : speedIn(speed)
  const events = await eventsOf(apiFor(given), callId)
  // One word for the whole run, as a webhook has one for all its life.
  const token = randomId()
  const say = given.flag('json') ? silent : inText()
  say.begin(callId, events.length, target, secret, token)
  const sent: Sent[] = []
  for await (const event of atTheirPace(events, factor)) {
    say.event(event)
    const answer = await send(target, event, { secret, token, seq: sent.length + 1 })
    say.answer(answer)
    sent.push({ id: event.id, event: event.event, answer })
  }
  if (sent.some(({ answer }) => !isAccepted(answer))) process.exitCode = 1
  return given.flag('json')
    ? { text: '', json: { call_id: Number(callId), signing_secret: secret, token, sent } }
    : undefined
}

/** One of the receiver's own, or a new one for this run. */
function secretIn(text: string | undefined): string {
  if (text === undefined) return newSigningSecret()
  if (!/^whsec_[A-Za-z0-9+/]{4,}={0,2}$/.test(text)) throw new UsageError('--secret must be a signing secret, whsec_…')
  return text
}

async function eventsOf(api: Api, callId: string): Promise<LoggedEvent[]> {
  const events: LoggedEvent[] = []
  for await (const event of eventsInLog(api, { callId })) events.push(event)
  if (events.length > 0) return events
  throw new CommandRefused(`the log of ${api.base} has no event of call ${callId}`)
}

/** With the pauses between them, which are whole seconds in the log. */
async function* atTheirPace(events: readonly LoggedEvent[], speed: number): AsyncGenerator<LoggedEvent> {
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

function send(target: URL, event: LoggedEvent, { secret, token, seq }: Signing): Promise<Answer> {
  const { event: name, resource, timestamp, data } = event
  const body = envelope({ name, resource, occurred_at: timestamp * second, data: JSON.stringify(data) }, token)
  const now = systemClock().machineNow()
  const signing = { messageId: `msg_${ulid(now)}`, eventId: event.id, seq, attempt: 1, kind: 'replay' }
  const keys = [signingKey(secret)]
  return forward(target, headersOf({ ...signing, keys, timestamp: Math.floor(now / second) }, body), body)
}

interface Voice {
  begin(callId: string, count: number, target: URL, secret: string, token: string): void
  /** Said before it is sent: a receiver that hangs is seen to hang. */
  event(event: LoggedEvent): void
  answer(answer: Answer): void
}

const silent: Voice = { begin() {}, event() {}, answer() {} }

function inText(): Voice {
  const colours = coloursFor(process.stdout)
  const clock = systemClock()
  const print = (text: string) => void process.stdout.write(text)
  return {
    begin(callId, count, target, secret, token) {
      print(`${count} events of call ${callId} go to ${target.href}\n`)
      print(`The signing secret of this run is ${secret}\nThe token in the events is ${token}\n`)
    },
    event: (event) => print(eventLine(asTold(event), clock.now(), colours)),
    answer: (answer) => print(`  ${answerText(answer, colours)}\n`),
  }
}
