import type { Language, Segment, SpokenText, SttEngine } from '../../../domain/intelligence/engines.ts'
import { gapMs, type Pack, packed, type SegmentText, unpacked } from '../../../domain/speech/packing.ts'
import { hasTooFewWords, isRepetitive, plausibleText, repeatsNeighbour } from '../../../domain/speech/plausibility.ts'
import { outside, padded } from '../../../domain/speech/talk.ts'
import { reportedWords, type WordTimes, wordTimes } from '../../../domain/speech/word-times.ts'
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

export type SpokenSegment = Segment & { text: string; words?: WordTimes }

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
  const texts = new Map<number, SegmentText>()
  const maxMs = run.engine.hasTimestamps ? run.engine.maxSeconds * 1_000 : 0
  for (const pack of packed(sounds, maxMs)) {
    for (const [place, found] of await textsOfPack(pack, ask)) texts.set(place, found)
  }
  return segments.flatMap((segment, place) => {
    const found = texts.get(place)
    const text = plausibleText(found?.text ?? '', segment.endMs - segment.startMs)
    if (text === '') return []
    // The times of the words count from the start of the sound, which begins before the segment.
    const before = (segment.startMs - (sounds[place]?.startMs ?? segment.startMs)) / 1_000
    const span = { start: before, end: before + (segment.endMs - segment.startMs) / 1_000 }
    const words = found?.words && wordTimes(text, found.words, span)
    return [{ ...segment, text, ...(words && { words }) }]
  })
}

const textOf = (spoken: SpokenText): SegmentText => ({ text: spoken.text, words: reportedWords(spoken) })

async function textsOfPack(pack: Pack, ask: (pack: Pack) => Promise<SpokenText>): Promise<Map<number, SegmentText>> {
  const { pieces } = pack
  const spoken = await ask(pack)
  const [only] = pieces
  if (only && pieces.length === 1) return new Map([[only.place, textOf(spoken)]])
  const parts = unpacked(pack, spoken.segments ?? [])
  const texts = new Map<number, SegmentText>()
  const repeated = new Set<number>()
  const askAlone = async ({ segment, place }: Pack['pieces'][number]) => {
    texts.set(place, textOf(await ask(alone(segment, place))))
    repeated.add(place)
  }
  for (const piece of pieces) {
    const { segment, place } = piece
    const part = parts.get(place) ?? null
    // Text that spans several segments, is missing or repeats itself: the segment is transcribed on its own.
    const isReliable = part && !isRepetitive(part.text) && !hasTooFewWords(part.text, segment.endMs - segment.startMs)
    if (isReliable) texts.set(place, part)
    else await askAlone(piece)
  }
  const repeatedAt = (place: number) => (repeated.has(place) ? (texts.get(place)?.text ?? '') : '')
  for (const piece of pieces.filter(({ place }) => !repeated.has(place))) {
    const neighbours = { before: repeatedAt(piece.place - 1), after: repeatedAt(piece.place + 1) }
    // The words that the neighbour had lost are here.
    if (repeatsNeighbour(texts.get(piece.place)?.text ?? '', neighbours)) await askAlone(piece)
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
