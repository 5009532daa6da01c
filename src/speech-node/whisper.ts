import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { deflateSync } from 'node:zlib'
import { type Language, languages } from '../domain/intelligence/engines.ts'
import { logMel, melBands } from '../media/mel.ts'
import { nextCache } from './moonshine.ts'
import type { WhisperResult, WhisperSegment } from './protocol.ts'
import { floatsOf, type ModelSession, type Runtime, type Tensor } from './runtime.ts'
import { levelsOf, withoutPauses } from './speech-levels.ts'
import { type AlignmentHeads, frameSeconds, lastAttention } from './whisper-attention.ts'
import { beforeLoop, type DecoderState, type Hypothesis, searchBeams, type TokenEvidence } from './whisper-beams.ts'
import {
  firstTimestamp,
  noSpeechToken,
  precedingText,
  secondsOf,
  shareOf,
  WhisperChoice,
  type WhisperNumbers,
  WhisperRules,
} from './whisper-choice.ts'
import { promptOf, withoutEcho } from './whisper-hints.ts'
import { readVocabulary, type Vocabulary } from './whisper-vocabulary.ts'
import { type PlacedToken, placedTokens, wordsOfTokens } from './whisper-words.ts'

const rate = 16_000
const tokensPerSecond = 8
const maxTokens = 220
/** A higher compression ratio means that the text repeats itself. */
const maxCompression = 2.4

/**
 * Sequences of words that are followed together, in the languages in which a loop was measured to be decoded again
 * without harm; docs/decisions/0090. All others are decoded greedily.
 */
const beamsOf: Record<'base' | 'small', Partial<Record<Language, number>>> = {
  base: { fr: 1, de: 1, es: 3 },
  small: {},
}
/** A loop in a sound that is more likely than this to be no speech is not decoded again. */
const maxNoSpeechOfLoop = 0.3
/** What is decoded after a loop is a guess if its mean log probability is lower. */
const minConfidenceAfterLoop = -1.1

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
  heads: AlignmentHeads
  vocabulary: Vocabulary
  emptyCache: Record<string, Tensor>
  beams: Partial<Record<Language, number>>
}

