import { expect, test } from 'vitest'
import { durationOfMp3 } from '../../src/media/mp3.ts'
import { onAnyDatabase } from '../kit/app.ts'
import { openOffice, ringTo, toUser, voicemail } from '../kit/phone.ts'
import { listen } from '../kit/sounds.ts'

/** Seconds of the mp3 that is really there. */
async function secondsOf(url: string): Promise<number> {
  const { status, headers, bytes } = await listen(url)
  expect([status, headers.get('content-type')]).toEqual([200, 'audio/mpeg'])
  return Math.round(durationOfMp3(bytes) / 100) / 10
}

// The greeting takes four seconds and the beep half of one.
const untilTheBeep = 4.5

onAnyDatabase('a voicemail', (open) => {
  test('is recorded after the greeting, published after the end, and can be played', async () => {
    const office = await openOffice(open)
    const { ada, pass } = office
    await office.connect(ada)
    const line = await office.line({ ring: ringTo([toUser(ada)], { ring_seconds: 10 }), box: voicemail })

    const id = await office.call(line, { script: [{ voicemail: 12 }] })
    await pass(120)

    const end = 10 + untilTheBeep + 12
    expect(await office.timeline(id)).toEqual([
      'created 0',
      'ringing_on_agent 0',
      `hungup ${end}`,
      `ended ${end + 30}`,
      `voicemail_left ${end + 33}`,
      `comm_assets_generated ${end + 33}`,
    ])
    const [hungup] = await office.payloads(id, 'hungup')
    expect(hungup).toMatchObject({ voicemail: null, asset: null, missed_call_reason: 'agents_did_not_answer' })
    const asset = `${office.base}/voicemail/${id}`
    for (const name of ['ended', 'voicemail_left', 'comm_assets_generated']) {
      const [data] = await office.payloads(id, name)
      expect(data).toMatchObject({ voicemail: expect.any(String), asset, recording: null, status: 'done' })
      expect(data.voicemail_short_url).toMatch(/\/v1\/[0-9a-f-]{36}$/)
    }
    const shown = await office.show(id)
    expect(shown).toMatchObject({ asset, recording: null, answered_at: null })
    expect(await secondsOf(shown.voicemail)).toBe(12)
  })

  test('ends after silence or at its maximum length, and is discarded without speech', async () => {
    const office = await openOffice(open)
    const { pass } = office
    const line = await office.line({ box: { ...voicemail, max_seconds: 20, silence_seconds: 3 } })
    const speech = (seconds: number) => ({ say: 'Please call me back', seconds })

    const brief = await office.call(line, { script: [{ wait: untilTheBeep }, speech(6), { wait: 600 }] })
    const endless = await office.call(line, { script: [{ wait: untilTheBeep }, speech(600)] })
    const silent = await office.call(line, { script: [{ wait: 600 }, speech(1)] })
    const hasty = await office.call(line, { patience: 2 })
    await pass(120)

    const end = async (id: number) => (await office.timeline(id)).find((line) => line.startsWith('hungup'))
    expect(await end(brief)).toBe(`hungup ${untilTheBeep + 6 + 3}`)
    expect(await end(endless)).toBe(`hungup ${untilTheBeep + 20}`)
    expect(await end(silent)).toBe(`hungup ${untilTheBeep + 3}`)
    expect(await end(hasty)).toBe('hungup 2')
    expect(await secondsOf((await office.show(endless)).voicemail)).toBe(20)
    expect(await secondsOf((await office.show(brief)).voicemail)).toBe(6)
    for (const id of [silent, hasty]) {
      expect(await office.show(id)).toMatchObject({ voicemail: null, asset: null })
      expect(await office.eventNames(id)).toEqual(['created', 'hungup', 'ended'])
    }
  })
})

