import { systemClock } from '../lib/clock.ts'
import { type Api, Refusal } from './api.ts'
import type { ClockFace } from './clock.ts'
import { coloursFor, eventLine } from './event-line.ts'
import { follow, type Told } from './event-stream.ts'
import { endWhenTold, lost } from './listen.ts'
import { printable } from './print.ts'

export interface Answerer {
  id: number
  name: string
}

interface Watching {
  api: Api
  about: { from: string; to: string; name: string }
  /** Places the call and gives its id. */
  place(): Promise<number>
  /** Who takes the call. */
  answerer: Answerer | undefined
  /** Not only until somebody has answered. */
  untilEnd: boolean
  asJson: boolean
}

/** Listens first and calls then, so nothing is missed. */
export async function watchCall({ api, about, place, answerer, untilEnd, asJson }: Watching): Promise<undefined> {
  const say = asJson ? inJson() : inText()
  let callId: number | undefined
  let hasAnswered = false
  endWhenTold()
  for await (const frame of follow(api, { events: 'call.*', after: undefined, sinceMs: undefined }, lost)) {
    if (frame.kind === 'hello') {
      if (callId !== undefined) continue
      callId = await place()
      say.begun(callId, about)
      if (await isFrozen(api)) say.note('The clock of the sandbox stands still: `hookswitch clock run` lets it run.')
      continue
    }
    const { event, data } = JSON.parse(frame.body)
    if (data.id !== callId) continue
    say.event(frame)
    if (event === 'call.ringing_on_agent' && data.user?.id === answerer?.id && answerer) {
      const refusal = await answer(api, answerer, data.id)
      if (refusal) say.note(refusal)
    }
    if (event === 'call.answered') hasAnswered ||= answerer === undefined || data.user?.id === answerer.id
    const isOver = event === 'call.ended' || (!untilEnd && (event === 'call.answered' || event === 'call.hungup'))
    if (isOver) break
  }
  if (!answerer || hasAnswered) return
  say.note(`${printable(answerer.name)} has not answered; GET /v1/calls/${callId}/trace tells why.`)
  process.exitCode = 1
}

async function isFrozen(api: Api): Promise<boolean> {
  return (await api.ask<ClockFace>('GET', '/sandbox/v1/clock')).mode === 'frozen'
}

/** Somebody else may be quicker. */
async function answer(api: Api, { id }: Answerer, callId: number): Promise<string | undefined> {
  try {
    await api.ask('POST', `/sandbox/v1/users/${id}/actions`, { action: 'answer', call_id: callId })
    return undefined
  } catch (error) {
    if (error instanceof Refusal && error.status === 400) return error.message
    throw error
  }
}

interface Voice {
  begun(callId: number, about: Watching['about']): void
  event(told: Told): void
  note(text: string): void
}

function inText(): Voice {
  const colours = coloursFor(process.stdout)
  const clock = systemClock()
  const print = (text: string) => void process.stdout.write(`${text}\n`)
  return {
    begun: (callId, { from, to, name }) => print(`Call ${callId}: ${from} calls ${to} (${printable(name)}).`),
    event: (told) => print(eventLine(told, clock.now(), colours)),
    note: print,
  }
}

function inJson(): Voice {
  const print = (value: unknown) => void process.stdout.write(`${JSON.stringify(value)}\n`)
  return {
    begun: (call_id, { from, to }) => print({ call_id, from, to }),
    event: ({ position, body }) => print({ position, ...JSON.parse(body) }),
    note: (text) => void process.stderr.write(`${text}\n`),
  }
}
