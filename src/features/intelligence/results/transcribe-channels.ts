import type { Language, Segment, SpokenText, SttEngine } from '../../../domain/intelligence/engines.ts'
import { gapMs, type Pack, packed, unpacked } from '../../../domain/speech/packing.ts'
import { hasTooFewWords, isRepetitive, plausibleText, repeatsNeighbour } from '../../../domain/speech/plausibility.ts'
import { outside, padded } from '../../../domain/speech/talk.ts'
import type { Ai } from '../../../services.ts'

export interface SpeechToTextRun {
  ai: Pick<Ai, 'segments'>
  engine: SttEngine
  /** Throws when the process is stopping. */
  throwIfStopped(): void
}

/** One channel of a recording, 8 kHz. */
export interface CallChannel {
  samples: Int16Array
  /** Segments to skip: known lines and hold times. */
  cuts: readonly Segment[]
}

export type SpokenSegment = Segment & { text: string }

const samplesPerMs = 8
const padMs = 200

/** Transcribes the speech segments of every channel. Detects the language if none is given. */
export async function transcribeChannels(
  run: SpeechToTextRun,
  sides: readonly CallChannel[],
  given: Language | undefined,
): Promise<{ language: Language; sides: SpokenSegment[][] }> {
  const found = []
  for (const side of sides) {
    run.throwIfStopped()
    found.push({ ...side, segments: outside(await run.ai.segments(side.samples), side.cuts) })
  }
  const language = given ?? (await detectLanguage(run, found))
  const said: SpokenSegment[][] = []
  for (const { samples, segments } of found) said.push(await transcribeSegments(run, samples, segments, language))
  return { language, sides: said }
}

async function transcribeSegments(
  run: SpeechToTextRun,
  samples: Int16Array,
  segments: readonly Segment[],
  language: Language,
): Promise<SpokenSegment[]> {
  const sounds = padded(segments, padMs, samples.length / samplesPerMs)
  const ask = (pack: Pack) => transcribe(run, samples, pack, language)
  const texts = new Map<number, string>()
  const maxMs = run.engine.hasTimestamps ? run.engine.maxSeconds * 1_000 : 0
  for (const pack of packed(sounds, maxMs)) {
    for (const [place, text] of await textsOfPack(pack, ask)) texts.set(place, text)
  }
  return segments.flatMap((segment, place) => {
    const text = plausibleText(texts.get(place) ?? '', segment.endMs - segment.startMs)
    return text === '' ? [] : [{ ...segment, text }]
  })
}

async function textsOfPack(pack: Pack, ask: (pack: Pack) => Promise<SpokenText>): Promise<Map<number, string>> {
  const { pieces } = pack
  const { text, segments = [] } = await ask(pack)
  const [only] = pieces
  if (only && pieces.length === 1) return new Map([[only.place, text]])
  const parts = unpacked(pack, segments)
  const texts = new Map<number, string>()
  const repeated = new Set<number>()
  const askAlone = async ({ segment, place }: Pack['pieces'][number]) => {
    texts.set(place, (await ask(alone(segment, place))).text)
    repeated.add(place)
  }
  for (const piece of pieces) {
    const { segment, place } = piece
    const part = parts.get(place) ?? null
    // Text that spans several segments, is missing or repeats itself: the segment is transcribed on its own.
    const isUnreliable = part === null || isRepetitive(part) || hasTooFewWords(part, segment.endMs - segment.startMs)
    if (isUnreliable) await askAlone(piece)
    else texts.set(place, part)
  }
  const repeatedAt = (place: number) => (repeated.has(place) ? (texts.get(place) ?? '') : '')
  for (const piece of pieces.filter(({ place }) => !repeated.has(place))) {
    const neighbours = { before: repeatedAt(piece.place - 1), after: repeatedAt(piece.place + 1) }
    // The words that the neighbour had lost are here.
    if (repeatsNeighbour(texts.get(piece.place) ?? '', neighbours)) await askAlone(piece)
  }
  return texts
}

const alone = (segment: Segment, place: number): Pack => ({
  pieces: [{ segment, place, atMs: 0 }],
  ms: segment.endMs - segment.startMs,
})

async function transcribe(
  { engine, throwIfStopped: goOn }: SpeechToTextRun,
  samples: Int16Array,
  pack: Pack,
  language?: Language,
) {
  goOn()
  const sound = { samples: packedSamples(samples, pack), rate: 8_000 as const }
  return engine.transcribe(sound, { ...(language && { language }), signal: new AbortController().signal })
}

function packedSamples(samples: Int16Array, { pieces, ms }: Pack): Int16Array {
  const sound = new Int16Array((ms + gapMs) * samplesPerMs)
  for (const { segment, atMs } of pieces) {
    sound.set(samples.subarray(segment.startMs * samplesPerMs, segment.endMs * samplesPerMs), atMs * samplesPerMs)
  }
  return sound.subarray(0, ms * samplesPerMs)
}

const languageSampleCount = 3

/** Majority vote of the engine over the longest segments. */
async function detectLanguage(
  run: SpeechToTextRun,
  sides: readonly { samples: Int16Array; segments: readonly Segment[] }[],
): Promise<Language> {
  const { engine } = run
  const [only, ...more] = engine.languages === 'any' ? [] : engine.languages
  if (only && more.length === 0) return only
  const longest = sides
    .flatMap(({ samples, segments }) => segments.map((segment) => ({ samples, segment })))
    .toSorted((a, b) => b.segment.endMs - b.segment.startMs - (a.segment.endMs - a.segment.startMs))
    .slice(0, languageSampleCount)
  const votes = new Map<Language, number>()
  for (const { samples, segment } of longest) {
    const { language } = await transcribe(run, samples, alone(segment, 0))
    if (language) votes.set(language, (votes.get(language) ?? 0) + 1)
  }
  return [...votes].toSorted((a, b) => b[1] - a[1])[0]?.[0] ?? 'en'
}
