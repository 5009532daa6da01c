import { expect, test } from 'vitest'
import { onAnyDatabase } from '../kit/app.ts'
import { caller, type Office, openOffice, ringTo, toUser, voicemail } from '../kit/phone.ts'
import { receiver } from '../kit/receiver.ts'
import { addHook } from '../kit/webhooks.ts'

const settings = { enabled: true, language: null, numbers: [] }
const switchOn = (office: Office) => office.a.own('PUT', '/v1/intelligence/settings', settings)

const unhappy = [
  { hear: 2 },
  { say: 'My invoice is wrong and I am very unhappy.', seconds: 4 },
  { say: 'Please call me back on Friday.', seconds: 3 },
  { wait: 1 },
  { hang_up: true as const },
]

/** An ended call with all events published, on a Number with recording. */
async function talk(office: Office, script: Parameters<Office['call']>[1] = { script: unhappy }) {
  const { ada, pass } = office
  await office.connect(ada)
  const line = await office.line({ ring: ringTo([toUser(ada)]), box: voicemail }, { recording: true })
  const id = await office.call(line, script)
  await pass(3)
  await office.does(ada, { kind: 'answer' })
  await pass(120)
  return { id, line }
}

/** Without the realtime events. */
const insights = async (office: Office) =>
  (await office.events(office.a)).filter(({ name }) => !/^(call|user|number|realtime_transcription)\./.test(name))

const results = ['transcription', 'sentiments', 'topics', 'summary', 'action_items', 'playbook_result'] as const
const statuses = async ({ a }: Office, id: number) =>
  Promise.all(results.map(async (name) => (await a.api('GET', `/v1/calls/${id}/${name}`)).status))