onAnyDatabase('a recording', (open) => {
  test('has the conversation without pauses and is published when it is ready', async () => {
    const office = await openOffice(open)
    const { a, ada, pass } = office
    await office.connect(ada)
    const line = await office.line({ ring: ringTo([toUser(ada)]), box: voicemail }, { recording: true })
    const steer = async (id: number, word: string) => (await a.api('POST', `/v1/calls/${id}/${word}`)).status

    const id = await office.call(line)
    expect(await steer(id, 'pause_recording')).toBe(400)
    await pass(5)
    await office.does(ada, { kind: 'answer' })
    await pass(10)
    expect(await steer(id, 'pause_recording')).toBe(204)
    expect(await steer(id, 'pause_recording')).toBe(204)
    await pass(7)
    expect(await steer(id, 'resume_recording')).toBe(204)
    expect(await steer(id, 'resume_recording')).toBe(204)
    await pass(8)
    await office.does(ada, { kind: 'hang_up' })
    expect(await steer(id, 'resume_recording')).toBe(400)
    await pass(30)

    expect(await office.timeline(id)).toEqual([
      'created 0',
      'ringing_on_agent 0',
      'answered 5',
      'hungup 30',
      'ended 60',
      'comm_assets_generated 60',
    ])
    expect((await office.payloads(id, 'hungup'))[0]).toMatchObject({ recording: null, asset: null })
    expect((await office.payloads(id, 'hungup'))[0]).not.toHaveProperty('recording_short_url')
    const [ready] = await office.payloads(id, 'comm_assets_generated')
    expect(ready).toMatchObject({ recording: expect.any(String), voicemail: null })
    expect(ready.recording_short_url).toMatch(/\/v1\/[0-9a-f-]{36}$/)
    const shown = await office.show(id, '?fetch_short_urls=true')
    expect(shown).toMatchObject({ asset: `${office.base}/recording/${id}`, duration: 30 })
    expect(await secondsOf(shown.recording)).toBe(18)
    expect(await secondsOf(shown.recording_short_url)).toBe(18)
  })

  test('omits the agent’s speech while the caller is on hold, and a pause outlasts the hold', async () => {
    const office = await openOffice(open)
    const { a, ada, pass } = office
    await office.connect(ada)
    const line = await office.line({ ring: ringTo([toUser(ada)]), box: voicemail }, { recording: true })
    const steer = async (id: number, word: string) => (await a.api('POST', `/v1/calls/${id}/${word}`)).status
    const hold = async (seconds: number, meanwhile: () => Promise<unknown> = async () => {}) => {
      await office.does(ada, { kind: 'hold' })
      await meanwhile()
      await pass(seconds)
      await office.does(ada, { kind: 'unhold' })
    }

    const id = await office.call(line)
    await office.does(ada, { kind: 'answer' })
    await pass(10)
    await hold(20)
    await pass(5)
    await steer(id, 'pause_recording')
    await hold(20)
    await pass(3)
    await steer(id, 'resume_recording')
    await pass(4)
    // Said during the hold: it counts from its end.
    await hold(20, () => steer(id, 'pause_recording'))
    await pass(3)
    await hold(20, () => steer(id, 'resume_recording'))
    await pass(6)
    await office.does(ada, { kind: 'hang_up' })
    await pass(30)

    const shown = await office.show(id)
    expect(await secondsOf(shown.recording)).toBe(10 + 5 + 4 + 6)
  })

  test('continues after a transfer, covers outbound calls, and is not made where it is off', async () => {
    const office = await openOffice(open)
    const { a, ada, bea, pass } = office
    await office.connect(ada, bea)
    const recorded = await office.line({ ring: ringTo([toUser(ada)]), box: voicemail }, { recording: true })
    const off = await office.line({ ring: ringTo([toUser(ada)]), box: voicemail }, { recording: false })

    const inbound = await office.call(recorded)
    await office.does(ada, { kind: 'answer' })
    await pass(5)
    await a.api('POST', `/v1/calls/${inbound}/transfers`, { user_id: bea })
    await pass(5)
    await office.does(bea, { kind: 'answer' })
    await pass(5)
    await office.does(bea, { kind: 'hang_up' })
    const started = await office.dials(ada, recorded, '+33699000001')
    await pass(13)
    await office.does(ada, { kind: 'hang_up' })
    const unrecorded = await office.call(off)
    await office.does(ada, { kind: 'answer' })
    const refused = await a.api('POST', `/v1/calls/${unrecorded}/pause_recording`)
    await pass(10)
    await office.does(ada, { kind: 'hang_up' })
    await pass(60)

    expect([refused.status, refused.headers.get('allow')]).toEqual([405, 'POST'])
    expect(await secondsOf((await office.show(inbound)).recording)).toBe(15)
    expect(await secondsOf((await office.show((started.ok && started.callId) || 0)).recording)).toBe(10)
    expect(await office.show(unrecorded)).toMatchObject({ recording: null, asset: null })
    expect((await office.eventNames(unrecorded)).at(-1)).toBe('ended')
  })
})
