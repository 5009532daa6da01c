import { existsSync } from 'node:fs'
import { expect, test } from 'vitest'
import type { SttEngine } from '../../src/domain/intelligence/engines.ts'
import { assetReady } from '../../src/engine/post-call.ts'
import { recordingConverter } from '../../src/features/intelligence/recordings/convert.ts'
import { storeScriptedLines } from '../../src/features/intelligence/results/speech-jobs.ts'
import { enqueue } from '../../src/jobs/queue.ts'
import { inDataDir, type OpenApp, onAnyDatabase } from '../kit/app.ts'
import { addCall } from '../kit/calls.ts'
import { onEverywhere } from '../kit/conversations.ts'
import { noise, silence, writeRaw } from '../kit/spoken.ts'

// A scripted engine returns the duration of the audio it receives; speech is detected by
// loudness, as on any machine without models.

const second = 1_000

/** Speech from `start` to `end`, in seconds of the recording. */
function side(length: number, ...loud: [number, number][]): Int16Array {
  const samples = silence(length * 8_000)
  for (const [from, until] of loud) samples.set(noise(8_000)((until - from) * 8_000), from * 8_000)
  return samples
}

async function office(open: OpenApp, left: Int16Array, right: Int16Array) {
  const app = await open()
  const { a, db, clock } = app
  await a.own('PUT', '/v1/intelligence/settings', onEverywhere)
  const asked: number[] = []
  const state = { isBroken: false, saysWhen: false }
  const engine: SttEngine = {
    id: 'test-engine',
    languages: ['en'],
    maxSeconds: 20,
    hasTimestamps: false,
    async transcribe({ samples, rate }) {
      if (state.isBroken) throw new Error('the engine is away')
      asked.push(Math.round(samples.length / rate))
      const text = `Words of about ${Math.round(samples.length / rate)} seconds and some more.`
      if (!state.saysWhen) return { text }
      const word = (one: string, place: number) => ({
        text: one,
        start: 0.2 + place * 0.2,
        end: 0.3 + place * 0.2,
        confidence: place === 0 ? 0.4 : 0.9,
      })
      return { text, words: text.split(' ').map(word) }
    },
  }
  const { services } = app.app
  services.ai = { ...services.ai, stt: async () => engine }
  const number = (await a.own('POST', '/v1/numbers', { digits: '+33180000078', name: 'Line', validated: true })).json
    .number
  const call = await addCall(app, a, { numberId: number.id, userId: a.ownerId }, { told: 'ended' })
  const startedAt = call.startedAt + 5 * second
  const source = inDataDir(app, `take-${call.id}.ulaw`)
  await writeRaw(source, [left, right], startedAt)
  const job = { companyId: a.id, callId: call.id, kind: 'recording' as const, source, ms: left.length / 8 }
  const convert = async () => {
    await enqueue(db, 'recording.convert', job, clock.now())
    await app.settle()
  }
  const isOn = (userId: number, from: number, until: number | null) =>
    db
      .insertInto('call_party')
      .values({
        company_id: a.id,
        call_id: call.id,
        user_id: userId,
        way: 'taken',
        joined_at: startedAt + from * second,
        left_at: until === null ? null : startedAt + until * second,
        gave_at: null,
      })
      .execute()
  const transcript = async () => (await a.api('GET', `/v1/calls/${call.id}/transcription`)).json.transcription
  const transcriptEvents = async () =>
    (await app.events(a)).map(({ name }) => name).filter((name) => name.startsWith('transcr'))
  return { app, a, call, source, job, startedAt, convert, isOn, transcript, transcriptEvents, asked, state, services }
}

const times = (utterances: { start_time: number; end_time: number }[]) =>
  utterances.map(({ start_time, end_time }) => [Math.round(start_time), Math.round(end_time)])

