import type { CallInput, DriverCommand } from '../domain/call/events.ts'
import { fetchContext } from '../features/voice-agents/agents/fetch-context.ts'
import type { Services } from '../services.ts'
import type { ActiveCall } from './active-call.ts'

// Requests for data about the caller, before an AI voice agent greets. The call waits for them; they never reject.

interface Options {
  services: Pick<Services, 'clock' | 'log' | 'outbound' | 'vault'>
  notify(live: ActiveCall, input: CallInput): void
}

export interface VoiceAgentContext {
  request(live: ActiveCall, command: Extract<DriverCommand, { kind: 'voiceAgent.fetchContext' }>): void
  /** Resolves when no request is pending; true when one was. */
  settle(): Promise<boolean>
}

export function createVoiceAgentContext({ services, notify }: Options): VoiceAgentContext {
  const running = new Set<Promise<void>>()
  return {
    request(live, { voiceAgent: { session, plan } }) {
      const { companyId, record } = live.state
      const phone = plan.call ? plan.call.phone : record.external
      const facts = { companyId, phone, direction: record.direction, contact: plan.call?.contact ?? null }
      const done = fetchContext(services, plan, facts)
        .then((context) => notify(live, { kind: 'voiceAgent.context', session, context }))
        .finally(() => running.delete(done))
      running.add(done)
    },
    async settle() {
      const wasBusy = running.size > 0
      await Promise.all(running)
      return wasBusy
    },
  }
}
