import { systemClock } from '../lib/clock.ts'
import { type Api, RequestRefused } from './api.ts'
import type { ClockResponse } from './clock.ts'
import { coloursFor, eventLine } from './event-line.ts'
import { follow, type StreamedEvent } from './event-stream.ts'
import { exitOnSignal, lost } from './listen.ts'
import { printable } from './print.ts'

export interface Answerer {
  id: number
  name: string
}

interface Watching {
  api: Api
  about: { from: string; to: string; name: string }
  /** Places the call and returns its id. */
  place(): Promise<number>
  /** The user who answers the call. */
  answerer: Answerer | undefined
  /** Watch until the end of the call instead of until it is answered. */
  untilEnd: boolean
  asJson: boolean
}

/** Opens the event stream before placing the call, so that no event is missed. */
export async function watchCall({ api, about, place, answerer, untilEnd, asJson }: Watching): Promise<undefined> {
  const printer = asJson ? inJson() : inText()
  let callId: number | undefined
  let hasAnswered = false
  exitOnSignal()
  for await (const frame of follow(api, { events: 'call.*', after: undefined, sinceMs: undefined }, lost)) {
    if (frame.kind === 'hello') {
      if (callId !== undefined) continue
      callId = await place()
      printer.started(callId, about)
      if (await isFrozen(api)) printer.note('The clock of the sandbox is frozen: run `hookswitch clock run`.')
      continue
    }
    const { event, data } = JSON.parse(frame.body)
    if (data.id !== callId) continue
    printer.event(frame)
    if (event === 'call.ringing_on_agent' && data.user?.id === answerer?.id && answerer) {
      const refusal = await answer(api, answerer, data.id)
      if (refusal) printer.note(refusal)
    }
    if (event === 'call.answered') hasAnswered ||= answerer === undefined || data.user?.id === answerer.id
    const isOver = event === 'call.ended' || (!untilEnd && (event === 'call.answered' || event === 'call.hungup'))
    if (isOver) break
  }
  if (!answerer || hasAnswered) return
  printer.note(`${printable(answerer.name)} did not answer; see GET /v1/calls/${callId}/trace.`)
  process.exitCode = 1
}

async function isFrozen(api: Api): Promise<boolean> {
  return (await api.ask<ClockResponse>('GET', '/sandbox/v1/clock')).mode === 'frozen'
}

/** Another agent may have answered first. */
async function answer(api: Api, { id }: Answerer, callId: number): Promise<string | undefined> {
  try {
    await api.ask('POST', `/sandbox/v1/users/${id}/actions`, { action: 'answer', call_id: callId })
    return undefined
  } catch (error) {
    if (error instanceof RequestRefused && error.status === 400) return error.message
    throw error
  }
}

interface Printer {
  started(callId: number, about: Watching['about']): void
  event(event: StreamedEvent): void
  note(text: string): void
}

function inText(): Printer {
  const colours = coloursFor(process.stdout)
  const clock = systemClock()
  const print = (text: string) => void process.stdout.write(`${text}\n`)
  return {
    started: (callId, { from, to, name }) => print(`Call ${callId}: ${from} calls ${to} (${printable(name)}).`),
    event: (event) => print(eventLine(event, clock.now(), colours)),
    note: print,
  }
}

function inJson(): Printer {
  const print = (value: unknown) => void process.stdout.write(`${JSON.stringify(value)}\n`)
  return {
    started: (call_id, { from, to }) => print({ call_id, from, to }),
    event: ({ position, body }) => print({ position, ...JSON.parse(body) }),
    note: (text) => void process.stderr.write(`${text}\n`),
  }
}
