import type { CallHappening, Deed } from '../domain/call/events.ts'
import { think } from '../features/voice-agents/agents/llm.ts'
import { abortable } from '../lib/abortable.ts'
import { second } from '../lib/clock.ts'
import type { Services } from '../services.ts'
import type { Live } from './live.ts'

// What AI voice agents think where a language model does: beside the call, which goes on and may not want it any more.

interface Parts {
  services: Pick<Services, 'ai' | 'clock' | 'log'>
  tell(live: Live, happening: CallHappening): void
}

export interface AgentMinds {
  think(live: Live, deed: Extract<Deed, { kind: 'think' }>): void
  stop(live: Live): void
  /** Resolves when nobody thinks; true when somebody did. */
  settle(): Promise<boolean>
}

const maxSilence = 12 * second
const maxThought = 40 * second

export function createAgentMinds({ services: { ai, clock, log }, tell }: Parts): AgentMinds {
  const thinking = new Map<Live, AbortController>()
  const running = new Set<Promise<void>>()

  /** `begun`: it has something to say. */
  async function ponder(
    live: Live,
    { asked, part }: Extract<Deed, { kind: 'think' }>,
    signal: AbortSignal,
    begun: () => void,
  ) {
    const llm = await ai.llm(live.state.companyId, 'agent')
    if (!llm) throw new Error('there is no language model')
    const thoughts = abortable(think(llm, part, signal), signal)
    for (let next = await thoughts.next(); ; next = await thoughts.next()) {
      if (next.done) return tell(live, { kind: 'agent.thought', asked, ...next.value })
      begun()
      tell(live, { kind: 'agent.says', asked, text: next.value })
    }
  }

  return {
    think(live, deed) {
      thinking.get(live)?.abort(nobodyWaits)
      const control = new AbortController()
      thinking.set(live, control)
      const late = () => control.abort(new Error('the language model took too long'))
      const [first, whole] = [clock.machineAfter(maxSilence, late), clock.machineAfter(maxThought, late)]
      const done = ponder(live, deed, control.signal, first)
        .catch((error) => {
          if (error === nobodyWaits) return
          log.warn({ error, callId: live.state.callId }, 'an AI voice agent could not think')
          tell(live, { kind: 'agent.failed', what: 'mind', asked: deed.asked })
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
      thinking.get(live)?.abort(nobodyWaits)
      thinking.delete(live)
    },
    async settle() {
      const wasBusy = running.size > 0
      await Promise.all(running)
      return wasBusy
    },
  }
}

const nobodyWaits = Symbol('nobody waits for it')