onAnyDatabase('after a recorded call', (open) => {
  test('a transcript is created, with times within the recording', async () => {
    const office = await openOffice(open)
    await switchOn(office)

    const { id, line } = await talk(office)

    const { json } = await office.a.api('GET', `/v1/calls/${id}/transcription`)
    const external = { participant_type: 'external', phone_number: caller }
    expect(json.transcription).toEqual({
      id: expect.any(Number),
      call_id: id,
      call_created_at: expect.stringMatching(/^2026-.*Z$/),
      type: 'call',
      content: {
        language: 'en',
        utterances: [
          { start_time: 2, end_time: 6, text: 'My invoice is wrong and I am very unhappy.', ...external },
          { start_time: 6, end_time: 9, text: 'Please call me back on Friday.', ...external },
        ],
      },
    })
    const [event] = await insights(office)
    const { uuid } = (await office.db.selectFrom('call').select('uuid').executeTakeFirst()) ?? {}
    expect(event).toEqual({
      name: 'transcription.created',
      data: {
        ...json.transcription,
        call_uuid: uuid,
        number_id: line.id,
        participants: [external, { participant_type: 'internal', user_id: office.ada }],
        created_at: expect.any(String),
      },
    })
  })

  test('the other results follow, each published once, after the events of the call', async () => {
    const office = await openOffice(open)
    await switchOn(office)

    const { id } = await talk(office)

    const { a } = office
    const of = async (name: string) => (await a.api('GET', `/v1/calls/${id}/${name}`)).json
    const iso = expect.stringMatching(/^2026-.*\.\d{3}Z$/)
    const mood = { participant_type: 'external', type: 'external', phone_number: caller, value: 'NEGATIVE' }
    expect(await of('sentiments')).toEqual({ sentiment: { id, call_id: id, participants: [mood] } })
    expect(await of('topics')).toEqual({
      topic: { id: expect.any(Number), call_id: id, created_at: iso, content: ['Billing', 'Callback'] },
    })
    expect((await of('summary')).summary.content).toBe(
      'Reason: My invoice is wrong and I am very unhappy. Outcome: open, next steps were promised or requested. ' +
        'Agent: Please call me back on Friday.',
    )
    expect(await of('action_items')).toEqual({
      call_id: id,
      action_items: [
        {
          id: expect.any(Number),
          content: expect.stringMatching(/^Agent: Please call me back on Friday\. \(due 2026-\d\d-\d\d\)$/),
          ai_generated: true,
          created_at: iso,
          created_by: null,
          updated_at: null,
          updated_by: null,
        },
      ],
    })
    const names = (await office.events(a)).map(({ name }) => name)
    expect(names.slice(names.indexOf('call.comm_assets_generated') + 1)).toEqual([
      'transcription.created',
      'sentiment.created',
      'topics.created',
      'summary.created',
      'action_item.created',
    ])
    const rows = await office.db.selectFrom('event').select(['name', 'resource']).execute()
    expect(
      new Set(rows.filter(({ name }) => !/^(call|user|number)\./.test(name)).map(({ resource }) => resource)),
    ).toEqual(new Set(['conversation_intelligence']))
  })

  test('no results are created if the feature is off, or if the call has no speech', async () => {
    const office = await openOffice(open)
    const off = await talk(office)
    const number = { number_id: off.line.id, enabled: false, language: null }
    await office.a.own('PUT', '/v1/intelligence/settings', { ...settings, numbers: [number] })
    const again = await office.call(off.line, { script: unhappy })
    await office.pass(3)
    await office.does(office.ada, { kind: 'answer' })
    await office.pass(120)

    const silent = await talk(office, { script: [{ hear: 8 }, { hang_up: true }] })

    for (const id of [off.id, again, silent.id]) expect(new Set(await statuses(office, id))).toEqual(new Set([404]))
    expect(await insights(office)).toEqual([])
    expect(await office.db.selectFrom('transcript').selectAll().execute()).toEqual([])
  })

  test('results that the rules cannot make in a language are absent', async () => {
    const office = await openOffice(open)
    await office.a.own('PUT', '/v1/intelligence/settings', { ...settings, language: 'nl-NL' })

    const { id } = await talk(office, {
      script: [{ hear: 1 }, { say: 'Mijn factuur is fout.', seconds: 3 }, { hang_up: true }],
    })

    const { json } = await office.a.api('GET', `/v1/calls/${id}/transcription`)
    expect(json.transcription.content.language).toBe('nl-NL')
    expect(await statuses(office, id)).toEqual([200, 404, 404, 404, 404, 404])
    expect((await insights(office)).map(({ name }) => name)).toEqual(['transcription.created'])
  })

  test('all results are deleted with the recording', async () => {
    const office = await openOffice(open)
    await switchOn(office)
    const { id } = await talk(office)
    expect(await statuses(office, id)).toEqual([200, 200, 200, 200, 200, 404])

    await office.a.api('DELETE', `/v1/calls/${id}/recording`)

    expect(new Set(await statuses(office, id))).toEqual(new Set([404]))
    for (const table of ['transcript', 'insight', 'action_item', 'evaluation'] as const) {
      expect(await office.db.selectFrom(table).selectAll().execute(), table).toEqual([])
    }
  })
})

onAnyDatabase('after a voicemail', (open) => {
  test('is transcribed too, and its transcript is deleted with it', async () => {
    const office = await openOffice(open)
    await switchOn(office)
    const line = await office.line({ box: voicemail })

    const id = await office.call(line, {
      script: [{ wait: 5.5 }, { say: 'Please send me an offer.', seconds: 3 }, { hang_up: true }],
    })
    await office.pass(120)

    const { json } = await office.a.api('GET', `/v1/calls/${id}/transcription`)
    expect(json.transcription).toMatchObject({
      type: 'voicemail',
      content: { utterances: [{ start_time: 1, end_time: 4, text: 'Please send me an offer.' }] },
    })
    await office.a.api('DELETE', `/v1/calls/${id}/voicemail`)
    expect(new Set(await statuses(office, id))).toEqual(new Set([404]))
  })
})

