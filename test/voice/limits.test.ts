import { expect, test } from 'vitest'
import { testApp } from '../kit/app.ts'
import { answerWith, openBusyOffice, soundOf } from '../kit/voice.ts'

test('a server with all the calls it can carry: the next caller hears 503, whoever dials hears why, and then there is room again', async () => {
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
  await first.sound.ear.hearsOnly('agent')

  const second = await carrier.call(line.digits)
  const dialled = { type: 'dial', to: '+14155550123', number_id: line.id, sdp_offer: dialler.offer }
  const refused = await other.ask(dialled)

  expect(await second.over).toMatch(/^SIP\/2\.0 503 /)
  expect(refused).toMatchObject({ ok: false, why: expect.stringContaining('as many calls as it can') })
  await first.sound.ear.hearsOnly('agent')
  await agent.ear.hearsOnly('caller')
  first.hangUp()
  await expect.poll(() => other.ask(dialled), { timeout: 30_000 }).toMatchObject({ ok: true })
  const calls = (await a.api('GET', '/v1/calls')).json.calls
  expect(calls.map(({ direction }: { direction: string }) => direction).sort()).toEqual(['inbound', 'outbound'])
})

const ringing = (...users: number[]) => ({
  ring: {
    type: 'ring_to',
    targets: users.map((id) => ({ type: 'user', id })),
    strategy: 'simultaneous',
    max_wait_seconds: 60,
    branches: { no_answer: 'end' },
  },
  end: { type: 'hang_up', media: null },
})
