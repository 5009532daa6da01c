import { type Tx, transaction } from '../db/database.ts'
import type { CompanyId } from '../db/tables.ts'
import type { HangupCause } from '../domain/call/record.ts'
import type { CallState, OutboundVoiceAgent } from '../domain/call/state.ts'
import { mayActFor } from '../features/accounts/companies/entitlements.ts'
import { lockCompany } from '../features/accounts/companies/store.ts'
import { publish } from '../features/publishing/index.ts'
import { findAgent } from '../features/voice-agents/agents/store.ts'
import { outboundCallEnded } from '../features/voice-agents/campaigns/progress.ts'
import { findCallOptOut } from '../features/voice-agents/opt-outs/store.ts'
import {
  expiredOutboundCalls,
  markCompleted,
  markFailed,
  type OutboundAgentCall,
  type OutboundFailure,
  openOutboundCalls,
  setOutboundStatus,
} from '../features/voice-agents/outbound-calls/store.ts'
import { enqueue } from '../jobs/queue.ts'
import { second } from '../lib/clock.ts'
import type { Services } from '../services.ts'
import { voiceAgentSetup } from './voice-agent-setup.ts'

// Outbound calls of AI voice agents: at most five at a time per company, one per Number, in order.

const maxConcurrent = 5

export interface VoiceAgentDial {
  numberId: number
  to: string
  outboundVoiceAgent: OutboundVoiceAgent
  /** Runs in the transaction that creates the call; returns why it must not start. */
  accept(tx: Tx): Promise<string | undefined>
}

interface Options {
  services: Services
  dial(companyId: CompanyId, call: VoiceAgentDial): Promise<boolean>
  /** Without the `calls` role: notifies the processes that have it. */
  handOn?(companyId: CompanyId): Promise<void>
}

/** Retried until a process with the `calls` role has taken it. */
const againMs = 5 * second

export function createVoiceAgentCalls({ services, dial, handOn }: Options) {
  const { db, clock } = services

  /** Starts all calls that may start now. */
  async function serve({ companyId }: { companyId: CompanyId }): Promise<void> {
    for (const id of await expiredOutboundCalls(db, companyId, clock.now())) await fail(companyId, id, 'expired')
    if (handOn) {
      const open = await openOutboundCalls(db, companyId)
      if (!open.some((call) => mayBegin(open, call, clock.now()))) return
      await handOn(companyId)
      return enqueue(db, 'agent_calls.serve', { companyId }, clock.now() + againMs, `agent-calls-again:${companyId}`)
    }
    let open = await openOutboundCalls(db, companyId)
    for (const call of open) {
      if (!mayBegin(open, call, clock.now())) continue
      await begin(companyId, call)
      open = await openOutboundCalls(db, companyId)
    }
  }

  async function begin(companyId: CompanyId, call: OutboundAgentCall): Promise<void> {
    const outboundVoiceAgent = await transaction(db, (tx) => outboundVoiceAgentOf(tx, companyId, call))
    if (!outboundVoiceAgent) return fail(companyId, call.id, 'agent_unavailable')
    const { numberId, phone: to } = call
    let isTaken = false
    let hasOptedOut = false
    const accept = async (tx: Tx) => {
      await lockCompany(tx, companyId)
      isTaken = !mayBegin(await openOutboundCalls(tx, companyId), call, clock.now())
      if (isTaken) return 'Another call is under way'
      hasOptedOut = (await findCallOptOut(tx, companyId, to)) !== undefined
      if (hasOptedOut) return 'The phone number has opted out'
      await setOutboundStatus(tx, companyId, call.id, 'INITIATED')
      return undefined
    }
    const isStarted = await dial(companyId, { numberId, to, outboundVoiceAgent, accept })
    if (!isStarted && !isTaken) await fail(companyId, call.id, hasOptedOut ? 'opted_out' : 'refused')
  }

  const fail = (companyId: CompanyId, id: string, reason: FailureReason) =>
    transaction(db, (tx) => {
      const outcome = reason === 'expired' ? 'expired' : 'refused'
      return failOutboundCall(services, tx, companyId, id, { reason, outcome, callId: null })
    })

  async function outboundVoiceAgentOf(
    tx: Tx,
    companyId: CompanyId,
    call: OutboundAgentCall,
  ): Promise<OutboundVoiceAgent | undefined> {
    const agent = await findAgent(tx, companyId, call.agentId)
    if (!agent?.active || !(await mayActFor(services, tx, companyId, 'ai-voice-agents'))) return undefined
    const placed = { direction: 'outbound' as const, phone: call.phone, context: call.context }
    return { id: call.id, ...(await voiceAgentSetup(services, tx, companyId, agent, placed)) }
  }

  return { serve }
}

/** Also false for a call that has started, ended or expired in the meantime. */
function mayBegin(
  open: readonly OutboundAgentCall[],
  { id, numberId, expiresAt }: OutboundAgentCall,
  at: number,
): boolean {
  if (expiresAt <= at) return false
  const going = open.filter(({ status }) => status !== 'PENDING')
  const waits = open.some((one) => one.id === id && one.status === 'PENDING')
  return waits && going.length < maxConcurrent && !going.some((one) => one.numberId === numberId)
}

/** A call of an agent has ended: the next one may start. */
export async function voiceAgentCallEnded(
  services: Services,
  tx: Tx,
  { companyId, outboundVoiceAgent, record }: CallState,
  { callId, at }: { callId: number; at: number },
): Promise<void> {
  if (!outboundVoiceAgent) return
  const { id, isVoicemail = false } = outboundVoiceAgent
  if (record.answeredAt !== null) {
    const outcome = isVoicemail ? 'voicemail' : 'answered'
    const call = await markCompleted(tx, companyId, id, { callId, outcome })
    if (call) await outboundCallEnded(services, tx, companyId, call, at)
  } else {
    const outcome = unansweredOutcome(record.hangupCause)
    await failOutboundCall(services, tx, companyId, id, { reason: 'not_answered', outcome, callId })
  }
  await enqueue(tx, 'agent_calls.serve', { companyId }, at, `agent-calls:${companyId}`)
}

function unansweredOutcome(cause: HangupCause | null): OutboundFailure['outcome'] {
  if (cause === 'user_busy' || cause === 'call_rejected') return 'busy'
  return cause === 'no_answer' || cause === 'normal_clearing' ? 'no_answer' : 'failed'
}

type FailureReason = OutboundFailure['reason']

async function failOutboundCall(
  services: Services,
  tx: Tx,
  companyId: CompanyId,
  id: string,
  failure: OutboundFailure,
): Promise<void> {
  const call = await markFailed(tx, companyId, id, failure)
  if (!call) return
  await publish(services, tx, companyId, [{ kind: 'outbound_call', event: 'failed', call }])
  await outboundCallEnded(services, tx, companyId, call, services.clock.now())
}
