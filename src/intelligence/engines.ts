import type { Ai } from '../services.ts'

/** The engines of this installation. */
export function createEngines(): Ai {
  const nobody = async () => undefined
  return { stt: nobody, llm: nobody, tts: nobody, listen: nobody, segments: async () => [] }
}
