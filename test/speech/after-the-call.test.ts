import { existsSync } from 'node:fs'
import { afterAll, describe, expect, test } from 'vitest'
import { enqueue } from '../../src/jobs/queue.ts'
import { inDataDir, type OpenApp, onAnyDatabase, type TestApp, testApp } from '../kit/app.ts'
import { addCall, caller } from '../kit/calls.ts'
import { onEverywhere } from '../kit/conversations.ts'
import {
  canSpeak,
  conversationOf,
  modelsFolder,
  noise,
  type Placed,
  sidesWith,
  silence,
  wordErrorRate,
  writeRaw,
} from '../kit/spoken.ts'

const lines = [
  'a: Hello, thank you for calling the support team, how can I help you today?',
  'c: I am calling about an invoice that I received last week for my order.',
  'c: The amount on the invoice is wrong, and I would like a refund.',
  'a: I am sorry about that, let me look at your account.',
  'a: I can see the order, and I will send the money back on Friday.',
  'c: That is great, thank you very much for your help, goodbye.',
]

let kept: Promise<Placed[]> | undefined
/** Spoken once for all stories of this file. */
const conversation = () => {
  kept ??= conversationOf(lines, 900)
  return kept
}

afterAll(() => {
  kept = undefined
})

/** A recorded call of the owner on a real line, with its raw sound still to be converted. */
async function recordedCall(app: TestApp, sides: readonly Int16Array[], kind: 'recording' | 'voicemail' = 'recording') {
  const { a, db, clock } = app
  const number = (await a.own('POST', '/v1/numbers', { digits: '+33180000077', name: 'Line', validated: true })).json
    .number
  const call = await addCall(app, a, { numberId: number.id, userId: a.ownerId }, { told: 'ended' })
  const joined = { company_id: a.id, call_id: call.id, user_id: a.ownerId, way: 'taken' as const, gave_at: null }
  await db
    .insertInto('call_party')
    .values({ ...joined, joined_at: call.startedAt, left_at: null })
    .execute()
  const source = inDataDir(app, `take-${call.id}.ulaw`)
  await writeRaw(source, sides, call.startedAt + 1_000)
  const ms = (sides[0]?.length ?? 0) / 8
  const job = { companyId: a.id, callId: call.id, kind, source, ms }
  await enqueue(db, 'recording.convert', job, clock.now())
  await app.settle()
  // A voicemail is published a little later.
  await clock.advance(5_000)
  return { call, source, eventNames: async () => (await app.events(a)).map(({ name }) => name) }
}

const transcriptOf = async ({ a }: TestApp, id: number) => a.api('GET', `/v1/calls/${id}/transcription`)

const withModels = (open: OpenApp) => open({ env: { AI_MODELS_DIR: modelsFolder() ?? '' } })

async function switchedOn(open: OpenApp): Promise<TestApp> {
  const app = await withModels(open)
  await app.a.own('PUT', '/v1/intelligence/settings', onEverywhere)
  return app
}

describe.skipIf(!canSpeak)('the recording of a call over a trunk', () => {
  test('becomes a transcript with speakers, times and nearly all words', async () => {
    const app = await switchedOn(testApp)
    const placed = await conversation()

    const { call, source, eventNames } = await recordedCall(app, sidesWith(placed, noise(60)))

    const { json } = await transcriptOf(app, call.id)
    const { utterances, language } = json.transcription.content
    expect(language).toBe('en')
    expect(utterances.map((one: { participant_type: string }) => one.participant_type)).toEqual(
      placed.map(({ side }) => side),
    )
    for (const [index, { side, startMs, endMs }] of placed.entries()) {
      const one = utterances[index]
      expect(Math.abs(one.start_time * 1_000 - startMs)).toBeLessThanOrEqual(300)
      expect(Math.abs(one.end_time * 1_000 - endMs)).toBeLessThanOrEqual(300)
      expect(side === 'internal' ? one.user_id : one.phone_number).toBe(side === 'internal' ? app.a.ownerId : caller)
    }
    const text = utterances.map(({ text }: { text: string }) => text).join(' ')
    expect(wordErrorRate(placed.map(({ text }) => text).join(' '), text)).toBeLessThanOrEqual(0.25)
    for (const word of ['invoice', 'order', 'Friday']) expect(text.toLowerCase()).toContain(word.toLowerCase())
    expect((await eventNames()).filter((name) => name === 'transcription.created')).toHaveLength(1)
    expect(existsSync(source)).toBe(false)
  })

  test('silence and noise produce no text and no event', async () => {
    const app = await switchedOn(testApp)

    const quiet = await recordedCall(app, [silence(8_000 * 12), silence(8_000 * 12)])
    const { json } = await app.a.api('GET', '/v1/numbers')
    await app.a.own('DELETE', `/v1/numbers/${json.numbers[0].id}`)
    const loud = await recordedCall(app, [noise(1_500)(8_000 * 12), noise(500)(8_000 * 12)])

    expect([quiet, loud].map(({ source }) => existsSync(source))).toEqual([false, false])
    expect((await transcriptOf(app, quiet.call.id)).status).toBe(404)
    expect((await transcriptOf(app, loud.call.id)).status).toBe(404)
    expect((await loud.eventNames()).filter((name) => name.startsWith('transcription'))).toEqual([])
  })

  test('a voicemail is attributed to the caller, and a recording can be transcribed again', async () => {
    const app = await switchedOn(testApp)
    const speech = (await conversation()).filter(({ side }) => side === 'external').slice(0, 1)
    const [, theirs] = sidesWith(
      speech.map((one) => ({ ...one, startMs: 1_000, endMs: 1_000 + one.samples.length / 8 })),
      noise(60),
    )

    const { call, eventNames } = await recordedCall(app, [theirs], 'voicemail')
    const first = (await transcriptOf(app, call.id)).json.transcription
    await enqueue(
      app.db,
      'call.build_transcript',
      { companyId: app.a.id, callId: call.id, again: true },
      app.clock.now(),
    )
    await app.settle()
    const second = (await transcriptOf(app, call.id)).json.transcription

    expect(first).toMatchObject({ type: 'voicemail', content: { utterances: [{ participant_type: 'external' }] } })
    expect(second.content.utterances).toHaveLength(1)
    expect(second.content.utterances[0].text).toContain('invoice')
    expect(second.id).toBe(first.id)
    expect((await eventNames()).filter((name) => name === 'transcription.created')).toHaveLength(1)
  })
})

onAnyDatabase('without a model, or where it is switched off', (open) => {
  test('the recording exists, its raw audio is deleted, and there is no transcript', async () => {
    const app = await open()
    await app.a.own('PUT', '/v1/intelligence/settings', onEverywhere)

    const { call, source, eventNames } = await recordedCall(app, [noise(3_000)(16_000), silence(16_000)])

    expect((await transcriptOf(app, call.id)).status).toBe(404)
    expect((await app.a.api('GET', `/v1/calls/${call.id}`)).json.call.recording).toContain('http')
    expect(existsSync(source)).toBe(false)
    expect(await eventNames()).toContain('call.comm_assets_generated')
    expect((await eventNames()).filter((name) => name.startsWith('transcription'))).toEqual([])
  })
})
