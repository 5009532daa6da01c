import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { deflateSync } from 'node:zlib'
import { type Language, languages } from '../domain/intelligence/engines.ts'
import { logMel, melBands } from '../media/mel.ts'
import { nextCache } from './moonshine.ts'
import type { WhisperResult, WhisperSegment } from './protocol.ts'
import { floatsOf, type ModelSession, type Runtime, type Tensor } from './runtime.ts'
import {
  firstTimestamp,
  noSpeechToken,
  precedingText,
  secondsOf,
  WhisperChoice,
  type WhisperNumbers,
} from './whisper-choice.ts'
import { promptOf, withoutEcho } from './whisper-hints.ts'
import { readVocabulary, type Vocabulary } from './whisper-vocabulary.ts'

const rate = 16_000
const tokensPerSecond = 8
const maxTokens = 220
/** A higher compression ratio means that the text repeats itself. */
const maxCompression = 2.4

export interface Whisper {
  /** At most 30 seconds at 16 kHz; the language is detected unless it is given. */
  transcribe(samples: Float32Array, options: WhisperOptions): Promise<WhisperResult>
}

interface WhisperOptions {
  language?: Language | undefined
  /** Names and terms that may be spoken. */
  hints?: readonly string[] | undefined
}

interface Parts {
  runtime: Runtime
  encoder: ModelSession
  decoder: ModelSession
  numbers: WhisperNumbers
  vocabulary: Vocabulary
  emptyCache: Record<string, Tensor>
}

export async function openWhisper(runtime: Runtime, modelsDir: string, size: 'base' | 'small'): Promise<Whisper> {
  const folder = `whisper-${size}`
  const json = async (name: string) => JSON.parse(await readFile(path.join(modelsDir, folder, name), 'utf8'))
  const { decoder_layers, decoder_attention_heads, d_model } = await json('config.json')
  const numbers: WhisperNumbers = await json('generation_config.json')
  const emptyCache: Record<string, Tensor> = {}
  const dims = [1, decoder_attention_heads, 0, d_model / decoder_attention_heads]
  for (let layer = 0; layer < decoder_layers; layer++) {
    for (const part of ['decoder.key', 'decoder.value', 'encoder.key', 'encoder.value']) {
      emptyCache[`past_key_values.${layer}.${part}`] = runtime.floats(new Float32Array(0), dims)
    }
  }
  const parts: Parts = {
    runtime,
    encoder: await runtime.open(`${folder}/encoder_model_quantized.onnx`),
    decoder: await runtime.open(`${folder}/decoder_model_merged_quantized.onnx`),
    numbers,
    vocabulary: readVocabulary(await json('vocab.json')),
    emptyCache,
  }
  return {
    async transcribe(samples, { language: given, hints = [] }) {
      const mel = runtime.floats(logMel(samples), [1, melBands, 3_000])
      const { last_hidden_state: hidden } = await parts.encoder.run({ input_features: mel })
      if (!hidden) throw new Error('unexpected output of the encoder')
      const language = given ?? (await languageIn(parts, hidden))
      const sound = { hidden, language, seconds: samples.length / rate }
      const plain = () => decode(parts, sound, [])
      const terms = promptOf(hints, parts.vocabulary)
      return terms.length === 0 ? plain() : withoutEcho(await decode(parts, sound, terms), hints, plain)
    },
  }
}

/** One of the six languages of the API. */
async function languageIn({ runtime, decoder, numbers, emptyCache }: Parts, hidden: Tensor): Promise<Language> {
  const out = await decoder.run({
    input_ids: runtime.integers([numbers.decoder_start_token_id], [1, 1]),
    encoder_hidden_states: hidden,
    use_cache_branch: runtime.flag(false),
    ...emptyCache,
  })
  const logits = floatsOf(out.logits)
  const likelihood = (language: Language) => logits[numbers.lang_to_id[`<|${language}|>`] ?? -1] ?? -Infinity
  return languages.reduce<Language>((best, one) => (likelihood(one) > likelihood(best) ? one : best), 'en')
}

interface EncodedSound {
  hidden: Tensor
  language: Language
  seconds: number
}

/** `terms`: tokens of a text that precedes the sound. */
async function decode(parts: Parts, sound: EncodedSound, terms: readonly number[]): Promise<WhisperResult> {
  const { runtime, decoder, numbers } = parts
  const { hidden, language, seconds } = sound
  const preceding = terms.length === 0 ? [] : [precedingText(numbers), ...terms]
  const prompt = [
    ...preceding,
    numbers.decoder_start_token_id,
    numbers.lang_to_id[`<|${language}|>`] ?? 0,
    numbers.task_to_id.transcribe,
  ]
  const choice = new WhisperChoice(numbers, seconds)
  const limit = Math.min(maxTokens, 8 + Math.ceil(seconds * tokensPerSecond))
  let cache = parts.emptyCache
  let asked = prompt
  let noSpeech = 0
  for (let round = 0; round < limit; round++) {
    const out = await decoder.run({
      input_ids: runtime.integers(asked, [1, asked.length]),
      encoder_hidden_states: hidden,
      use_cache_branch: runtime.flag(round > 0),
      ...cache,
    })
    const logits = floatsOf(out.logits)
    const width = logits.length / asked.length
    if (round === 0) {
      const start = preceding.length * width
      noSpeech = choice.shareOf(logits.subarray(start, start + width), noSpeechToken(numbers))
    }
    const token = choice.next(logits.subarray(logits.length - width))
    if (token === numbers.eos_token_id) break
    cache = nextCache(cache, out, round === 0)
    asked = [token]
  }
  const segments = segmentsOf(choice.tokens, numbers, parts.vocabulary, seconds)
  const text = segments.map((segment) => segment.text).join(' ')
  return { language, text, segments, noSpeech, confidence: choice.confidence, isLoop: repeatsItself(text) }
}

/** Timestamps surround the words of each segment; the end of the last one may be missing. */
function segmentsOf(
  tokens: readonly number[],
  numbers: WhisperNumbers,
  vocabulary: Vocabulary,
  end: number,
): WhisperSegment[] {
  const first = firstTimestamp(numbers)
  const found: WhisperSegment[] = []
  let start = 0
  let spoken: number[] = []
  const close = (at: number) => {
    const text = vocabulary.textOf(spoken).trim()
    if (text !== '') found.push({ start, end: Math.max(start, Math.min(at, end)), text })
    spoken = []
  }
  for (const token of tokens) {
    if (token < first) {
      spoken.push(token)
      continue
    }
    const at = secondsOf(token, numbers)
    if (spoken.length > 0) close(at)
    start = at
  }
  close(end)
  return found
}

function repeatsItself(text: string): boolean {
  const bytes = Buffer.from(text)
  return bytes.length > 40 && bytes.length / deflateSync(bytes).length > maxCompression
}
