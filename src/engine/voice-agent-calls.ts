import { type Tx, transaction } from '../db/database.ts'
import type { CompanyId } from '../db/tables.ts'
import type { OutboundVoiceAgent } from '../domain/call/state.ts'
import { lockCompany } from '../features/accounts/companies/store.ts'
import { publish } from '../features/publishing/index.ts'
import { findAgent } from '../features/voice-agents/agents/store.ts'
import {
  expiredOutboundCalls,
  markFailed,
  type OutboundAgentCall,
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
      if (!open.some((call) => mayBegin(open, call))) return
      await handOn(companyId)
      return enqueue(db, 'agent_calls.serve', { companyId }, clock.now() + againMs, `agent-calls-again:${companyId}`)
    }
    for (const call of await openOutboundCalls(db, companyId)) {
      if (call.status === 'PENDING' && mayBegin(await openOutboundCalls(db, companyId), call))
        await begin(companyId, call)
    }
  }

  async function begin(companyId: CompanyId, call: OutboundAgentCall): Promise<void> {
    const outboundVoiceAgent = await transaction(db, (tx) => outboundVoiceAgentOf(tx, companyId, call))
    if (!outboundVoiceAgent) return fail(companyId, call.id, 'agent_unavailable')
    const { numberId, phone: to } = call
    let isTaken = false
    const accept = async (tx: Tx) => {
      await lockCompany(tx, companyId)
      isTaken = !mayBegin(await openOutboundCalls(tx, companyId), call)
      if (isTaken) return 'Another call is under way'
      await setOutboundStatus(tx, companyId, call.id, 'INITIATED')
      return undefined
    }
    const isStarted = await dial(companyId, { numberId, to, outboundVoiceAgent, accept })
    if (!isStarted && !isTaken) await fail(companyId, call.id, 'refused')
  }

  const fail = (companyId: CompanyId, id: string, reason: FailureReason) =>
    transaction(db, (tx) => failOutboundCall(services, tx, companyId, { id, reason, callId: null }))

  async function outboundVoiceAgentOf(
    tx: Tx,
    companyId: CompanyId,
    call: OutboundAgentCall,
  ): Promise<OutboundVoiceAgent | undefined> {
    const agent = await findAgent(tx, companyId, call.agentId)
    if (!agent?.active) return undefined
    return { id: call.id, ...(await voiceAgentSetup(services, tx, companyId, agent, call.context)) }
  }

  return { serve }
}

/** Also false for a call that has started or ended in the meantime. */
function mayBegin(open: readonly OutboundAgentCall[], { id, numberId }: OutboundAgentCall): boolean {
  const going = open.filter(({ status }) => status !== 'PENDING')
  const waits = open.some((one) => one.id === id && one.status === 'PENDING')
  return waits && going.length < maxConcurrent && !going.some((one) => one.numberId === numberId)
}

/** A call of an agent has ended: the next one may start. */
export async function voiceAgentCallEnded(
  services: Services,
  tx: Tx,
  companyId: CompanyId,
  { id, callId, answered, at }: { id: string; callId: number; answered: boolean; at: number },
): Promise<void> {
  if (answered) await setOutboundStatus(tx, companyId, id, 'COMPLETED', callId)
  else await failOutboundCall(services, tx, companyId, { id, reason: 'not_answered', callId })
  await enqueue(tx, 'agent_calls.serve', { companyId }, at, `agent-calls:${companyId}`)
}

type FailureReason = NonNullable<OutboundAgentCall['failureReason']>

async function failOutboundCall(
  services: Services,
  tx: Tx,
  companyId: CompanyId,
  { id, reason, callId }: { id: string; reason: FailureReason; callId: number | null },
): Promise<void> {
  const call = await markFailed(tx, companyId, id, reason, callId)
  if (call) await publish(services, tx, companyId, [{ kind: 'outbound_call', event: 'failed', call }])
}