onAnyDatabase('an outbound call', (open) => {
  test('contains the speech of the callee', async () => {
    const office = await openOffice(open)
    await switchOn(office)
    const line = await office.line({ box: voicemail }, { recording: true })
    const to = '+33612345699'
    await office.connect(office.ada)
    await office.callees({
      [to]: { answer_after_seconds: 1, lines: [{ say: 'I am delighted, that is great!', seconds: 2 }] },
    })

    await office.dials(office.ada, line, to)
    await office.pass(10)
    await office.does(office.ada, { kind: 'hang_up' })
    await office.pass(120)

    const [insight] = await insights(office)
    expect(insight?.data.content.utterances).toMatchObject([{ participant_type: 'external', phone_number: to }])
    const { json } = await office.a.api('GET', `/v1/calls/${insight?.data.call_id}/sentiments`)
    expect(json.sentiment.participants).toMatchObject([{ phone_number: to, value: 'POSITIVE' }])
  })
})

onAnyDatabase('a request for results', (open) => {
  test('receives the documented errors', async () => {
    const office = await openOffice(open)
    await switchOn(office)
    const { id } = await talk(office)
    const { a, b, anonymous } = office
    const all = [...results, 'realtime_transcription', 'custom_summary_result', 'evaluations', 'predicted_csat']

    for (const name of all) {
      const status = async (client: typeof a.api, call: unknown, query = '') =>
        (await client('GET', `/v1/calls/${call}/${name}${query}`)).status
      expect([name, await status(a.api, 'abc'), await status(a.api, 999_999_999)]).toEqual([name, 400, 404])
      expect([name, await status(anonymous, id)]).toEqual([name, name === 'evaluations' ? 401 : 403])
      expect([name, await status(b.api, id)]).toEqual([name, 403])
    }
    const wrong = await anonymous('GET', `/v1/calls/${id}/evaluations`)
    expect(wrong.headers.get('www-authenticate')).toMatch(/^Basic /)
    const missing = await a.api('GET', `/v1/calls/${id}/predicted_csat`)
    expect([missing.status, missing.json.troubleshoot]).toEqual([404, 'The call has no predicted CSAT, or none yet'])
    const unknown = await a.api('GET', '/v1/calls/999999999/predicted_csat')
    expect(unknown.json.troubleshoot).toBe('Check ID of the resource')
    const mode = async (word: string) => (await a.api('GET', `/v1/calls/${id}/transcription?mode=${word}`)).status
    expect([await mode('async'), await mode('realtime'), await mode('both')]).toEqual([200, 200, 400])
  })

  test('needs the plan that includes the result', async () => {
    const office = await openOffice(open)
    await switchOn(office)
    const { id } = await talk(office)
    const { a } = office

    await office.db.updateTable('company').set({ ai_package: 'assist' }).where('id', '=', a.id).execute()

    const status = async (name: string) => (await a.api('GET', `/v1/calls/${id}/${name}`)).status
    expect([await status('transcription'), await status('summary')]).toEqual([200, 200])
    for (const name of ['realtime_transcription', 'custom_summary_result', 'playbook_result']) {
      expect([name, await status(name)]).toEqual([name, 403])
    }
  })
})

onAnyDatabase('the result of a call', (open) => {
  test('reaches a webhook after the events of the call, even if one of those is retried', async () => {
    const office = await openOffice(open)
    await switchOn(office)
    let isDown = true
    const taken: string[] = []
    const shop = await receiver(({ body }, response) => {
      const isRefused = isDown && body.event === 'call.ended'
      if (!isRefused) taken.push(body.event)
      response.writeHead(isRefused ? 500 : 204).end()
    })
    await addHook(office.a.api, shop)

    await talk(office)
    expect(taken).not.toContain('transcription.created')
    isDown = false
    await office.pass(300)

    const afterHangup = taken.slice(taken.indexOf('call.hungup') + 1).filter((name) => !name.startsWith('user.'))
    expect(afterHangup.slice(0, 3)).toEqual(['call.ended', 'call.comm_assets_generated', 'transcription.created'])
  })
})
