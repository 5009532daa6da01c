import { systemClock } from '../lib/clock.ts'
import { type Api, apiDetails, apiFor, apiOptions, apiUsage } from './api.ts'
import { type Command, type CommandArguments, UsageError } from './command.ts'
import { answerText, coloursFor, eventLine } from './event-line.ts'
import { follow, type Hello, type StreamedEvent } from './event-stream.ts'
import { forward, type ReceiverResponse } from './forward.ts'
import { httpUrlIn } from './http-url.ts'
import { spanIn } from './time-span.ts'

export const listenCommand: Command = {
  name: 'listen',
  usage: `[--events NAME,…] [--forward-to URL] [--after POSITION | --replay-since 1h] ${apiUsage}`,
  summary: 'Print events live and forward them to a program on your machine',
  details:
    '--events accepts names and patterns such as call.*; the default is all events. With --forward-to each event is sent\n' +
    'like a webhook delivery, one at a time, signed with the printed secret, which is valid until the command ends.\n' +
    `With --json every event is printed on one line. Stop with Ctrl+C.\n${apiDetails}`,
  options: {
    ...apiOptions,
    events: { type: 'string' },
    'forward-to': { type: 'string' },
    after: { type: 'string' },
    'replay-since': { type: 'string' },
  },
  run: listen,
}

interface ListenOptions {
  events: string | undefined
  target: URL | undefined
  after: number | undefined
  sinceMs: number | undefined
}

const clock = systemClock()

async function listen(given: CommandArguments): Promise<undefined> {
  const options = optionsIn(given)
  const api = apiFor(given)
  const printer = given.flag('json') ? inJson() : inText(api, options)
  exitOnSignal()
  for await (const frame of follow(api, options, lost)) {
    if (frame.kind === 'hello') {
      printer.hello(frame)
      continue
    }
    printer.event(frame)
    printer.answer(frame, options.target && (await forward(options.target, frame.headers, frame.body)))
  }
}

function optionsIn(given: CommandArguments): ListenOptions {
  const [after, since, target] = [given.text('after'), given.text('replay-since'), given.text('forward-to')]
  if (after !== undefined && since !== undefined) throw new UsageError('Use either --after or --replay-since')
  if (after !== undefined && !/^\d{1,15}$/.test(after))
    throw new UsageError('--after must be a position of the event log')
  return {
    events: given.text('events'),
    target: target === undefined ? undefined : httpUrlIn(target, '--forward-to'),
    after: after === undefined ? undefined : Number(after),
    sinceMs: since === undefined ? undefined : spanIn(since, '--replay-since'),
  }
}

/** Exits on Ctrl+C, and when the output is closed (`listen | head`). */
export function exitOnSignal() {
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(0))
  process.stdout.once('error', () => process.exit(0))
}

export const lost = (why: string) => void process.stderr.write(`Connection lost: ${why}. Reconnecting.\n`)

interface Printer {
  hello(hello: Hello): void
  /** Printed before the event is forwarded, so that a slow receiver is visible. */
  event(event: StreamedEvent): void
  answer(event: StreamedEvent, answer: ReceiverResponse | undefined): void
}

function inText(api: Api, { events, target }: ListenOptions): Printer {
  const colours = coloursFor(process.stdout)
  const print = (text: string) => void process.stdout.write(text)
  let connections = 0
  return {
    hello({ signing_secret: secret, position }) {
      connections++
      if (connections > 1) {
        print(`Reconnected; continuing after position ${position}.\n`)
        return
      }
      print(`Listening to ${events ?? 'all events'} of ${api.base}, after position ${position}. Stop with Ctrl+C.\n`)
      print(`Signing secret: ${secret}\n`)
      if (target) print(`Forwarding to ${target.href}\n`)
    },
    event: (event) => print(eventLine(event, clock.now(), colours)),
    answer: (_event, answer) => print(`${answer ? `  ${answerText(answer, colours)}` : ''}\n`),
  }
}

function inJson(): Printer {
  const print = (value: unknown) => void process.stdout.write(`${JSON.stringify(value)}\n`)
  return {
    hello: ({ kind: _kind, ...listener }) => print({ listener }),
    event() {},
    answer: ({ kind: _kind, ...event }, answer) => print({ ...event, ...(answer && { answer }) }),
  }
}
