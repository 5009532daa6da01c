import type { CallInput } from '../domain/call/events.ts'
import type { Services } from '../services.ts'
import type { ActiveCall } from './active-call.ts'
import { createVoiceAgentLlm, type VoiceAgentLlm } from './voice-agent-llm.ts'
import { createVoiceAgentStt, type Heard, type VoiceAgentStt } from './voice-agent-stt.ts'
import { createVoiceAgentTts, type VoiceAgentTts } from './voice-agent-tts.ts'

/** Speech services of AI voice agents, where the driver delivers no text. */
export interface VoiceAgentSpeech {
  voices: VoiceAgentTts
  ears: VoiceAgentStt
  minds: VoiceAgentLlm
}

export function createVoiceAgentSpeech(
  services: Services,
  tell: (live: ActiveCall, input: CallInput) => void,
  heard: Heard,
): VoiceAgentSpeech {
  return {
    voices: createVoiceAgentTts({
      services,
      failed: (live) => tell(live, { kind: 'voiceAgent.failed', service: 'tts' }),
    }),
    ears: createVoiceAgentStt({ services, tell, heard }),
    minds: createVoiceAgentLlm({ services, tell }),
  }
}