onAnyDatabase('transcribing a recording', (open) => {
  test('utterances belong to the participants of that moment, and speech on hold is not transcribed', async () => {
    const { app, a, call, startedAt, convert, isOn, transcript } = await office(
      open,
      side(20, [1, 3], [6, 8], [14, 16]),
      side(20, [10, 12]),
    )
    const { user } = (
      await a.own('POST', '/v1/users', { email: 'grace@acme.test', first_name: 'Grace', last_name: 'Hopper' })
    ).json
    await isOn(a.ownerId, 0, 13)
    await isOn(user.id, 13, null)
    for (const [name, at] of [
      ['call.hold', 5],
      ['call.unhold', 9],
    ] as const) {
      const known = {
        company_id: a.id,
        resource: 'call',
        resource_key: `call:${call.id}`,
        data: '{}',
        test: 0 as const,
      }
      const more = { position: null, asset_refs: null, redacted_at: null, number_id: null }
      const id = `${name}-${call.id}`
      await app.db
        .insertInto('event')
        .values({ ...known, ...more, id, name, occurred_at: startedAt + at * second })
        .execute()
    }

    await convert()

    const { utterances } = (await transcript()).content
    expect(times(utterances)).toEqual([
      [1, 3],
      [10, 12],
      [14, 16],
    ])
    expect(utterances.map((one: { user_id?: number }) => one.user_id)).toEqual([a.ownerId, undefined, user.id])
  })

  test('words have times in the recording and a confidence, which are returned on request only', async () => {
    const { app, a, call, convert, transcript, state } = await office(open, side(12, [3, 6]), side(12, [8, 10]))
    state.saysWhen = true

    await convert()

    const asked = await a.api('GET', `/v1/calls/${call.id}/transcription?fetch_words=true`)
    const [first, second] = asked.json.transcription.content.utterances
    expect(first.words.map(({ text }: { text: string }) => text).join(' ')).toBe(first.text)
    expect(first.words[0]).toEqual({
      text: 'Words',
      start_time: expect.closeTo(first.start_time, 1),
      end_time: expect.closeTo(first.start_time + 0.1, 1),
      confidence: 0.4,
    })
    expect(first.words.at(-1).end_time).toBeLessThanOrEqual(first.end_time)
    expect(second.words[0].start_time).toBeGreaterThanOrEqual(second.start_time)
    expect(JSON.stringify(await transcript())).not.toContain('confidence')
    const events = await app.events(a)
    expect(JSON.stringify(events.find(({ name }) => name === 'transcription.created'))).not.toContain('confidence')
  })

  test('known text is kept, and that audio is not transcribed again', async () => {
    const { app, a, call, convert, transcript, asked, startedAt } = await office(
      open,
      side(12, [1, 3], [8, 10]),
      side(12, [5, 7]),
    )
    const line = {
      side: 'left' as const,
      text: 'I am the robot.',
      startMs: 900,
      endMs: 3_300,
      at: startedAt,
      phone: null,
    }
    await app.db
      .transaction()
      .execute((tx) => storeScriptedLines(app.app.services, tx, a.id, call.id, 'recording', [line]))

    await convert()

    const { utterances } = (await transcript()).content
    expect(utterances[0].text).toBe('I am the robot.')
    expect(times(utterances)).toHaveLength(3)
    expect(asked).toEqual([2, 2])
  })

  test('words that slipped into the next utterance are in their own only', async () => {
    const { convert, transcript, services } = await office(open, side(12, [1, 2], [4, 7]), side(12))
    const windows: number[] = []
    const engine: SttEngine = {
      id: 'test-engine',
      languages: ['en'],
      maxSeconds: 28,
      hasTimestamps: true,
      async transcribe({ samples, rate }) {
        const seconds = samples.length / rate
        windows.push(seconds)
        if (seconds < 2) return { text: 'Yes.' }
        if (seconds < 4) return { text: 'My name is Ada.' }
        const text = 'Yes, my name is Ada.'
        return { text, segments: [{ start: 2, end: seconds, text }] }
      },
    }
    services.ai = { ...services.ai, stt: async () => engine }

    await convert()

    expect((await transcript()).content.utterances.map(({ text }: { text: string }) => text)).toEqual([
      'Yes.',
      'My name is Ada.',
    ])
    expect(windows).toHaveLength(3)
  })

  test('an unavailable engine is retried later; until then the raw audio is kept, and a second run is harmless', async () => {
    const { app, call, job, source, convert, transcript, transcriptEvents, state, services } = await office(
      open,
      side(8, [1, 3]),
      side(8, [4, 6]),
    )
    state.isBroken = true

    await convert()
    const whileAway = [existsSync(source), await transcript(), await transcriptEvents()]
    await recordingConverter(services, assetReady)(job)
    const afterSecondRun = existsSync(source)
    state.isBroken = false
    await app.clock.advance(60 * second)

    expect(whileAway).toEqual([true, undefined, []])
    expect(afterSecondRun).toBe(true)
    expect(times((await transcript()).content.utterances)).toHaveLength(2)
    expect([await transcriptEvents(), existsSync(source)]).toEqual([['transcription.created'], false])
    expect(await app.db.selectFrom('job').selectAll().where('kind', '=', 'call.speech_to_text').execute()).toEqual([])
    expect(call.id).toBeGreaterThan(0)
  })

  test('an engine that stays unavailable costs only the transcript', async () => {
    const { app, a, call, source, convert, transcript, transcriptEvents, state } = await office(
      open,
      side(8, [1, 3]),
      side(8),
    )
    state.isBroken = true

    await convert()
    await app.clock.advance(3_600 * second)

    expect([await transcript(), await transcriptEvents(), existsSync(source)]).toEqual([undefined, [], false])
    expect((await a.api('GET', `/v1/calls/${call.id}`)).json.call.recording).toContain('http')
    expect(app.logged()).toContain('speech-to-text of a recording failed')
  })

  test('a recording deleted before transcription has no transcript', async () => {
    const { app, a, call, source, convert, transcript, transcriptEvents, state } = await office(
      open,
      side(8, [1, 3]),
      side(8),
    )
    state.isBroken = true
    await convert()

    await a.api('DELETE', `/v1/calls/${call.id}/recording`)
    state.isBroken = false
    await app.clock.advance(60 * second)

    expect([await transcript(), await transcriptEvents(), existsSync(source)]).toEqual([undefined, [], false])
  })
})
