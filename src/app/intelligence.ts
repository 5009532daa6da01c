import { createEmbeddedSpeech, type EmbeddedSpeech } from '../intelligence/embedded.ts'
import { createEngines } from '../intelligence/engines.ts'
import type { Services } from '../services.ts'
import type { AppContext } from './context.ts'
import type { Network } from './network.ts'
import type { ProcessPart } from './part.ts'

export interface Intelligence {
  ai: Services['ai']
  /** The local models. */
  speech: EmbeddedSpeech
  noticePart: ProcessPart
}

export function createIntelligence(context: AppContext, { trusted, outbound }: Network): Intelligence {
  const { config, overrides, db, clock, log, vault } = context
  const speech = createEmbeddedSpeech({ modelsDir: config.modelsDir, clock, log })
  const engines = createEngines({
    db,
    clock,
    log,
    vault,
    trusted,
    outbound,
    settings: config.engines,
    embedded: speech,
  })
  return {
    ai: { ...engines, ...overrides.ai },
    speech,
    noticePart: {
      name: 'notice of missing models',
      async start() {
        if (config.removedSettings.length > 0)
          log.warn(
            { event: 'config.removed_settings', settings: config.removedSettings },
            'settings are ignored: AI agents use the speech-to-text, LLM and text-to-speech engines',
          )
        if (!config.roles.worker || config.engines.stt.line.kind !== 'embedded' || (await speech.stt())) return
        log.info(
          { event: 'stt.models_missing', folder: config.modelsDir },
          'transcription is disabled: download the models with `hookswitch models fetch`',
        )
      },
    },
  }
}
