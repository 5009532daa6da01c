import { expect, test } from 'vitest'
import { noise, silence } from '../../test/kit/spoken.ts'
import type { LiveTranscriptionOptions, SttEngine } from '../domain/intelligence/engines.ts'
import { systemClock } from '../lib/clock.ts'
import { EnergyVad } from '../media/energy-vad.ts'
import { createLiveTranscriber } from './live-transcriber.ts'

type Answer = { seconds: number; answer(text: string): void; fail(): void }

/** A transcriber with voice activity detection by level, an engine answered by the test, and a manual clock. */
function listening(more: Partial<LiveTranscriptionOptions> = {}, stream?: SttEngine['stream']) {
  const questions: Answer[] = []
  const engine: SttEngine = {
    id: 'test',
    languages: 'any',
    maxSeconds: 30,
    hasTimestamps: false,
    transcribe: ({ samples }) =>
      new Promise((resolve, reject) => {
        questions.push({
          seconds: samples.length / 8_000,
          answer: (text) => resolve({ text }),
          fail: () => reject(new Error('the engine is away')),
        })
      }),
    ...(stream && { stream }),
  }
  const watch = { now: 0 }
  const utterances: string[] = []
  const reports: string[] = []
  const energy = new EnergyVad()
  const transcriber = createLiveTranscriber(
    {
      clock: { ...systemClock(), steadyNow: () => watch.now },
      likelihoods: async (samples) => energy.detect(samples),
      forget: () => void reports.push('forgotten'),
      engine,
    },
    {
      language: 'en',
      speaksAfterMs: 300,
      onSpeechStart: () => void reports.push('speaks'),
      onUtterance: ({ text, startMs, endMs }) =>
        void utterances.push(`${Math.round(startMs / 100)}-${Math.round(endMs / 100)} ${text}`),
      onLost: (why) => void reports.push(`lost: ${why}`),
      ...more,
    },
  )
  const say = (seconds: number) => write(noise(8_000)(seconds * 8_000))
  const pause = (seconds: number) => write(silence(seconds * 8_000))
  /** In pieces of 100 ms, as a line brings it. */
  async function write(samples: Int16Array) {
    for (let at = 0; at < samples.length; at += 800) transcriber.write(samples.slice(at, at + 800))
    await turns()
  }
  return { transcriber, questions, watch, utterances, reports, say, pause }
}

/** What has been begun goes on as far as it can. */
const turns = async () => {
  for (let i = 0; i < 20; i++) await new Promise((resolve) => setImmediate(resolve))
}

test('each utterance is asked for when it is over, with a little more on both sides', async () => {
  const { transcriber, questions, utterances, reports, say, pause } = listening()

  await pause(1)
  await say(2)
  const before = questions.length
  await pause(1)
  const after = questions.map(({ seconds }) => Math.round(seconds * 10))
  questions[0]?.answer('Good morning.')
  await transcriber.end()

  expect([before, after]).toEqual([0, [24]])
  expect(utterances).toEqual(['10-30 Good morning.'])
  expect(reports).toEqual(['speaks', 'forgotten'])
})

test('utterances are reported in order, whichever was recognized first', async () => {
  const { transcriber, questions, utterances, say, pause } = listening()
  await pause(1)
  await say(1)
  await pause(1)
  await say(1)
  await pause(1)

  questions[1]?.answer('Second.')
  await turns()
  const early = [...utterances]
  questions[0]?.answer('First.')
  await transcriber.end()

  expect(early).toEqual([])
  expect(utterances.map((line) => line.split(' ')[1])).toEqual(['First.', 'Second.'])
})

test('speech that continues at the end is recognized, and implausible results are dropped', async () => {
  const { transcriber, questions, utterances, say, pause } = listening()
  await pause(1)
  await say(1)
  await pause(1)
  await say(1)

  const ending = transcriber.end()
  await turns()
  questions[0]?.answer('no no no no no no')
  questions[1]?.answer('Goodbye.')
  await ending

  expect(utterances.map((line) => line.split(' ')[1])).toEqual(['Goodbye.'])
})

test('a transcriber that is more than ten seconds behind drops audio and reports it once', async () => {
  const { transcriber, questions, watch, utterances, reports, say, pause } = listening()
  await pause(1)
  await say(1)
  await pause(1)

  watch.now = 9_000
  await pause(0.2)
  const inTime = reports.includes('lost: it has fallen more than ten seconds behind')
  watch.now = 12_000
  await pause(0.2)
  await say(1)
  questions[0]?.answer('Too late.')
  await transcriber.end()

  expect(inTime).toBe(false)
  expect(reports.filter((what) => what !== 'speaks')).toEqual([
    'forgotten',
    'lost: it has fallen more than ten seconds behind',
  ])
  expect(utterances).toEqual([])
})

test('an engine that fails ends the transcription', async () => {
  const { transcriber, questions, reports, say, pause } = listening()
  await pause(1)
  await say(1)
  await pause(1)

  questions[0]?.fail()
  await transcriber.end()

  expect(reports).toContain('lost: the engine is away')
})

/** An engine that transcribes while the caller speaks; each stream is answered by the test. */
function streaming() {
  const streams: {
    seconds(): number
    isAborted(): boolean
    ended: boolean
    answer(text: string): void
    fail(): void
  }[] = []
  const stream: SttEngine['stream'] = ({ signal }) => {
    let written = 0
    let answer: (text: string) => void = () => {}
    let fail = () => {}
    const result = new Promise<string>((resolve, reject) => {
      answer = resolve
      fail = () => reject(new Error('the connection is closed'))
    })
    result.catch(() => {})
    const mine = { seconds: () => written / 8_000, isAborted: () => signal.aborted, ended: false, answer, fail }
    streams.push(mine)
    return {
      write: ({ length }) => {
        written += length
      },
      end: () => {
        mine.ended = true
        return result
      },
    }
  }
  return { streams, ...listening({}, stream) }
}

test('an engine that streams receives an utterance while it is spoken, and one request less', async () => {
  const { transcriber, questions, streams, utterances, say, pause } = streaming()
  await pause(1)
  await say(1)
  const during = streams.map((stream) => [Math.round(stream.seconds() * 10), stream.ended])
  await pause(1)
  streams[0]?.answer('Good morning.')
  await say(2)
  await pause(1)
  streams[1]?.answer('It is me.')
  await transcriber.end()

  expect(during).toEqual([[12, false]])
  expect(utterances.map((line) => line.replace(/^\S+ /, ''))).toEqual(['Good morning.', 'It is me.'])
  expect(questions).toEqual([])
})

test('when a stream fails, its utterance is transcribed by a request; a click ends its stream', async () => {
  const { transcriber, questions, streams, utterances, say, pause } = streaming()
  await pause(1)
  await say(0.1)
  await pause(1)
  await say(1)
  await pause(1)
  streams[1]?.fail()
  while (questions.length === 0) await turns()
  questions[0]?.answer('Good morning.')
  await transcriber.end()

  expect(streams.map((stream) => stream.isAborted())).toEqual([true, false])
  expect(utterances.map((line) => line.replace(/^\S+ /, ''))).toEqual(['Good morning.'])
})
