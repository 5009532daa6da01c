import type { HeardLine } from '../../../domain/intelligence/transcript.ts'
import type { Sidecar } from '../../../media/raw-recording.ts'

/** What AI voice agents said in a recording of real people: nobody has to listen to know it. */
export const voiceLines = ({ lines = [] }: Sidecar): HeardLine[] =>
  lines.map(({ speaker, ...line }) => ({ ...line, side: 'left', phone: null, voiceAgentId: speaker }))
