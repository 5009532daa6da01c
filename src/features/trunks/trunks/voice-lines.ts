import type { RecognizedLine } from '../../../domain/intelligence/transcript.ts'
import type { Sidecar } from '../../../media/raw-recording.ts'

/** The lines of AI voice agents in a recording of real calls: they need no speech-to-text. */
export const voiceLines = ({ lines = [] }: Sidecar): RecognizedLine[] =>
  lines.map(({ speaker, ...line }) => ({ ...line, side: 'left', phone: null, voiceAgentId: speaker }))
