import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { piecesFromScript, textOfPieces } from './pieces.ts'
import { floatsOf, highest, type Runtime, type Tensor } from './runtime.ts'

const layers = 6
const heads = 8
const headSize = 36
const start = 1
const end = 2
const tokensPerSecond = 6.5
const rate = 16_000

export interface Moonshine {
  /** English; 16 kHz, from -1 to 1. */
  transcribe(samples: Float32Array): Promise<string>
}

export async function openMoonshine(runtime: Runtime, modelsDir: string): Promise<Moonshine> {
  const encoder = await runtime.open('moonshine/encoder_model.onnx')
  const decoder = await runtime.open('moonshine/decoder_model_merged.onnx')
  const pieces = piecesFromScript(await readFile(path.join(modelsDir, 'moonshine', 'moonshine.min.js'), 'latin1'))
  return {
    async transcribe(samples) {
      const limit = Math.ceil((samples.length / rate) * tokensPerSecond)
      const encoded = await encoder.run({ input_values: runtime.floats(samples, [1, samples.length]) })
      const hidden = encoded.last_hidden_state
      if (!hidden) throw new Error('unexpected output of the encoder')
      let cache = emptyCache(runtime)
      const tokens: number[] = []
      for (let last = start; tokens.length < limit; ) {
        const isFirst = tokens.length === 0
        const out = await decoder.run({
          input_ids: runtime.integers([last], [1, 1]),
          encoder_hidden_states: hidden,
          use_cache_branch: runtime.flag(!isFirst),
          ...cache,
        })
        last = highest(floatsOf(out.logits))
        if (last === end) break
        tokens.push(last)
        cache = nextCache(cache, out, isFirst)
      }
      return textOfPieces(tokens, pieces)
    },
  }
}

type Cache = Record<string, Tensor>

function emptyCache(runtime: Runtime): Cache {
  const cache: Cache = {}
  for (let layer = 0; layer < layers; layer++) {
    for (const part of ['decoder.key', 'decoder.value', 'encoder.key', 'encoder.value']) {
      cache[`past_key_values.${layer}.${part}`] = runtime.floats(new Float32Array(0), [0, heads, 1, headSize])
    }
  }
  return cache
}

/** The encoder part of the cache is valid only in the output of the first step. */
export function nextCache(cache: Cache, out: Record<string, Tensor>, isFirst: boolean): Cache {
  return Object.fromEntries(
    Object.entries(cache).map(([name, before]) => {
      const isKept = !isFirst && name.includes('.encoder.')
      const now = isKept ? before : out[name.replace('past_key_values', 'present')]
      return [name, now ?? before]
    }),
  )
}
