import { expect, test } from 'vitest'
import { testApp } from '../kit/app.ts'
import { answerWith, openBusyOffice, ringing, soundOf } from '../kit/voice.ts'

test('at the limit of calls inbound calls get 503 and outbound ones a reason, until a call has ended', async () => {
  const office = await openBusyOffice(testApp, {}, { RTP_MAX_CALLS: '1' })
  const { app, carrier, line } = office
  const { a } = app
  const [ada, bea] = [await office.person('ada'), await office.person('bea')]
  await a.own('PUT', `/v1/numbers/${line.id}/users`, { user_ids: [ada, bea] })
  await office.flow(ringing(ada), 'ring')
  const [phone, other] = [await office.phone(ada), await office.phone(bea)]
  const [agent, dialler] = [await soundOf('agent'), await soundOf('supervisor')]
  const first = await carrier.call(line.digits)
  await answerWith(phone, agent)
  await first.answered
  await first.sound.received.onlyTone('agent')

  const second = await carrier.call(line.digits)
  const dialled = { type: 'dial', to: '+14155550123', number_id: line.id, sdp_offer: dialler.offer }
  const refused = await other.ask(dialled)

  expect(await second.over).toMatch(/^SIP\/2\.0 503 /)
  expect(refused).toMatchObject({ ok: false, why: expect.stringContaining('as many calls as it can') })
  await Promise.all([first.sound.received.onlyTone('agent'), agent.received.onlyTone('caller')])
  first.hangUp()
  await expect.poll(() => other.ask(dialled)).toMatchObject({ ok: true })
  const calls = (await a.api('GET', '/v1/calls')).json.calls
  expect(calls.map(({ direction }: { direction: string }) => direction).sort()).toEqual(['inbound', 'outbound'])
})

test('while another company waits for media, a company gets no more than its share, and emergency calls pass', async () => {
  const office = await openBusyOffice(testApp, {}, { RTP_MAX_CALLS: '2', SIP_REFUSE_EMERGENCY: '0' })
  const { app, carrier, line } = office
  const { a, b } = app
  const [trunk] = (await a.own('GET', '/v1/trunks')).json.trunks
  const emergency = await a.own('PUT', `/v1/trunks/${trunk.id}`, { emergency: true })
  const others = '+14155550160'
  await b.own('POST', '/v1/numbers', { digits: others, name: 'Other company' })
  await b.own('POST', '/v1/trunks', { name: 'Carrier', host: '127.0.0.1', port: carrier.port, prefixes: [] })
  const [ada, bea] = [await office.person('ada'), await office.person('bea')]
  await office.flow(ringing(ada), 'ring')
  const phone = await office.phone(bea)
  await carrier.settle()
  const [first, second] = [await carrier.call(line.digits), await carrier.call(line.digits)]
  const active = async () => {
    const { calls } = (await a.api('GET', '/v1/calls')).json
    return calls.filter(({ status }: { status: string }) => status !== 'done').length
  }
  const outcome = async (to: string) => {
    const call = await carrier.call(to)
    const end = await Promise.race([call.answered.then(() => 'answered'), call.over])
    return end.split('\r\n', 1)[0]
  }
  await expect.poll(active).toBe(2)

  const refused = await outcome(others)
  first.hangUp()
  await expect.poll(active).toBe(1)
  await expect
    .poll(
      async () => {
        expect(await outcome(line.digits)).toMatch(/^SIP\/2\.0 503 /)
        return app.logged()
      },
      { interval: 500 },
    )
    .toMatch(/"event":"media.refused".*"rule":"share"/)
  await expect.poll(() => outcome(others), { interval: 500 }).toBe('answered')

  expect([emergency.status, refused]).toEqual([200, expect.stringMatching(/^SIP\/2\.0 503 /)])
  expect(app.logged()).toMatch(/"event":"media.refused".*"rule":"capacity"/)
  const mails = async (company: typeof a) => {
    const { mails: all } = (await company.own('GET', '/v1/mail_outbox')).json
    return all.filter(({ subject }: { subject: string }) => subject.startsWith('Calls are being rejected')).length
  }
  await expect.poll(() => mails(a)).toBeGreaterThan(0)
  expect(await mails(b)).toBe(1)
  const { offer } = await soundOf('agent')
  const dial = (to: string) => phone.ask({ type: 'dial', to, number_id: line.id, sdp_offer: offer })
  expect(await dial('+14155550123')).toMatchObject({
    ok: false,
    why: expect.stringContaining('as many calls as it can'),
  })
  expect(await dial('911')).toMatchObject({ ok: true })
  second.hangUp()
})
