import { type AgentPlan, type EscalationTarget, scriptedMode } from '../../src/domain/ai-agent/plan.ts'
import type { VoiceAgentSetup } from '../../src/domain/call/voice-agent-session.ts'

// AI agents of the model office by id; the last one does not exist.

export const agentIds = ['to a branch', 'to a user', 'to a team', 'outside', 'free', 'nobody']

const targets: Record<string, EscalationTarget> = {
  'to a branch': { type: 'branch' },
  'to a user': { type: 'user', id: 1 },
  'to a team': { type: 'team', id: 10 },
  outside: { type: 'external', number: '+33199001111' },
  free: { type: 'branch' },
}

export function agentReady(id: string): VoiceAgentSetup | undefined {
  const target = targets[id]
  if (!target) return undefined
  const plan: AgentPlan = {
    id,
    name: id,
    language: 'en',
    voice: null,
    firstMessage: 'Hello',
    goodbyeMessage: null,
    questions: [
      { key: 'reason', ask: 'Why?', kind: 'text', options: [], confirm: false },
      { key: 'order', ask: 'Which?', kind: 'number', options: [], confirm: false },
    ],
    intents: [{ name: 'nothing', phrases: ['never mind'], reply: null, next: 'end' }],
    escalation: { phrases: [], afterMisunderstandings: 1, target },
    maxSeconds: 60,
    ...scriptedMode,
    brain: id === 'free' ? 'llm' : 'flow',
  }
  return { session: `session of ${id}`, plan, firstUserId: 1 }
}
