import { type Static, Type } from 'typebox'
import type { Speaker } from '../../../domain/intelligence/transcript.ts'
import { nullable, oneOf } from '../../../http/schemas.ts'
import type { Call } from '../../calls/index.ts'
import type { LiveTranscript } from '../results/store.ts'

export type LiveUtterance = LiveTranscript['utterances'][number]

const who = {
  participant_type: oneOf(['internal', 'external']),
  user_id: Type.Optional(nullable(Type.Integer({ description: 'Internal only' }))),
  ai_voice_agent_id: Type.Optional(Type.String({ description: 'Set instead of user_id if an AI voice agent spoke' })),
}

export const EventUtterances = Type.Object({
  id: Type.String({ description: 'UUID of the call' }),
  call: Type.Object({
    id: Type.Integer(),
    uuid: Type.String(),
    number_id: Type.Integer(),
    direction: oneOf(['inbound', 'outbound']),
  }),
  utterances: Type.Array(
    Type.Object({
      ...who,
      timestamp: Type.Integer({ description: 'Start time in UNIX milliseconds' }),
      duration_ms: Type.Integer(),
      text: Type.String(),
      language: Type.String(),
    }),
  ),
})

export type UtteranceOf = Pick<Call, 'id' | 'uuid' | 'numberId' | 'direction'>

export function eventUtterances(
  { id, uuid, numberId, direction }: UtteranceOf,
  { at, ms, text, speaker }: LiveUtterance,
  language: string,
): Static<typeof EventUtterances> {
  return {
    id: uuid,
    call: { id, uuid, number_id: numberId, direction },
    utterances: [{ ...insider(speaker), timestamp: at, duration_ms: ms, text, language }],
  }
}

/** The event does not contain the number of external parties. */
function insider(speaker: Speaker) {
  if (speaker.side === 'external') return { participant_type: 'external' as const }
  if ('voiceAgentId' in speaker)
    return { participant_type: 'internal' as const, ai_voice_agent_id: speaker.voiceAgentId }
  return { participant_type: 'internal' as const, user_id: speaker.userId }
}

/** The form sent to open apps. */
export interface UtteranceShown {
  participant_type: 'internal' | 'external'
  user_id?: number | null
  ai_voice_agent_id?: string
  phone_number?: string
  text: string
  /** Start time in UNIX milliseconds. */
  at: number
}

export const utteranceShown = ({ at, text, speaker }: LiveUtterance): UtteranceShown => ({
  ...insider(speaker),
  ...(speaker.side === 'external' && { phone_number: speaker.phone }),
  text,
  at,
})
