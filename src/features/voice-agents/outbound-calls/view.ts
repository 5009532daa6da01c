import { type Static, Type } from 'typebox'
import { callOutcomes } from '../../../domain/ai-agent/campaign.ts'
import { nullable, oneOf, Timestamp } from '../../../http/schemas.ts'
import { isoSeconds, unixSeconds } from '../../../lib/time-format.ts'
import type { NewOutboundCall, OutboundAgentCall } from './store.ts'

const Status = oneOf(['PENDING', 'INITIATED', 'IN_PROGRESS', 'COMPLETED', 'FAILED'])
export const failureReasons = ['expired', 'agent_unavailable', 'refused', 'not_answered', 'opted_out'] as const
const FailureReason = oneOf(failureReasons, {
  description:
    'expired: the call could not start in time; agent_unavailable: the AI agent was deleted or deactivated; refused: the number ' +
    'may not be dialled, or no trunk was available; not_answered: the callee did not answer; opted_out: the number has opted out',
})

const Outcome = oneOf(callOutcomes, {
  description:
    'answered: by a person; voicemail: by a voicemail; no_answer, busy: the callee did not answer or was on another call; failed: the ' +
    'network could not complete the call; refused: the call was not placed; expired: it could not start in time',
})

const shared = {
  id: Type.String(),
  idempotency_key: Type.String(),
  status: Status,
  virtual_agent_id: Type.String(),
}

/** Response to the request that queues a call. */
export const QueuedCallView = Type.Object(shared)

export const OutboundCallView = Type.Object({
  ...shared,
  contact_phone: Type.String(),
  number_id: Type.Integer(),
  call_id: nullable(Type.Integer()),
  failure_reason: nullable(FailureReason),
  outcome: nullable(Outcome),
  campaign_id: nullable(Type.String({ description: 'Outbound campaign that placed the call' })),
  created_at: Timestamp,
  expires_at: Timestamp,
})

export const OutboundCallFailed = Type.Object({
  ...shared,
  number_id: Type.Integer(),
  call_id: nullable(Type.Integer()),
  failure_reason: nullable(FailureReason),
  created_at: Type.Integer({ description: 'UNIX seconds at which the call was requested' }),
})

export const queuedCallView = (call: NewOutboundCall): Static<typeof QueuedCallView> => ({
  id: call.id,
  idempotency_key: call.idempotencyKey,
  status: call.status,
  virtual_agent_id: call.agentId,
})

export const outboundCallView = (call: OutboundAgentCall): Static<typeof OutboundCallView> => ({
  ...queuedCallView(call),
  contact_phone: call.phone,
  number_id: call.numberId,
  call_id: call.callId,
  failure_reason: call.failureReason,
  outcome: call.outcome,
  campaign_id: call.campaignId ?? null,
  created_at: isoSeconds(call.createdAt),
  expires_at: isoSeconds(call.expiresAt),
})

export const outboundCallFailed = (call: OutboundAgentCall): Static<typeof OutboundCallFailed> => ({
  ...queuedCallView(call),
  number_id: call.numberId,
  call_id: call.callId,
  failure_reason: call.failureReason,
  created_at: unixSeconds(call.createdAt),
})
