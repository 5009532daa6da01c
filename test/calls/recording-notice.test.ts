import { expect, test } from 'vitest'
import type { RecordingNoticeSettings } from '../../src/features/numbers/recording-notice/settings.ts'
import { handleRequest } from '../../src/live/phone-requests.ts'
import type { CallShown } from '../../src/live/protocol.ts'
import { toWav } from '../../src/media/formats.ts'
import { onAnyDatabase, type TestCompany } from '../kit/app.ts'
import { hangUp, type Line, type Office, openOffice, ringTo, toUser } from '../kit/phone.ts'

const customer = '+33699000001'

type Mode = RecordingNoticeSettings['mode']

/** A prompt of the company. */
async function upload(company: TestCompany, name = 'recorded.wav'): Promise<string> {
  const made = await company.own('POST', '/v1/sounds/uploads', {
    name,
    data: toWav(new Int16Array(2_000).fill(900), 8_000).toString('base64'),
  })
  return made.json.sound.url
}

const settings = (mode: Mode, url: string, more: Partial<RecordingNoticeSettings> = {}): RecordingNoticeSettings => ({
  mode,
  key: '9',
  outbound: true,
  prompts: [{ language: 'en-US', url }],
  ...more,
})

/** A recorded Number that rings Ada, in a company with this announcement. */
async function recordedLine(office: Office, mode: Mode, more: Partial<RecordingNoticeSettings> = {}): Promise<Line> {
  const { a, ada } = office
  await office.connect(ada)
  const line = await office.line(
    { ring: ringTo([toUser(ada)], { branches: { no_answer: 'bye' } }), bye: hangUp },
    { recording: true },
  )
  const recording_notice = settings(mode, await upload(a), more)
  const saved = await a.own('PUT', '/v1/company/recording_notice', { recording_notice })
  if (saved.status !== 200) throw new Error(saved.text)
  return line
}

const consentOf = async ({ a }: Office, id: number) =>
  (await a.own('GET', `/v1/calls/${id}/recording_consent`)).json.recording_consent

async function shown(office: Office, userId: number): Promise<CallShown | undefined> {
  const { services } = office.app
  const asking = { services, companyId: office.a.id, userId, session: 'default', isSupervision: false }
  const reply = await handleRequest(asking, { type: 'calls' })
  return reply.ok && 'calls' in reply ? reply.calls[0] : undefined
}

/** Answers after the announcement, talks, and hangs up. */
async function talks(office: Office, id: number, waits: number): Promise<boolean> {
  await office.pass(waits)
  await office.does(office.ada, { kind: 'answer' })
  await office.pass(20)
  await office.does(office.ada, { kind: 'hang_up' })
  await office.pass(60)
  return (await office.show(id)).recording !== null
}

