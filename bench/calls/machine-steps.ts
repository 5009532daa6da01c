import type { CallInput } from '../../src/domain/call/events.ts'
import { step } from '../../src/domain/call/machine.ts'
import { inboundCall } from '../../src/domain/call/new-call.ts'
import { type CallState, isDone, type NumberFacts } from '../../src/domain/call/state.ts'
import { median } from '../kit.ts'

const people = [1, 2, 3, 4]
const by = 3

const number: NumberFacts = {
  id: 1,
  digits: '+33199000101',
  timeZone: 'Europe/Paris',
  recording: true,
  priority: null,
  ringSimultaneousMs: 30_000,
  ringOneByOneMs: 20_000,
  musicOnHold: null,
  flow: {
    version: 1,
    start: 'welcome',
    nodes: {
      welcome: { type: 'audio', media: null, branches: { next: 'ring' } },
      ring: {
        type: 'ring_to',
        targets: [{ type: 'team', id: 1 }],
        strategy: 'simultaneous',
        max_wait_seconds: 0,
        branches: { no_answer: 'bye' },
      },
      bye: { type: 'hang_up', media: null },
    },
  },
}

/** A welcome, four phones ring, one is picked up, hold and back, the end: what most calls are, without a store. */
const life: ((call: CallState) => CallInput)[] = [
  () => ({ kind: 'begin' }),
  ({ sound }) => ({ kind: 'play.ended', sound }),
  () => ({
    kind: 'agents.found',
    people: people.map((userId) => ({ userId, teamId: 1 })),
    considered,
    consultation: false,
  }),
  () => ({ kind: 'command', command: { kind: 'answer', by } }),
  () => ({ kind: 'agent.attached', userId: by, leg: 'agent' }),
  () => ({ kind: 'record.started', what: 'recording', recId: 'recording' }),
  () => ({ kind: 'command', command: { kind: 'hold', by } }),
  () => ({ kind: 'command', command: { kind: 'unhold', by } }),
  () => ({ kind: 'command', command: { kind: 'hang_up', by } }),
]

const considered = people.map((userId) => ({
  userId,
  availability: 'available' as const,
  reserved: false,
  sinceMs: 60_000,
  rung: true,
}))

/** Steps of the pure machine per second, one call after the other. */
export function machineSteps(rounds: number, callsPerRound: number): number {
  const begin = { key: '00000000-0000-4000-8000-000000000000', companyId: 1, callId: 1, at: 0 }
  const caller = { leg: 'caller', from: '+33199001234' }
  const measured = Array.from({ length: rounds }, () => {
    const started = performance.now()
    for (let n = 0; n < callsPerRound; n++) live(inboundCall(begin, number, caller))
    return (callsPerRound * life.length * 1_000) / (performance.now() - started)
  })
  return median(measured)
}

function live(born: CallState): void {
  let call = born
  let at = 0
  for (const happening of life) {
    at += 1_000
    const { state, refused } = step(call, { ...happening(call), at })
    if (refused !== undefined || state === call) throw new Error(`the call did not go on: ${refused}`)
    call = state
  }
  if (!isDone(call)) throw new Error('the call did not end')
}