export async function openWhisper(runtime: Runtime, modelsDir: string, size: 'base' | 'small'): Promise<Whisper> {
  const folder = `whisper-${size}`
  const json = async (name: string) => JSON.parse(await readFile(path.join(modelsDir, folder, name), 'utf8'))
  const { decoder_layers, decoder_attention_heads, d_model } = await json('config.json')
  const { alignment_heads: heads = [], ...numbers }: WhisperNumbers & { alignment_heads?: AlignmentHeads } =
    await json('generation_config.json')
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
    heads,
    vocabulary: readVocabulary(await json('vocab.json')),
    emptyCache,
    beams: beamsOf[size],
  }
  return {
    async transcribe(samples, { language: given, hints = [] }) {
      const mel = runtime.floats(logMel(samples), [1, melBands, 3_000])
      const { last_hidden_state: hidden } = await parts.encoder.run({ input_features: mel })
      if (!hidden) throw new Error('unexpected output of the encoder')
      const language = given ?? (await languageIn(parts, hidden))
      const sound = { hidden, language, seconds: samples.length / rate, levels: levelsOf(samples) }
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
  /** Of frames of 10 ms, in dB. */
  levels: Float32Array
}

/** `terms`: tokens of a text that precedes the sound. */
async function decode(parts: Parts, sound: EncodedSound, terms: readonly number[]): Promise<WhisperResult> {
  const { numbers, vocabulary } = parts
  const { language, seconds } = sound
  const opened = await openDecoder(parts, sound, terms)
  const limit = Math.min(maxTokens, 8 + Math.ceil(seconds * tokensPerSecond))
  const width = parts.beams[language]
  const found = width
    ? await withBeams(parts, { sound, terms, opened, limit, width })
    : await greedy(opened.state, new WhisperChoice(numbers, seconds), limit)
  const segments = segmentsOf(placedTokens(found), numbers, vocabulary, seconds).map((segment) =>
    segment.words ? { ...segment, words: withoutPauses(segment.words, sound.levels) } : segment,
  )
  const text = segments.map((segment) => segment.text).join(' ')
  const isLoop = found.isLoop || repeatsItself(text)
  return { language, text, segments, noSpeech: opened.noSpeech, confidence: found.confidence, isLoop }
}

interface Opened {
  state: DecoderState
  noSpeech: number
}

interface BeamDecoding {
  sound: EncodedSound
  terms: readonly number[]
  opened: Opened
  limit: number
  width: number
}

/** `given`: the first tokens of the result, which were decided before. */
async function openDecoder(
  parts: Parts,
  { hidden, language, seconds }: EncodedSound,
  terms: readonly number[],
  given: readonly number[] = [],
): Promise<Opened> {
  const { runtime, decoder, numbers, heads } = parts
  const frames = Math.ceil(seconds / frameSeconds)
  const preceding = terms.length === 0 ? [] : [precedingText(numbers), ...terms]
  const run = async (tokens: readonly number[], cache: Record<string, Tensor>, isFirst = false) => {
    const out = await decoder.run({
      input_ids: runtime.integers(tokens, [1, tokens.length]),
      encoder_hidden_states: hidden,
      use_cache_branch: runtime.flag(!isFirst),
      ...cache,
    })
    const logits = floatsOf(out.logits)
    const width = logits.length / tokens.length
    const next = nextCache(cache, out, isFirst)
    const state: DecoderState = {
      logits: logits.subarray(logits.length - width),
      attention: lastAttention(out, heads, frames),
      after: async (token) => (await run([token], next)).state,
    }
    return { logits, width, state }
  }
  const task = [numbers.lang_to_id[`<|${language}|>`] ?? 0, numbers.task_to_id.transcribe]
  const prompt = [...preceding, numbers.decoder_start_token_id, ...task, ...given]
  const { logits, width, state } = await run(prompt, parts.emptyCache, true)
  const start = preceding.length * width
  return { state, noSpeech: shareOf(logits.subarray(start, start + width), noSpeechToken(numbers)) }
}

async function greedy(first: DecoderState, choice: WhisperChoice, limit: number): Promise<Hypothesis> {
  let state = first
  const evidence: TokenEvidence[] = []
  for (let round = 1; ; round++) {
    const token = choice.next(state.logits)
    if (token === choice.end) break
    evidence.push({ logProbability: choice.lastLogProbability, attention: state.attention })
    if (round === limit) break
    state = await state.after(token)
  }
  return { tokens: choice.tokens, evidence, confidence: choice.confidence, isLoop: false }
}

/**
 * A loop in speech ends at its start: the utterances before it are kept, and the rest is decoded without repetitions; if
 * that is a guess, it is left out. A loop in noise is discarded, as is one after terms, which the caller decodes again
 * without them.
 */
async function withBeams(parts: Parts, { sound, terms, opened, limit, width }: BeamDecoding): Promise<Hypothesis> {
  const rules = new WhisperRules(parts.numbers, sound.seconds)
  const search = { rules, width, limit }
  const found = await searchBeams(opened.state, search)
  if (!found.isLoop || terms.length > 0 || opened.noSpeech > maxNoSpeechOfLoop) return found
  const tokens = beforeLoop(found.tokens, rules)
  const given = { tokens, evidence: found.evidence.slice(0, tokens.length) }
  const { state } = await openDecoder(parts, sound, terms, tokens)
  const rest = await searchBeams(state, { ...search, given, withoutRepetition: true })
  if (rest.confidence >= minConfidenceAfterLoop) return rest
  return { ...given, confidence: found.confidence, isLoop: tokens.length === 0 }
}

/** Timestamps surround the words of each segment; the end of the last one may be missing. */
function segmentsOf(
  tokens: readonly PlacedToken[],
  numbers: WhisperNumbers,
  vocabulary: Vocabulary,
  end: number,
): WhisperSegment[] {
  const first = firstTimestamp(numbers)
  const found: WhisperSegment[] = []
  let start = 0
  let spoken: PlacedToken[] = []
  const close = (at: number) => {
    const text = vocabulary.textOf(spoken.map(({ token }) => token)).trim()
    const words = wordsOfTokens(spoken, text, vocabulary)
    if (text !== '') found.push({ start, end: Math.max(start, Math.min(at, end)), text, ...(words && { words }) })
    spoken = []
  }
  for (const one of tokens) {
    if (one.token < first) {
      spoken.push(one)
      continue
    }
    const at = secondsOf(one.token, numbers)
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
