import { expect, test } from 'vitest'
import { testApp } from '../kit/app.ts'
import { decibelsAbove, loudest, loudnessOf, type Voice } from '../kit/tones.ts'
import { answerWith, openVoiceOffice, ringing, soundOf } from '../kit/voice.ts'

// Calls with several participants, by the audio that each of them receives.

const both = (one: Voice, other: Voice, not: Voice) => (samples: Int16Array) =>
  decibelsAbove(one, not, samples) > 20 && decibelsAbove(other, not, samples) > 20

test('a conference of a customer, two agents and an external participant: each receives all the others', async () => {
  const office = await openVoiceOffice(testApp)
  const [ada, bea] = [await office.person('ada'), await office.person('bea')]
  await office.flow(ringing(ada), 'ring')
  const [first, second] = [await office.phone(ada), await office.phone(bea)]
  const [agent, colleague] = [await soundOf('agent'), await soundOf('supervisor')]
  const call = await office.call()
  await answerWith(first, agent)
  await call.answered()

  expect(await first.ask({ type: 'add_participant', to: { user_id: bea } })).toMatchObject({ ok: true })
  await answerWith(second, colleague)
  await call.sound.received.until(both('agent', 'supervisor', 'music'))
  await agent.received.until(both('caller', 'supervisor', 'music'))
  await colleague.received.until(both('caller', 'agent', 'music'))

  expect(await first.ask({ type: 'add_participant', to: { number: '+14155550124' } })).toMatchObject({ ok: true })
  const outside = await office.picksUp('prompt')
  await outside.sound.received.until(both('caller', 'agent', 'music'))
  await call.sound.received.until(both('agent', 'prompt', 'music'))

  expect(await second.ask({ type: 'hang_up' })).toMatchObject({ ok: true })
  await call.sound.received.until((samples) => decibelsAbove('agent', 'supervisor', samples) > 20)
})

test('a warm transfer to a colleague and a transfer to a team, with hold music in between', async () => {
  const office = await openVoiceOffice(testApp)
  const { a } = office.app
  const [ada, bea, cy] = [await office.person('ada'), await office.person('bea'), await office.person('cy')]
  const team = (await a.api('POST', '/v1/teams', { name: 'Second line' })).json.team.id
  await a.api('POST', `/v1/teams/${team}/users/${cy}`)
  await office.flow(ringing(ada), 'ring')
  const [first, second, third] = [await office.phone(ada), await office.phone(bea), await office.phone(cy)]
  const [agent, colleague, expert] = [await soundOf('agent'), await soundOf('supervisor'), await soundOf('prompt')]
  const call = await office.call()
  await answerWith(first, agent)
  await call.answered()
  await call.sound.received.onlyTone('agent')

  expect(await first.ask({ type: 'consult', to: { user_id: bea } })).toMatchObject({ ok: true })
  await answerWith(second, colleague)
  await Promise.all([colleague.received.onlyTone('agent'), agent.received.onlyTone('supervisor')])
  await call.sound.received.until(isMusic)
  expect(await first.ask({ type: 'complete_transfer' })).toMatchObject({ ok: true })
  await Promise.all([call.sound.received.onlyTone('supervisor'), colleague.received.onlyTone('caller')])

  expect(await second.ask({ type: 'transfer', to: { team_id: team } })).toMatchObject({ ok: true })
  await call.sound.received.until(isMusic)
  await answerWith(third, expert)
  await Promise.all([call.sound.received.onlyTone('prompt'), expert.received.onlyTone('caller')])
})

test('a waiting caller hears music and the position in the queue, requests a callback, and is called back', async () => {
  const office = await openVoiceOffice(testApp)
  const ada = await office.person('ada')
  const phone = await office.phone(ada)
  const own = (availability_status: string) => office.app.a.api('PUT', `/v1/users/${ada}`, { availability_status })
  await own('unavailable')
  const wait = {
    type: 'waiting',
    media: null,
    callback: true,
    announce_position: true,
    announce_every_seconds: 15,
    branches: { next: 'ring', callback: 'later' },
  }
  await office.flow({ wait, ...ringing(ada), later: { type: 'callback', media: null } }, 'wait')
  const agent = await soundOf('agent')
  const call = await office.call()
  await call.answered()
  await call.sound.received.until((samples) => loudest(samples) > 300)

  await call.sound.press('1')
  await call.over()
  await own('available')
  await answerWith(phone, agent)
  const customer = await office.picksUp()

  expect(customer.to).toBe('+14155550199')
  await Promise.all([customer.sound.received.onlyTone('agent'), agent.received.onlyTone('caller')])
})

/** Audio that is none of the participants. Notes of the music may have a participant's pitch, but not its level. */
function isMusic(samples: Int16Array): boolean {
  const parties: Voice[] = ['agent', 'caller', 'supervisor', 'prompt']
  return loudest(samples) > 300 && parties.every((one) => loudnessOf(one, samples) < 4_000)
}
