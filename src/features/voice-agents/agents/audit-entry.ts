import type { Caller } from '../../../http/caller.ts'
import { actorOf } from '../../accounts/index.ts'
import type { VoiceAgent } from './store.ts'

export const agentEntry = (caller: Caller, what: string, { id, name }: VoiceAgent, address: string) => ({
  actor: actorOf(caller),
  action: `ai_voice_agent.${what}`,
  target: `ai_voice_agent:${id}`,
  details: { name },
  address,
})
