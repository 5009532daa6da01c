import { systemClock } from '../lib/clock.ts'
import { type Api, apiDetails, apiFor, apiOptions, apiUsage } from './api.ts'
import { type Command, type Given, UsageError } from './command.ts'
import { answerText, coloursFor, eventLine } from './event-line.ts'
import { follow, type Hello, type Told } from './event-stream.ts'
import { type Answer, forward } from './forward.ts'
import { httpUrlIn } from './http-url.ts'
import { spanIn } from './time-span.ts'

export const listenCommand: Command = {
  name: 'listen',
  usage: `[--events NAME,…] [--forward-to URL] [--after POSITION | --replay-since 1h] ${apiUsage}`,
  summary: 'Show events live, and send them to a program on your own machine',
  details:
    '--events takes names and patterns such as call.*; none means all. With --forward-to each event is sent on as a\n' +
    'webhook would get it, one after the other, signed with a secret that is printed and stays the same until it ends.\n' +
    `With --json every event is one line. Ctrl+C ends it.\n${apiDetails}`,
  options: {
    ...apiOptions,
    events: { type: 'string' },
    'forward-to': { type: 'string' },
    after: { type: 'string' },
    'replay-since': { type: 'string' },
  },
  run: listen,
}

interface Wish {
  events: string | undefined
  target: URL | undefined
  after: number | undefined
  sinceMs: number | undefined
}

const clock = systemClock()

async function listen(given: Given): Promise<undefined> {
  const wish = wishIn(given)
  const api = apiFor(given)
  const say = given.flag('json') ? inJson() : inText(api, wish)
  endWhenTold()
  for await (const frame of follow(api, wish, lost)) {
    if (frame.kind === 'hello') {
      say.hello(frame)
      continue
    }
    say.event(frame)
    say.answer(frame, wish.target && (await forward(wish.target, frame.headers, frame.body)))
  }
}

function wishIn(given: Given): Wish {
  const [after, since, target] = [given.text('after'), given.text('replay-since'), given.text('forward-to')]
  if (after !== undefined && since !== undefined) throw new UsageError('Say either --after or --replay-since')
  if (after !== undefined && !/^\d{1,15}$/.test(after)) throw new UsageError('--after must be a position of the log')
  return {
    events: given.text('events'),
    target: target === undefined ? undefined : httpUrlIn(target, '--forward-to'),
    after: after === undefined ? undefined : Number(after),
    sinceMs: since === undefined ? undefined : spanIn(since, '--replay-since'),
  }
}

/** Nothing is kept here, so there is nothing to tidy up: Ctrl+C, and `listen | head`. */
export function endWhenTold() {
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(0))
  process.stdout.once('error', () => process.exit(0))
}

export const lost = (why: string) => void process.stderr.write(`No connection: ${why}. Trying again.\n`)

interface Voice {
  hello(hello: Hello): void
  /** Said before it is forwarded: a receiver that hangs is seen to hang. */
  event(told: Told): void
  answer(told: Told, answer: Answer | undefined): void
}

function inText(api: Api, { events, target }: Wish): Voice {
  const colours = coloursFor(process.stdout)
  const print = (text: string) => void process.stdout.write(text)
  let connections = 0
  return {
    hello({ signing_secret: secret, position }) {
      connections++
      if (connections > 1) {
        print(`Connected again; going on after position ${position}.\n`)
        return
      }
      print(`Listening to ${events ?? 'all events'} of ${api.base}, after position ${position}. Ctrl+C ends it.\n`)
      print(`The signing secret of this session is ${secret}\n`)
      if (target) print(`Every event is forwarded to ${target.href}\n`)
    },
    event: (told) => print(eventLine(told, clock.now(), colours)),
    answer: (_told, answer) => print(`${answer ? `  ${answerText(answer, colours)}` : ''}\n`),
  }
}

function inJson(): Voice {
  const print = (value: unknown) => void process.stdout.write(`${JSON.stringify(value)}\n`)
  return {
    hello: ({ kind: _kind, ...listener }) => print({ listener }),
    event() {},
    answer: ({ kind: _kind, ...told }, answer) => print({ ...told, ...(answer && { answer }) }),
  }
}
