import { expect, test } from 'vitest'
import { onAnyDatabase, type TestApp, type TestCompany } from '../../../../test/kit/app.ts'
import { addCall, addSound, live } from '../../../../test/kit/calls.ts'
import { addNumber, addTeam, addUser } from '../../../../test/kit/flows.ts'
import { openOffice } from '../../../../test/kit/phone.ts'
import { openPhone, type ReceivedMessage } from '../../../../test/live/phone-app.ts'

const callEvents = async ({ events, a }: TestApp) => (await events(a)).filter(({ name }) => name.startsWith('call.'))

onAnyDatabase('recordings and voicemails', (open) => {
  test('one that is deleted is gone for good, with every address of it', async () => {
    const app = await open()
    const { a } = app
    const number = await addNumber(a)
    const call = await addCall(app, a, { numberId: number.id })
    const key = await addSound(app, call, 'recording')
    const path = `/v1/calls/${call.id}`
    const before = (await a.api('GET', `${path}?fetch_short_urls=true`)).json.call
    expect((await fetch(before.recording)).status).toBe(200)

    expect((await a.api('DELETE', `${path}/voicemail`)).status).toBe(204)
    expect((await a.api('GET', path)).json.call.asset).toMatch(new RegExp(`/recording/${call.id}$`))
    expect((await a.api('DELETE', `${path}/recording`)).status).toBe(204)
    expect((await a.api('DELETE', `${path}/recording`)).status).toBe(204)

    const after = (await a.api('GET', `${path}?fetch_short_urls=true`)).json.call
    expect(after).toMatchObject({ recording: null, asset: null })
    expect(after).not.toHaveProperty('recording_short_url')
    expect((await fetch(before.recording)).status).toBeGreaterThanOrEqual(400)
    expect((await fetch(before.recording_short_url, { redirect: 'manual' })).status).toBeGreaterThanOrEqual(400)
    expect(await app.app.services.files.size(key)).toBeUndefined()
    expect(await callEvents(app)).toEqual([])
    expect((await a.api('DELETE', '/v1/calls/999999/recording')).status).toBe(404)
  })

  test('a recording is steered only while an answered call is on a Number that records', async () => {
    const app = await open()
    const { a } = app
    const [number, grace] = [await addNumber(a), await addUser(a, 'Grace')]
    const done = await addCall(app, a, { numberId: number.id, userId: grace.id })
    const ringing = await addCall(app, a, { numberId: number.id, endedAt: null, missedReason: null })
    const talking = await addCall(app, a, { numberId: number.id, ...live(grace.id) })
    await a.api('PUT', `/v1/numbers/${number.id}`, { live_recording_activated: false })

    for (const word of ['pause_recording', 'resume_recording']) {
      const post = (id: number) => a.api('POST', `/v1/calls/${id}/${word}`)
      expect((await post(done.id)).status).toBe(400)
      expect((await post(ringing.id)).status).toBe(400)
      expect((await post(999_999)).status).toBe(404)
      const off = await post(talking.id)
      expect([off.status, off.json.error, off.headers.get('allow')]).toEqual([405, 'Method Not Allowed', 'POST'])
    }
  })
})

onAnyDatabase('transfers', (open) => {
  test('to exactly one target that is there, of a call that goes on', async () => {
    const app = await open()
    const { a, b } = app
    const [number, grace] = [await addNumber(a), await addUser(a, 'Grace')]
    const [team, foreign] = [await addTeam(a, 'Sales', [grace]), await addTeam(b, 'Theirs')]
    const talking = await addCall(app, a, { numberId: number.id, ...live(grace.id) })
    const done = await addCall(app, a, { numberId: number.id, userId: grace.id })
    const send = async (id: number, body: unknown) => (await a.api('POST', `/v1/calls/${id}/transfers`, body)).status
    const outside = '+33199000123'

    for (const none of [{}, { number_id: 5 }, { user_id: null, team_id: null }]) {
      expect(await send(talking.id, none), JSON.stringify(none)).toBe(422)
    }
    for (const bad of [
      { user_id: grace.id, team_id: team.id },
      { user_id: grace.id, number: outside },
      { number: '0199000123' },
      { number: '' },
      { user_id: 'me' },
      { user_id: grace.id, dispatching_strategy: 'random' },
      { number: outside, dispatching_strategy: 'random' },
      { team_id: team.id, dispatching_strategy: 'one_by_one' },
    ]) {
      expect(await send(talking.id, bad), JSON.stringify(bad)).toBe(400)
    }
    for (const unknown of [
      { user_id: 999_999 },
      { team_id: 999_999 },
      { team_id: foreign.id },
      { user_id: b.ownerId },
    ]) {
      expect(await send(talking.id, unknown), JSON.stringify(unknown)).toBe(404)
    }
    expect(await send(999_999, {})).toBe(404)
    for (const target of [{ user_id: grace.id }, { team_id: team.id }, { number: outside }]) {
      expect(await send(done.id, target), JSON.stringify(target)).toBe(400)
    }
    expect(await callEvents(app)).toEqual([])
  })
})

