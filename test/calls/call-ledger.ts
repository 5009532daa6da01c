import type { CallEventName, CallMachineEvent, Effect } from '../../src/domain/call/events.ts'
import type { Step } from '../../src/domain/call/machine.ts'
import { statusOf } from '../../src/domain/call/record.ts'
import { type CallState, isDone } from '../../src/domain/call/state.ts'
import type { Target } from '../../src/domain/flow/document.ts'

// Invariants of every call. A violated one is thrown with its name.

export interface Ledger {
  /** Users who are ringing, reserved for the call, or on it. */
  readonly rung: Set<number>
  readonly reserved: Set<number>
  readonly on: Set<number>
  queue: { targets: readonly Target[]; accepting: boolean } | null
  readonly published: (CallEventName | `agent ${string}`)[]
  see(before: CallState, event: CallMachineEvent, step: Step): void
  write(effect: Effect): void
  close(call: CallState): void
}

function must(holds: boolean, rule: string): asserts holds {
  if (!holds) throw new Error(rule)
}

/** As the customer has heard, or agreed to. */
function isAllowed({ number, record, recordingConsent }: CallState): boolean {
  const notice = number?.recordingNotice
  const isDue = notice && (record.direction === 'inbound' || notice.outbound)
  if (!isDue)
    return recordingConsent === undefined || recordingConsent === 'announced' || recordingConsent === 'consented'
  return recordingConsent === 'consented' || (notice.mode !== 'consent' && recordingConsent === 'announced')
}

const statuses = ['initial', 'answered', 'done']

export function openLedger(): Ledger {
  const ledger: Ledger = {
    rung: new Set(),
    reserved: new Set(),
    on: new Set(),
    queue: null,
    published: [],

    see(before, event, { state, effects, refused }) {
      if (refused !== undefined) {
        must(event.kind === 'command', 'only a command is refused')
        must(state === before && effects.length === 0, 'a refused command changes nothing')
      }
      if (isDone(before)) {
        must(state === before, 'a call that has ended never changes')
        must(
          effects.every(({ kind }) => completesPending.has(kind)),
          'after the end only pending effects complete',
        )
      }
      const [was, is] = [before.record, state.record]
      must(statuses.indexOf(statusOf(is)) >= statuses.indexOf(statusOf(was)), 'the status never goes back')
      must(was.answeredAt === null || is.answeredAt === was.answeredAt, 'a call is answered once')
      must(is.answeredAt === null || is.missedReason === null, 'an answered call was not missed')
      must(
        was.participants.every((party, index) => is.participants[index] === party),
        'participants stay, in their order',
      )
      must(
        is.endedAt === null || is.endedAt >= Math.max(is.startedAt, is.answeredAt ?? 0),
        'a call ends after it began',
      )
      if (effects.some((effect) => effect.kind === 'record' && effect.what === 'recording')) {
        must(isAllowed(state), 'nothing is recorded before the announcement, or against its result')
      }
      for (const [name, due] of Object.entries(state.timers)) {
        const isNew = !(name in before.timers) || due !== Object.entries(before.timers).find(([n]) => n === name)?.[1]
        must(!isNew || due >= event.at, `the timer ${name} is set in the past`)
      }
      if (!isDone(state)) return
      must(Object.keys(state.timers).length === 0, 'a call that has ended has no timers')
      must(state.agents.length === 0 && state.guests.length === 0, 'a call that has ended has no agents or guests')
      must(state.consultation === null, 'a call that has ended has no consultation')
      must(is.endedAt !== null && is.hangupCause !== null, 'a call that has ended has an end and a cause')
      must(is.direction !== 'inbound' || (is.missedReason === null) === (is.answeredAt !== null), 'missed has a reason')
    },

    write(effect) {
      const { rung, reserved, on, published } = ledger
      switch (effect.kind) {
        case 'publish':
          must(!published.includes('hungup'), `no event of the call follows hungup (${effect.event})`)
          must((published.length === 0) === (effect.event === 'created'), 'created is published first, and once')
          must(effect.event !== 'answered' || !published.includes('answered'), 'answered is published once')
          published.push(effect.event)
          return
        case 'voiceAgent': {
          const before = published.findLast((one) => one.startsWith('agent '))
          const [last] = [before?.slice('agent '.length)]
          must(followsIn(last, effect.event), `${effect.event} of an AI agent may not follow ${last ?? 'nothing'}`)
          must(published.includes('answered'), 'an AI agent talks only on an answered call')
          published.push(`agent ${effect.event}`)
          return
        }
        case 'ring.started':
          must(reserved.has(effect.userId), 'an agent is reserved before the ring')
          must(!rung.has(effect.userId), 'no agent is rung twice at once')
          must(!on.has(effect.userId), 'no agent on the call is rung')
          rung.add(effect.userId)
          return
        case 'ring.ended':
          must(rung.delete(effect.userId), 'a ring that has not begun does not end')
          reserved.delete(effect.userId)
          return
        case 'release':
          must(!rung.has(effect.userId), 'a ringing agent is not released')
          reserved.delete(effect.userId)
          return
        case 'joined':
          must(!on.has(effect.userId), 'no participant joins twice')
          on.add(effect.userId)
          return
        case 'left':
          must(on.delete(effect.userId), 'only a participant leaves')
          return
        case 'queue.enter':
          must(ledger.queue === null, 'a call enters the queue once')
          ledger.queue = { targets: effect.targets, accepting: true }
          return
        case 'queue.accepting':
          must(ledger.queue !== null, 'only a queued call accepts agents')
          ledger.queue = { ...ledger.queue, accepting: effect.accepting }
          return
        case 'queue.leave':
          ledger.queue = null
          return
        default:
          return
      }
    },

    close(call) {
      const { rung, reserved, on, published } = ledger
      must(isDone(call), 'every call ends')
      must(rung.size === 0, `every ring ends (${[...rung]})`)
      must(reserved.size === 0, `a call that has ended reserves no agent (${[...reserved]})`)
      must(on.size === 0, `every participant leaves (${[...on]})`)
      must(ledger.queue === null, 'an ended call holds no place in the queue')
      if (call.callId === null) must(published.length === 0, 'an internal call publishes no events')
      else
        must(
          published[0] === 'created' && published.includes('hungup'),
          'the events of a call begin with created and include hungup',
        )
      const lastOfAgent = published.findLast((one) => one.startsWith('agent '))
      must(lastOfAgent === undefined || lastOfAgent === 'agent summary', 'the last event of an AI agent is its summary')
    },
  }
  return ledger
}

/** started, [escalated], ended, summary; then another may start. */
function followsIn(last: string | undefined, next: string): boolean {
  switch (next) {
    case 'started':
      return last === undefined || last === 'summary'
    case 'escalated':
      return last === 'started'
    case 'ended':
      return last === 'started' || last === 'escalated'
    default:
      return last === 'ended'
  }
}

const completesPending = new Set<Effect['kind']>(['leg.hangup', 'record.stop', 'recording.save', 'release'])
