import type { CallHappening } from '../domain/call/events.ts'
import type { Services } from '../services.ts'
import { type AgentEars, createAgentEars, type Heard } from './agent-ears.ts'
import { type AgentMinds, createAgentMinds } from './agent-minds.ts'
import { type AgentVoices, createAgentVoices } from './agent-voice.ts'
import type { Live } from './live.ts'

/** What AI voice agents speak, hear and think with, where the line does not bring words. */
export interface AgentOrgans {
  voices: AgentVoices
  ears: AgentEars
  minds: AgentMinds
}

export function createAgentOrgans(
  services: Services,
  tell: (live: Live, happening: CallHappening) => void,
  heard: Heard,
): AgentOrgans {
  return {
    voices: createAgentVoices({ services, failed: (live) => tell(live, { kind: 'agent.failed', what: 'mouth' }) }),
    ears: createAgentEars({ services, tell, heard }),
    minds: createAgentMinds({ services, tell }),
  }
}
