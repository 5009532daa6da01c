import { expect, test } from 'vitest'
import { testApp } from '../kit/app.ts'
import { testEngines } from '../kit/engines.ts'
import { answerWith, openVoiceOffice, soundOf } from '../kit/voice.ts'

test('both sides of a call over a real line are written down while it goes on', async () => {
  const engines = testEngines()
  const office = await openVoiceOffice((options) => testApp({ ...options, ai: engines.ai }))
  const { a } = office.app
  await a.own('PUT', '/v1/intelligence/settings', { enabled: true, language: null, numbers: [] })
  await a.api('PUT', `/v1/numbers/${office.line.id}`, { live_recording_activated: true })
  const ada = await office.person('ada')
  await office.flow(
    {
      ring: {
        type: 'ring_to',
        targets: [{ type: 'user', id: ada }],
        strategy: 'simultaneous',
        max_wait_seconds: 60,
        branches: { no_answer: 'end' },
      },
      end: { type: 'hang_up', media: null },
    },
    'ring',
  )
  const phone = await office.phone(ada)
  const agent = await soundOf('agent')
  engines.callerSays('My invoice is wrong', 'I see')

  const call = await office.call()
  await answerWith(phone, agent)
  await call.answered()
  await agent.ear.hearsOnly('caller')
  await call.sound.ear.hearsOnly('agent')
  call.sound.hush()
  const first = await phone.first('utterance')
  await phone.ask({ type: 'mute' })
  const told = await phone.until((all) => all.filter(({ type }) => type === 'utterance').length === 2)
  await phone.ask({ type: 'hang_up' })
  await call.over()

  expect(first.utterance).toMatchObject({
    participant_type: 'external',
    phone_number: '+14155550199',
    text: 'My invoice is wrong',
  })
  expect(told.findLast(({ type }) => type === 'utterance').utterance).toMatchObject({
    participant_type: 'internal',
    user_id: ada,
    text: 'I see',
  })
  const url = `/v1/calls/${first.call_id}/transcription?mode=realtime`
  await expect.poll(async () => (await a.api('GET', url)).status).toBe(200)
  const { utterances } = (await a.api('GET', url)).json.transcription.content
  expect(utterances).toHaveLength(2)
  for (const { start_time, end_time } of utterances) {
    expect(start_time).toBeGreaterThanOrEqual(0)
    expect(end_time).toBeGreaterThan(start_time)
  }
}, 60_000)
