import type { CallInput } from '../domain/call/events.ts'
import type { Services } from '../services.ts'
import type { ActiveCall } from './active-call.ts'
import { createVoiceAgentContext, type VoiceAgentContext } from './voice-agent-context.ts'
import { createVoiceAgentLlm, type VoiceAgentLlm } from './voice-agent-llm.ts'
import { createVoiceAgentStt, type UtteranceHandler, type VoiceAgentStt } from './voice-agent-stt.ts'
import { createVoiceAgentTts, type VoiceAgentTts } from './voice-agent-tts.ts'

/** Speech services of AI voice agents, where the driver delivers no text. */
export interface VoiceAgentSpeech {
  tts: VoiceAgentTts
  stt: VoiceAgentStt
  llm: VoiceAgentLlm
  context: VoiceAgentContext
}

export function createVoiceAgentSpeech(
  services: Services,
  notify: (live: ActiveCall, input: CallInput) => void,
  forwardUtterance: UtteranceHandler,
): VoiceAgentSpeech {
  return {
    tts: createVoiceAgentTts({
      services,
      failed: (live) => notify(live, { kind: 'voiceAgent.failed', service: 'tts' }),
    }),
    stt: createVoiceAgentStt({ services, notify, forwardUtterance }),
    llm: createVoiceAgentLlm({ services, notify }),
    context: createVoiceAgentContext({ services, notify }),
  }
}
