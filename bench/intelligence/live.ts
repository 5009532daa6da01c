import { createEmbeddedSpeech } from '../../src/intelligence/embedded.ts'
import { pause, systemClock } from '../../src/lib/clock.ts'
import { createLog } from '../../src/lib/log.ts'
import type { Spoken } from '../intelligence.ts'
import { milliseconds, print, quantile, type Row } from '../kit.ts'

const calls = 4
const pieceMs = 100

/** Both sides of four calls in real time: delay from the last sample of an utterance to its text. */
export async function liveLag({ modelsDir, sides, placed }: Spoken): Promise<Row[]> {
  const clock = systemClock()
  const speech = createEmbeddedSpeech({ modelsDir, clock, log: createLog('error') })
  const engine = await speech.stt()
  if (!engine) return []
  const lags: number[] = []
  const lost: string[] = []
  let startedAt = 0
  // The streams are offset, so that they do not speak at the same time.
  const delays = Array.from({ length: calls }, (_, call) => call * 1_300)
  const transcribers = await Promise.all(
    delays.flatMap((delayMs) =>
      sides.map(async (samples) => {
        const transcriber = await speech.listen(engine, {
          language: 'en',
          hangoverMs: 500,
          onUtterance: ({ endMs }) => void lags.push(clock.steadyNow() - startedAt - delayMs - endMs),
          onLost: (why) => void lost.push(why),
        })
        if (!transcriber) throw new Error('no live transcription')
        return { transcriber, samples, delayMs }
      }),
    ),
  )
  // The models are loaded before the first word.
  const silence = { samples: new Int16Array(8_000), rate: 8_000 as const }
  await engine.transcribe(silence, { language: 'en', urgent: true, signal: new AbortController().signal })
  startedAt = clock.steadyNow()
  const length = sides[0].length / 8
  for (let at = 0; at < length + (delays.at(-1) ?? 0); at += pieceMs) {
    await pause(Math.max(0, startedAt + at + pieceMs - clock.steadyNow()))
    for (const { transcriber, samples, delayMs } of transcribers) {
      const from = (at - delayMs) * 8
      if (from >= 0 && from < samples.length) transcriber.write(samples.slice(from, from + pieceMs * 8))
    }
  }
  await Promise.all(transcribers.map(({ transcriber }) => transcriber.end()))
  await speech.stop()
  const p50 = quantile(lags, 0.5)
  print(
    `${lags.length} of ${calls * placed.length} utterances transcribed, ${lost.length} transcribers lost, p95 ${milliseconds(quantile(lags, 0.95))}`,
  )
  return [
    {
      row: `${calls} calls at once: end of an utterance until its words are there, p50 (500 ms of it is silence)`,
      figure: milliseconds(p50),
      aim: { atMost: 1_500, of: p50, onClock: true },
    },
  ]
}
