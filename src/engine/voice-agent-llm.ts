import type { CallInput, DriverCommand } from '../domain/call/events.ts'
import { toolRunner } from '../features/voice-agents/agents/http-tools.ts'
import { think } from '../features/voice-agents/agents/llm.ts'
import { knowledgeSearch } from '../features/voice-agents/knowledge/search.ts'
import { abortable } from '../lib/abortable.ts'
import { second } from '../lib/clock.ts'
import type { Services } from '../services.ts'
import type { ActiveCall } from './active-call.ts'

// LLM requests of AI voice agents: they run concurrently with the call, which may cancel them.

interface Options {
  services: Pick<Services, 'ai' | 'clock' | 'db' | 'log' | 'outbound' | 'vault'>
  notify(live: ActiveCall, input: CallInput): void
}

export interface VoiceAgentLlm {
  think(live: ActiveCall, command: Extract<DriverCommand, { kind: 'llm.request' }>): void
  stop(live: ActiveCall): void
  /** Resolves when no request is pending; true when one was. */
  settle(): Promise<boolean>
}

const firstSentenceTimeoutMs = 12 * second
const responseTimeoutMs = 40 * second

export function createVoiceAgentLlm({ services, notify }: Options): VoiceAgentLlm {
  const { ai, clock, log } = services
  const thinking = new Map<ActiveCall, AbortController>()
  const running = new Set<Promise<void>>()

  /** `started` is called with the first sentence. */
  async function request(
    live: ActiveCall,
    { requestId, voiceAgent }: Extract<DriverCommand, { kind: 'llm.request' }>,
    signal: AbortSignal,
    started: () => void,
  ) {
    const llm = await ai.llm(live.state.companyId, 'agent', { agentId: voiceAgent.plan.id })
    if (!llm) throw new Error('no language model is configured')
    const { companyId, record } = live.state
    const phone = voiceAgent.plan.call ? voiceAgent.plan.call.phone : record.external
    const runner = toolRunner(services, { companyId, agentId: voiceAgent.plan.id, phone })
    const search = knowledgeSearch(services, companyId)
    const thoughts = abortable(think(llm, voiceAgent, { now: clock.now(), runner, search, signal }), signal)
    for (let next = await thoughts.next(); ; next = await thoughts.next()) {
      if (next.done) return notify(live, { kind: 'llm.done', requestId, ...next.value })
      started()
      notify(live, { kind: 'llm.sentence', requestId, text: next.value })
    }
  }

  return {
    think(live, command) {
      thinking.get(live)?.abort(cancelled)
      const control = new AbortController()
      thinking.set(live, control)
      const late = () => control.abort(new Error('LLM request timed out'))
      const [first, whole] = [
        clock.machineAfter(firstSentenceTimeoutMs, late),
        clock.machineAfter(responseTimeoutMs, late),
      ]
      const done = request(live, command, control.signal, first)
        .catch((error) => {
          if (error === cancelled) return
          log.warn({ event: 'voice_agent.llm_failed', callId: live.state.callId, error }, 'LLM request failed')
          notify(live, { kind: 'voiceAgent.failed', service: 'llm', requestId: command.requestId })
        })
        .finally(() => {
          first()
          whole()
          if (thinking.get(live) === control) thinking.delete(live)
          running.delete(done)
        })
      running.add(done)
    },
    stop(live) {
      thinking.get(live)?.abort(cancelled)
      thinking.delete(live)
    },
    async settle() {
      const wasBusy = running.size > 0
      await Promise.all(running)
      return wasBusy
    },
  }
}

const cancelled = Symbol('request cancelled')
