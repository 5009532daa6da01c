import type { CallerIdVerification } from '../caller-id.ts'
import { newRecord } from './record.ts'
import {
  type CallState,
  emptyWaitingRoom,
  type NumberFacts,
  type OutboundVoiceAgent,
  type Ring,
  type Speech,
} from './state.ts'

interface Beginning {
  key: string
  companyId: number
  callId: number | null
  at: number
  line?: CallState['line']
  speech?: Speech
}

/** Simulated parties exchange text. */
const words: Speech = { talks: true, thinks: false }

const state = (
  { key, companyId, callId, line = 'simulated', speech = words }: Beginning,
  rest: Pick<CallState, 'record' | 'number' | 'phase'>,
): CallState => ({
  key,
  companyId,
  callId,
  line,
  speech,
  timers: {},
  customer: { leg: null, open: false },
  agents: [],
  supervisors: [],
  dialogs: {},
  guests: [],
  voiceAgent: null,
  escalated: false,
  outboundVoiceAgent: null,
  consultation: null,
  waiting: emptyWaitingRoom,
  callback: null,
  ringNode: null,
  recording: { kind: 'off' },
  seen: { ringStep: false, agentRung: false, otherwise: false },
  entered: 0,
  passes: 0,
  sound: 0,
  notes: [],
  cards: [],
  ...rest,
})

/** A call from outside to a Number; its flow decides how it continues. */
export function inboundCall(
  begin: Beginning,
  number: NumberFacts,
  { leg, from, callerId }: { leg: string; from: string; callerId?: CallerIdVerification },
): CallState {
  const record = { ...newRecord('inbound', begin.at), numberId: number.id, external: from }
  const made = state(begin, { record, number, phase: { kind: 'widget', node: '', activity: { kind: 'moving' } } })
  return { ...made, customer: { leg, open: false, ...(callerId && { callerId }) } }
}

/** A user calls an external number. */
export function outboundCall(
  begin: Beginning,
  number: NumberFacts,
  { userId, to, callbackOf = null }: { userId: number; to: string; callbackOf?: number | null },
): CallState {
  const record = { ...newRecord('outbound', begin.at), numberId: number.id, external: to, userId, callbackOf }
  return state(begin, { record, number, phase: { kind: 'dialling' } })
}

/** An AI voice agent calls an external number. */
export function voiceAgentCall(
  begin: Beginning,
  number: NumberFacts,
  { to, outboundVoiceAgent }: { to: string; outboundVoiceAgent: OutboundVoiceAgent },
): CallState {
  const record = { ...newRecord('outbound', begin.at), numberId: number.id, external: to }
  return { ...state(begin, { record, number, phase: { kind: 'dialling' } }), outboundVoiceAgent }
}

/** A user calls another user: no events are published. */
export function internalCall(
  begin: Omit<Beginning, 'callId'>,
  { userId, to }: { userId: number; to: number },
): CallState {
  const record = { ...newRecord('outbound', begin.at), userId }
  const ring: Ring = {
    purpose: 'internal',
    node: null,
    targets: [{ type: 'user', id: to }],
    strategy: 'simultaneous',
    ringMs: 30_000,
    deadline: null,
    enteredAt: begin.at,
    rung: [],
    except: [],
    tried: {},
  }
  return state({ ...begin, callId: null }, { record, number: null, phase: { kind: 'ringing', ring } })
}
