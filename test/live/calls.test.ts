import { expect, test } from 'vitest'
import { onAnyDatabase } from '../kit/app.ts'
import { openOffice, ringTo, toUser, voicemail } from '../kit/phone.ts'
import { openPhone, type PhoneApp } from './phone-app.ts'

// A phone app on the real engine: rings, answers, insight cards, and permissions.

const states = (phone: PhoneApp) => phone.received.flatMap(({ type, state }) => (type === 'call' ? [state] : []))
const events = (phone: PhoneApp) =>
  phone.received.flatMap(({ type, name }) => (type === 'event' && name.startsWith('call.') ? [name.slice(5)] : []))

onAnyDatabase('a phone app', (open) => {
  test('rings, answers, receives insight cards, and ends the call', async () => {
    const office = await openOffice(open)
    const { ada, bea, a, clock } = office
    const line = await office.line()
    const phone = await openPhone(office, { userId: ada, query: { session: 'tab' } })
    const other = await openPhone(office, { userId: bea })
    expect(phone.received[0].presence).toBe('available')

    const id = await office.call(line)
    const ring = await phone.first('ring')
    await other.first('ring')
    expect(ring).toMatchObject({ call_id: id, from: '+33612345678', number_id: line.id, purpose: 'inbound' })
    const late = await openPhone(office, { userId: ada, query: { session: 'late' } })
    expect(late.received[0].calls).toMatchObject([
      {
        key: ring.key,
        call_id: id,
        state: 'ringing',
        direction: 'inbound',
        external: '+33612345678',
        number_id: line.id,
      },
    ])
    expect(await phone.ask({ type: 'answer', sdp_offer: 'v=0' })).toMatchObject({ ok: true })
    expect(await other.ask({ type: 'answer', key: ring.key })).toMatchObject({ ok: false })
    expect((await other.first('ring_stop')).why).toBe('answered_elsewhere')
    await office.settle()
    expect(await phone.first('sdp_answer')).toMatchObject({ key: ring.key, session: 'tab', sdp_answer: null })

    const contents = [{ type: 'title', text: 'A good customer' }]
    expect((await a.api('POST', `/v1/calls/${id}/insight_cards`, { contents })).status).toBe(201)
    expect(await phone.first('insight_card')).toEqual({ type: 'insight_card', call_id: id, contents })
    expect(await phone.ask({ type: 'hold' })).toMatchObject({ ok: true })
    expect(await phone.ask({ type: 'hold' })).toMatchObject({ ok: false, why: expect.stringMatching(/hold/) })
    expect(await phone.ask({ type: 'unhold', key: ring.key })).toMatchObject({ ok: true })
    expect(await other.ask({ type: 'pause_recording', key: ring.key })).toMatchObject({ ok: false })
    expect(await phone.ask({ type: 'comment', content: 'Called about 📞 phones' })).toMatchObject({ ok: true })
    expect(await phone.ask({ type: 'hang_up' })).toMatchObject({ ok: true })
    await office.settle()
    await clock.advance(31_000)
    await phone.until(() => events(phone).includes('commented'))

    expect(states(phone)).toContain('connected')
    expect(states(phone).at(-1)).toBe('ended')
    // It rang on two phones: each app receives its own ring only.
    expect(events(phone)).toEqual(['ringing_on_agent', 'answered', 'hold', 'unhold', 'hungup', 'ended', 'commented'])
    expect(events(other)).toEqual(['ringing_on_agent'])
    expect(other.received.some(({ type }) => type === 'insight_card')).toBe(false)
    expect((await office.show(id)).comments[0].content).toBe('Called about  phones')
  })

  test('shows the cards of a call that were sent before it rang, also after a transfer', async () => {
    const office = await openOffice(open)
    const { ada, bea, a, pass } = office
    const line = await office.line({
      welcome: { type: 'audio', media: null, branches: { next: 'ring' } },
      ring: ringTo([toUser(ada)]),
      box: voicemail,
    })
    const phone = await openPhone(office, { userId: ada })
    const colleague = await openPhone(office, { userId: bea })
    const id = await office.call(line)
    const first = [{ type: 'title', text: 'Sent during the welcome message' }]
    const second = [{ type: 'title', text: 'Sent during the talk' }]
    const cards = (app: PhoneApp) =>
      app.received.flatMap(({ type, contents }) => (type === 'insight_card' ? [contents] : []))

    expect((await a.api('POST', `/v1/calls/${id}/insight_cards`, { contents: first })).status).toBe(201)
    expect(cards(phone)).toEqual([])
    await pass(10)
    const { key } = await phone.first('ring')
    await phone.first('insight_card')
    await phone.ask({ type: 'answer', key })
    await a.api('POST', `/v1/calls/${id}/insight_cards`, { contents: second })
    await phone.until(() => cards(phone).length === 2)
    await a.api('POST', `/v1/calls/${id}/transfers`, { user_id: bea })
    await colleague.until(() => cards(colleague).length === 2)
    await colleague.ask({ type: 'answer', key })
    await colleague.ask({ type: 'hang_up', key })
    await office.settle()

    expect([cards(phone), cards(colleague)]).toEqual([
      [first, second],
      [first, second],
    ])
    expect((await a.api('POST', `/v1/calls/${id}/insight_cards`, { contents: first })).status).toBe(201)
  })

  test('dials only from a Number of the user', async () => {
    const office = await openOffice(open)
    const { ada, cem, a } = office
    const line = await office.line()
    const phone = await openPhone(office, { userId: ada })
    const stranger = await openPhone(office, { userId: cem })

    expect(await stranger.ask({ type: 'dial', to: '+33612345678', number_id: line.id })).toMatchObject({
      ok: false,
      why: 'The user is not linked to the Number',
    })
    const reply = await phone.ask({ type: 'dial', to: '+33612345678', number_id: line.id })

    expect(reply).toMatchObject({ ok: true, key: expect.any(String), call_id: expect.any(Number) })
    expect((await a.api('GET', `/v1/calls/${reply.call_id}`)).json.call).toMatchObject({
      direction: 'outbound',
      user: { id: ada },
    })
    expect(await stranger.ask({ type: 'hang_up', key: reply.key })).toMatchObject({ ok: false })
    expect(await phone.ask({ type: 'hang_up', key: reply.key })).toMatchObject({ ok: true })
  })

  test('dials the emergency number of the country, which is not treated as an extension', async () => {
    const office = await openOffice(open)
    const line = await office.line()
    const phone = await openPhone(office, { userId: office.ada })

    const help = await phone.ask({ type: 'dial', to: '15', number_id: line.id })
    const shown = (await phone.ask({ type: 'calls' })).calls
    await phone.ask({ type: 'hang_up', key: help.key })

    expect(help).toMatchObject({ ok: true, call_id: expect.any(Number) })
    expect(shown).toMatchObject([{ key: help.key, external: '15', number_id: line.id, line: 'simulated' }])
    expect(await phone.ask({ type: 'dial', to: '911', number_id: line.id })).toMatchObject({
      ok: false,
      why: 'No user has this extension',
    })
  })
})
