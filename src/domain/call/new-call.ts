import { blankRecord } from './record.ts'
import { type AgentErrand, type CallState, type NumberFacts, type Ring, type Speech, silentRoom } from './state.ts'

interface Beginning {
  key: string
  companyId: number
  callId: number | null
  at: number
  line?: CallState['line']
  speech?: Speech
}

/** Synthetic people say and hear words. */
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
  agent: null,
  escalated: false,
  errand: null,
  aside: null,
  waiting: silentRoom,
  callback: null,
  ringNode: null,
  recording: { is: 'off' },
  seen: { ringStep: false, agentRung: false, otherwise: false },
  entered: 0,
  passes: 0,
  sound: 0,
  notes: [],
  cards: [],
  ...rest,
})

/** Somebody outside calls a Number; what happens is up to its flow. */
export function inboundCall(begin: Beginning, number: NumberFacts, caller: { leg: string; from: string }): CallState {
  const record = { ...blankRecord('inbound', begin.at), numberId: number.id, external: caller.from }
  const made = state(begin, { record, number, phase: { at: 'widget', node: '', doing: { is: 'moving' } } })
  return { ...made, customer: { leg: caller.leg, open: false } }
}

/** One of ours calls somebody outside. */
export function outboundCall(
  begin: Beginning,
  number: NumberFacts,
  { userId, to, callbackOf = null }: { userId: number; to: string; callbackOf?: number | null },
): CallState {
  const record = { ...blankRecord('outbound', begin.at), numberId: number.id, external: to, userId, callbackOf }
  return state(begin, { record, number, phase: { at: 'dialling' } })
}

/** An AI voice agent calls somebody outside. */
export function agentCall(
  begin: Beginning,
  number: NumberFacts,
  { to, errand }: { to: string; errand: AgentErrand },
): CallState {
  const record = { ...blankRecord('outbound', begin.at), numberId: number.id, external: to }
  return { ...state(begin, { record, number, phase: { at: 'dialling' } }), errand }
}

/** One of ours calls another: the world hears nothing of it. */
export function internalCall(
  begin: Omit<Beginning, 'callId'>,
  { userId, to }: { userId: number; to: number },
): CallState {
  const record = { ...blankRecord('outbound', begin.at), userId }
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
  return state({ ...begin, callId: null }, { record, number: null, phase: { at: 'ringing', ring } })
}
