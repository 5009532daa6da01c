import { expect, test } from 'vitest'
import { scriptedMode } from '../ai-agent/plan.ts'
import { outboundCall } from './new-call.ts'
import type { CallPhase, CallState, NumberFacts } from './state.ts'
import { fromStored, toStored } from './stored-state.ts'
import { newVoiceAgentSession } from './voice-agent-session.ts'

const number: NumberFacts = {
  ...{ id: 3, digits: '+33199000001', timeZone: 'Etc/UTC', recording: true, priority: null, musicOnHold: null },
  ...{ ringSimultaneousMs: 30_000, ringOneByOneMs: 20_000, flow: { version: 1, start: 'bye', nodes: {} } },
}
const plan = {
  ...{ id: 'robin', name: 'Robin', language: 'en' as const, voice: null, firstMessage: null, goodbyeMessage: null },
  ...{ questions: [], intents: [], maxSeconds: 60, ...scriptedMode },
  escalation: { phrases: [], afterMisunderstandings: 1, target: { type: 'branch' as const } },
}
const begin = { key: '0a1b2c3d-0000-4000-8000-00000000002a', companyId: 1, callId: 7, at: 0 }
const call = outboundCall(begin, number, { userId: 1, to: '+33612345678' })
const turn = { call, at: 0, effects: [], next: null }
const voiceAgent = {
  ...newVoiceAgentSession(turn, { session: 'session', plan, firstUserId: null }, null),
  next: { kind: 'more' as const },
  llm: { requestId: 2, requestedAt: 5_000, isPending: true, queue: ['Yes.'], after: { kind: 'listen' as const } },
}

const restored = (state: CallState) => fromStored(JSON.parse(JSON.stringify(toStored(state))))

test.each<CallPhase>([
  { kind: 'widget', node: 'box', activity: { kind: 'voicemail', recId: 'rec' } },
  { kind: 'dialling', progress: 'tone' },
  { kind: 'talking', held: true },
  { kind: 'voiceAgent' },
  { kind: 'forwarded', phone: '+33699000001', leg: 'leg', joined: true, node: null },
  { kind: 'done' },
])('a stored call in the phase $kind is restored', (phase) => {
  const state: CallState = { ...call, phase, voiceAgent, recording: { kind: 'paused', recId: 'rec', waits: true } }

  expect(restored(state)).toEqual(JSON.parse(JSON.stringify(state)))
})

test('the stored form is that of earlier releases', () => {
  const state: CallState = {
    ...call,
    voiceAgent,
    phase: { kind: 'widget', node: 'box', activity: { kind: 'voicemail', recId: null } },
    recording: { kind: 'on', recId: 'rec' },
  }

  const stored = toStored(state)

  expect(stored).toMatchObject({
    phase: { at: 'widget', node: 'box', doing: { is: 'voicemail', recId: null } },
    recording: { is: 'on', recId: 'rec' },
    aside: null,
    errand: null,
    agent: { next: { is: 'more' }, mind: { asked: 2, thinks: true, queue: ['Yes.'], after: { is: 'listen' } } },
  })
  expect(toStored({ ...call, phase: { kind: 'voiceAgent' } }).phase).toEqual({ at: 'agent' })
  const forwarded: CallPhase = { kind: 'forwarded', phone: '+33699000001', leg: null, joined: false, node: 'fwd' }
  expect(toStored({ ...call, phase: forwarded }).phase).toMatchObject({ at: 'passed', phone: '+33699000001' })
})