const cardsIn = (received: readonly ReceivedMessage[]) =>
  received.flatMap(({ type, contents }) => (type === 'insight_card' ? [contents] : []))

onAnyDatabase('insight cards', (open) => {
  test('the card is shown to the users on the call and to no other user', async () => {
    const office = await openOffice(open)
    const { ada, bea, cem, a, b } = office
    const [onAda, onBea] = [await openPhone(office, { userId: ada }), await openPhone(office, { userId: bea })]
    const onCem = await openPhone(office, { userId: cem })
    const id = await office.call(await office.line())
    const contents = [
      { type: 'title', text: 'Rosa Lambert', link: 'https://crm.example.com/7' },
      { type: 'shortText', label: 'Plan', text: 'Gold' },
    ]
    const send = (from: TestCompany, lines: object[]) =>
      from.api('POST', `/v1/calls/${id}/insight_cards`, { contents: lines })

    const { status, json } = await send(a, contents)
    await office.does(ada, { kind: 'answer' })
    const later = [{ type: 'title', text: 'Later' }]
    expect((await send(a, later)).status).toBe(201)
    expect((await send(b, contents)).status).toBe(404)
    await onAda.until((received) => cardsIn(received).length === 2)

    expect([status, json]).toEqual([201, {}])
    expect(cardsIn(onAda.received)).toEqual([contents, later])
    expect(cardsIn(onBea.received)).toEqual([contents])
    expect(cardsIn(onCem.received)).toEqual([])
    await office.does(ada, { kind: 'hang_up' })
    expect((await send(a, contents)).status).toBe(201)
    expect((await office.show(id)).status).toBe('done')
  })

  test('what is no card, or would do harm, is refused', async () => {
    const app = await open()
    const { a } = app
    const number = await addNumber(a)
    const call = await addCall(app, a, { numberId: number.id })
    const send = async (body: unknown) => (await a.api('POST', `/v1/calls/${call.id}/insight_cards`, body)).status
    const line = (more: object) => ({ contents: [{ type: 'title', text: 'x', ...more }] })

    expect(await send(line({}))).toBe(201)
    for (const missing of [{}, { contents: [] }, { contents: [{ type: 'title' }] }, { contents: [{ text: 'x' }] }]) {
      expect(await send(missing), JSON.stringify(missing)).toBe(422)
    }
    for (const bad of [
      { contents: 'x' },
      line({ type: 'image' }),
      line({ text: 5 }),
      line({ label: 5 }),
      line({ link: {} }),
    ]) {
      expect(await send(bad), JSON.stringify(bad)).toBe(400)
    }
    for (const link of [
      'javascript:alert(1)',
      ' JavaScript:alert(1)',
      'java\nscript:alert(1)',
      '\u0001javascript:alert(1)',
      'data:text/html,x',
      'vbscript:x',
      'FILE:///etc/passwd',
    ]) {
      expect(await send(line({ link })), JSON.stringify(link)).toBe(400)
    }
    for (const link of ['https://example.com', 'tel:+33199000001', 'mailto:a@example.com', 'crm://7', '/javascript:']) {
      expect(await send(line({ link })), link).toBe(201)
    }
    const size = (bytes: number) => {
      const empty = JSON.stringify(line({ text: '' })).length
      return send(line({ text: 'x'.repeat(bytes - empty) }))
    }
    expect(await size(10_239)).toBe(201)
    expect(await size(10_240)).toBe(400)
    expect(await size(20_000)).toBe(400)
  })
})
