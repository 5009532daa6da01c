import { createEmbeddedSpeech } from '../../src/intelligence/embedded.ts'
import { systemClock } from '../../src/lib/clock.ts'
import { createLog } from '../../src/lib/log.ts'
import type { Spoken } from '../intelligence.ts'
import { milliseconds, print, type Row } from '../kit.ts'
import { startLoadGenerator } from '../voice/load-generator.ts'
import { measure } from '../voice/measure.ts'
import { startOurs } from '../voice/ours.ts'

const calls = 20

/** Twenty calls with and without continuous speech recognition, on the same cores. */
export async function callsBesideSpeech(spoken: Spoken): Promise<Row[]> {
  const alone = await underruns(async () => {})
  const beside = await underruns((isOver) => keepListening(spoken, isOver))
  print(`latest tick: ${milliseconds(alone.lagMs)} alone, ${milliseconds(beside.lagMs)} beside speech`)
  return [
    {
      row: `${calls} calls while speech is understood without a break: underruns`,
      figure: String(beside.underruns),
      baseline: `${alone.underruns} alone`,
      aim: { atMost: 0, of: beside.underruns, onClock: true },
    },
  ]
}

async function underruns(meanwhile: (isOver: () => boolean) => Promise<void>) {
  const load = startLoadGenerator()
  const carrier = await startOurs(calls)
  let isOver = false
  const work = meanwhile(() => isOver)
  let before = 0
  let worst = { underruns: 0, lagMs: 0 }
  await measure('ours', carrier, load, calls, {
    async from() {
      before = (await carrier.stats()).underruns
    },
    async until() {
      const { underruns: now, tickLagMs } = await carrier.stats()
      worst = { underruns: now - before, lagMs: tickLagMs.max }
    },
  })
  isOver = true
  await work
  await carrier.stop()
  await load.stop()
  return worst
}

async function keepListening({ modelsDir, sides }: Spoken, isOver: () => boolean): Promise<void> {
  const speech = createEmbeddedSpeech({ modelsDir, clock: systemClock(), log: createLog('error') })
  const engine = await speech.stt()
  const signal = new AbortController().signal
  const samples = sides[1].slice(0, 20 * 8_000)
  while (!isOver()) await engine?.transcribe({ samples, rate: 8_000 }, { language: 'en', signal })
  await speech.stop()
}
