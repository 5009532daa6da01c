import { greet } from '../../../domain/ai-agent/dialog.ts'
import { type AgentPlan, scriptedMode } from '../../../domain/ai-agent/plan.ts'
import { hour, minute, second } from '../../../lib/clock.ts'
import { sampleIds } from '../../publishing/index.ts'
import type { OutboundAgentCall } from '../outbound-calls/store.ts'
import type { AgentMoment } from './view.ts'

// A fictional AI voice agent for the samples of its events.

const plan: AgentPlan = {
  id: '01JZ0Q3V9X5R8M2K7T4N6P1C0A',
  name: 'Robin',
  language: 'en',
  voice: null,
  firstMessage: 'Hello, this is Robin.',
  goodbyeMessage: null,
  questions: [{ key: 'order_number', ask: 'What is your order number?', kind: 'number', options: [], confirm: false }],
  intents: [],
  escalation: { phrases: [], afterMisunderstandings: 3, target: { type: 'branch' } },
  maxSeconds: 600,
  ...scriptedMode,
}

export function exampleMoment(at: number): AgentMoment {
  return {
    callId: sampleIds.call,
    uuid: sampleIds.callUuid,
    external: sampleIds.callerPhone,
    ownNumber: '+14155550132',
    at,
    part: {
      session: '01JZ0Q4A7B8C9D0E1F2G3H4J5K',
      plan,
      firstUserId: null,
      node: 'robin',
      numberId: sampleIds.number,
      startedAt: at - minute,
      endedAt: at - second,
      endReason: 'escalated',
      escalation: { reason: 'The caller asked for a person', target: { type: 'branch', destination: 'support' } },
      talk: { ...greet(plan).talk, answers: { order_number: 4729 } },
      next: null,
      llm: { requestId: 0, isPending: false, queue: [], after: null },
      failed: false,
      patienceMs: 600,
      keys: '',
      turns: [],
    },
  }
}

export function exampleOutboundCall(at: number): OutboundAgentCall {
  return {
    id: '01JZ0Q5M3N4P5Q6R7S8T9V0W1X',
    idempotencyKey: 'visit-4729',
    agentId: plan.id,
    numberId: sampleIds.number,
    phone: '+14155550187',
    context: {},
    status: 'FAILED',
    failureReason: 'expired',
    outcome: 'expired',
    campaignId: null,
    recipientId: null,
    callId: null,
    expiresAt: at,
    createdAt: at - hour,
  }
}