onAnyDatabase('the recording announcement', (open) => {
  test('is heard before an agent is rung, and the recording starts afterwards', async () => {
    const office = await openOffice(open)
    const line = await recordedLine(office, 'announce')

    const id = await office.call(line)
    const before = await office.eventNames(id)
    const isRecorded = await talks(office, id, 5)

    expect(before).toEqual(['created'])
    expect(isRecorded).toBe(true)
    expect(await consentOf(office, id)).toBe('announced')
    expect((await office.trace(id)).map(({ kind }) => kind).slice(0, 3)).toEqual(['recording_notice', 'widget', 'ring'])
    expect((await office.timeline(id)).slice(0, 3)).toEqual(['created 0', 'ringing_on_agent 4', 'answered 5'])
  })

  const results: [mode: Mode, press: string | null, consent: string, recorded: boolean][] = [
    ['opt_out', null, 'announced', true],
    ['opt_out', '9', 'declined', false],
    ['opt_out', '5', 'announced', true],
    ['consent', '9', 'consented', true],
    ['consent', '5', 'declined', false],
    ['consent', null, 'no_response', false],
  ]
  test.each(results)('%s and the key %s: %s, recorded: %s', async (mode, press, consent, recorded) => {
    const office = await openOffice(open)
    const line = await recordedLine(office, mode)

    const id = await office.call(line, press === null ? {} : { script: [{ wait: 1 }, { press }] })
    const isRecorded = await talks(office, id, 12)

    expect(await consentOf(office, id)).toBe(consent)
    expect(isRecorded).toBe(recorded)
    expect((await office.eventNames(id)).slice(0, 4)).toEqual(['created', 'ringing_on_agent', 'answered', 'hungup'])
  })

  test('leaves the caller the choice while an agent is rung', async () => {
    const office = await openOffice(open)
    const line = await recordedLine(office, 'opt_out')

    const id = await office.call(line, { script: [{ wait: 9 }, { press: '9' }] })
    await office.pass(8)
    expect(await consentOf(office, id)).toBe('announced')
    const isRecorded = await talks(office, id, 4)

    expect([await consentOf(office, id), isRecorded]).toEqual(['declined', false])
  })

  test('is played to the called party after the answer, while the agent waits', async () => {
    const office = await openOffice(open)
    const { ada, pass } = office
    const line = await recordedLine(office, 'consent')
    await office.callees({ [customer]: { press: '9' } })

    const started = await office.dials(ada, line, customer)
    const id = (started.ok && started.callId) || 0
    await pass(4)
    const playing = await shown(office, ada)
    const held = await office.does(ada, { kind: 'hold' })
    await pass(3)
    const talking = await shown(office, ada)
    await pass(10)
    await office.does(ada, { kind: 'hang_up' })
    await pass(60)

    expect(playing).toMatchObject({ recording: 'off', recording_consent: 'playing' })
    expect(held).toMatchObject({ ok: false, why: 'The recording announcement is playing' })
    expect(talking).toMatchObject({ phase: 'talking', recording: 'on', recording_consent: 'consented' })
    expect(await consentOf(office, id)).toBe('consented')
    expect((await office.show(id)).recording).not.toBeNull()
    expect((await office.timeline(id)).slice(0, 2)).toEqual(['created 0', 'answered 3'])
  })

  test('shows the agent why an outbound call is not recorded', async () => {
    const office = await openOffice(open)
    const { ada, pass } = office
    const line = await recordedLine(office, 'consent')

    const started = await office.dials(ada, line, customer)
    const id = (started.ok && started.callId) || 0
    await pass(20)
    const talking = await shown(office, ada)
    const paused = await office.does(ada, { kind: 'pause_recording' })
    await office.does(ada, { kind: 'hang_up' })
    await pass(60)

    expect(talking).toMatchObject({ phase: 'talking', recording: 'off', recording_consent: 'no_response' })
    expect(paused).toMatchObject({ ok: false })
    expect((await office.show(id)).recording).toBeNull()
  })

  test('is not played on outbound calls if the company says so, nor on Numbers that are not recorded', async () => {
    const office = await openOffice(open)
    const { a, ada, pass } = office
    const line = await recordedLine(office, 'consent', { outbound: false })

    const started = await office.dials(ada, line, customer)
    const id = (started.ok && started.callId) || 0
    await pass(10)
    expect(await shown(office, ada)).toMatchObject({ recording: 'on', recording_consent: null })
    await office.does(ada, { kind: 'hang_up' })
    await a.api('PUT', `/v1/numbers/${line.id}`, { live_recording_activated: false })
    const inbound = await office.call(line)

    expect(await consentOf(office, id)).toBeNull()
    expect((await office.eventNames(inbound)).slice(0, 2)).toEqual(['created', 'ringing_on_agent'])
  })

  test('of a Number replaces that of the company, and comes in its language', async () => {
    const office = await openOffice(open)
    const { a, ada } = office
    const line = await recordedLine(office, 'announce')
    const french = await upload(a, 'enregistre.wav')
    const english = await upload(a, 'english.wav')
    await a.own('PUT', `/v1/numbers/${line.id}/settings`, { language: 'fr-FR' })
    const prompts = [
      { language: 'en-GB' as const, url: english },
      { language: 'fr-FR' as const, url: french },
    ]
    const path = `/v1/numbers/${line.id}/recording_notice`

    await a.own('PUT', '/v1/company/recording_notice', { recording_notice: settings('consent', '', { prompts }) })
    const ofCompany = (await a.own('GET', path)).json
    const none = await a.own('PUT', path, { recording_notice: settings('none', '', { prompts: [] }) })
    const id = await office.call(line)
    await office.does(ada, { kind: 'answer' })

    expect(ofCompany).toMatchObject({ recording_notice: null, company: { mode: 'consent' } })
    expect(none.status).toBe(200)
    expect([(await shown(office, ada))?.recording, await consentOf(office, id)]).toEqual(['on', null])
    const { audit_log } = (await a.own('GET', '/v1/audit_log?per_page=1')).json
    expect(audit_log[0]).toMatchObject({
      action: 'recording_notice.changed',
      target: `number:${line.id}`,
      details: { before: 'company', after: 'none' },
    })
    const used = await a.own('DELETE', `/v1/sounds/uploads/${french.slice(-32)}`)
    expect([used.status, used.text]).toEqual([422, expect.stringContaining('All numbers (recording announcement)')])
  })

  test('a transferred call that no agent has answered hears it when one does', async () => {
    const office = await openOffice(open)
    const { a, ada, pass } = office
    await office.connect(ada)
    const menu = {
      type: 'ivr',
      media: null,
      options: [{ key: '1', title: 'One' }],
      branches: { 1: 'bye', fallback: 'bye' },
    }
    const line = await office.line({ menu, bye: hangUp }, { recording: true })
    const recording_notice = settings('announce', await upload(a))
    await a.own('PUT', '/v1/company/recording_notice', { recording_notice })

    const id = await office.call(line)
    await a.api('POST', `/v1/calls/${id}/transfers`, { user_id: ada })
    await office.settle()
    await office.does(ada, { kind: 'answer' })
    const waiting = await shown(office, ada)
    await pass(5)

    expect(waiting).toMatchObject({ recording: 'off', recording_consent: 'playing' })
    expect(await shown(office, ada)).toMatchObject({
      phase: 'talking',
      recording: 'on',
      recording_consent: 'announced',
    })
  })

  test('that cannot be played prevents the recording, not the call', async () => {
    const office = await openOffice(open)
    const line = await recordedLine(office, 'announce')
    await office.app.services.db.updateTable('sound').set({ state: 'failed', reason: 'gone' }).execute()

    const id = await office.call(line)
    const isRecorded = await talks(office, id, 5)

    expect([await consentOf(office, id), isRecorded]).toEqual(['failed', false])
    expect((await office.eventNames(id)).slice(0, 3)).toEqual(['created', 'ringing_on_agent', 'answered'])
  })

  test('a caller who hangs up during it has decided nothing', async () => {
    const office = await openOffice(open)
    const line = await recordedLine(office, 'consent')

    const id = await office.call(line, { script: [{ wait: 2 }, { hang_up: true }] })
    await office.pass(60)

    expect(await consentOf(office, id)).toBeNull()
    expect(await office.show(id)).toMatchObject({ status: 'done', missed_call_reason: 'short_abandoned' })
  })

  test('settings are checked', async () => {
    const office = await openOffice(open)
    const { a } = office
    const url = await upload(a)
    const foreign = await upload(office.b)
    const put = async (recording_notice: object) =>
      (await a.own('PUT', '/v1/company/recording_notice', { recording_notice })).status

    const twice = [
      { language: 'en-US' as const, url },
      { language: 'en-US' as const, url },
    ]
    expect([
      await put(settings('announce', '', { prompts: [] })),
      await put(settings('announce', foreign)),
      await put(settings('announce', 'https://files.example/unknown.mp3')),
      await put(settings('announce', url, { prompts: twice })),
      await put(settings('announce', url, { key: '99' })),
      await put(settings('announce', url)),
    ]).toEqual([400, 400, 400, 400, 400, 200])
  })
})
