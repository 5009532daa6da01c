import type { Ai } from '../services.ts'
import type { EmbeddedSpeech } from './embedded.ts'

/** The engines of this installation. */
export function createEngines({ embedded }: { embedded: EmbeddedSpeech }): Ai {
  const nobody = async () => undefined
  return {
    stt: () => embedded.stt(),
    llm: nobody,
    tts: nobody,
    segments: (samples) => embedded.segments(samples),
    async listen(_companyId, wish) {
      const engine = await embedded.stt()
      return engine && embedded.listen(engine, wish)
    },
    similarity: (texts, others) => embedded.similarity(texts, others),
  }
}
