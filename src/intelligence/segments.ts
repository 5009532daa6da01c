import type { Segment } from '../domain/intelligence/engines.ts'
import { VoiceActivityDetector } from '../domain/speech/talk.ts'

/** Ten seconds of 8 kHz: small enough for a message, large enough to be few. */
const samplesAtOnce = 80_000

/** The segments with speech of a complete recording. */
export async function speechSegmentsOf(
  samples: Int16Array,
  likelihoods: (piece: Int16Array) => Promise<Float32Array>,
): Promise<Segment[]> {
  const talk = new VoiceActivityDetector()
  const facts = []
  for (let at = 0; at < samples.length; at += samplesAtOnce) {
    facts.push(...talk.process(await likelihoods(samples.subarray(at, at + samplesAtOnce))))
  }
  facts.push(...talk.end())
  return facts.flatMap((fact) => (fact.kind === 'segment' ? [{ startMs: fact.startMs, endMs: fact.endMs }] : []))
}
