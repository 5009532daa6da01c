import { expect, test } from 'vitest'
import { onAnyDatabase } from '../kit/app.ts'
import { openOffice, ringTo, toUser, voicemail } from '../kit/phone.ts'
import { openPhone } from './phone-app.ts'

// A phone app that reloads during a call restores its state.

onAnyDatabase('a reconnecting phone app', (open) => {
  test('is shown its ring with caller, contact, line and menu choice', async () => {
    const office = await openOffice(open)
    const { a, ada } = office
    const options = [{ key: '2', title: 'Billing' }]
    const menu = { type: 'ivr', media: null, options, branches: { '2': 'ring', fallback: 'box' } }
    const line = await office.line({ menu, ring: ringTo([toUser(ada)]), box: voicemail })
    const phones = [{ label: 'Work', value: '+33612345678' }]
    await a.api('POST', '/v1/contacts', { first_name: 'Ines', last_name: 'Bond', phone_numbers: phones })
    const phone = await openPhone(office, { userId: ada })

    const id = await office.call(line, { script: [{ press: '2' }] })
    await phone.first('ring')
    const reply = await phone.ask({ type: 'calls' })

    expect(reply).toMatchObject({
      ok: true,
      now: expect.any(Number),
      calls: [
        {
          call_id: id,
          state: 'ringing',
          phase: 'ringing',
          purpose: 'inbound',
          external: '+33612345678',
          external_display: '+33 6 12 34 56 78',
          contact: 'Ines Bond',
          number: { id: line.id, digits: line.digits },
          menu: 'Billing',
        },
      ],
    })
  })

  test('restores hold, mute, a paused recording and a consultation', async () => {
    const office = await openOffice(open)
    const { ada, bea } = office
    const line = await office.line({ ring: ringTo([toUser(ada)]), box: voicemail }, { recording: true })
    const phone = await openPhone(office, { userId: ada, query: { session: 'tab' } })
    await office.connect(bea)
    await office.call(line)
    await phone.first('ring')
    await phone.ask({ type: 'answer' })
    await phone.ask({ type: 'mute' })
    await phone.ask({ type: 'pause_recording' })
    await phone.ask({ type: 'consult', to: { user_id: bea } })
    await office.settle()
    await phone.close()

    const back = await openPhone(office, { userId: ada, query: { session: 'tab' } })
    expect(back.received[0].calls).toMatchObject([
      {
        state: 'on_call',
        phase: 'talking',
        held: true,
        muted: true,
        recording: 'paused',
        consultation: { purpose: 'consult', to: 'bea Agent', state: 'ringing' },
        aside: { purpose: 'consult', to: 'bea Agent', state: 'ringing' },
      },
    ])

    await office.does(bea, { kind: 'answer' })
    await back.until((all) => all.some(({ type, state }) => type === 'call' && state === 'reached'))
    expect((await back.ask({ type: 'calls' })).calls).toMatchObject([{ consultation: { state: 'joined' } }])
    const asked = await openPhone(office, { userId: bea })
    expect(asked.received[0].calls).toMatchObject([{ phase: 'consulted', given_by: { id: ada } }])
  })

  test('asking for its calls does not make it the phone in use', async () => {
    const office = await openOffice(open)
    const { a, ada } = office
    const first = await openPhone(office, { userId: ada, query: { session: 'first' } })
    const second = await openPhone(office, { userId: ada, query: { session: 'second' } })

    await first.ask({ type: 'calls' })
    await a.api('POST', `/v1/users/${ada}/dial`, { to: '+33612345678' })

    expect(await second.first('dial')).toMatchObject({ to: '+33612345678' })
  })
})
