import { expect, test } from 'vitest'
import { testApp } from '../kit/app.ts'
import { testEngines } from '../kit/engines.ts'
import { agentOnCall, openVoiceOffice } from '../kit/voice.ts'

test('both sides of a call over a trunk are transcribed in real time', async () => {
  const engines = testEngines()
  const office = await openVoiceOffice((options) => testApp({ ...options, ai: engines.ai }))
  const { a } = office.app
  await a.own('PUT', '/v1/intelligence/settings', { enabled: true, language: null, numbers: [] })
  await a.api('PUT', `/v1/numbers/${office.line.id}`, { live_recording_activated: true })
  engines.callerSays('My invoice is wrong', 'I see')

  const { userId, phone, agent, call } = await agentOnCall(office)
  await Promise.all([agent.received.onlyTone('caller'), call.sound.received.onlyTone('agent')])
  call.sound.stopSending()
  const first = await phone.first('utterance')
  await phone.ask({ type: 'mute' })
  const received = await phone.until((all) => all.filter(({ type }) => type === 'utterance').length === 2)
  await phone.ask({ type: 'hang_up' })
  await call.over()

  expect(first.utterance).toMatchObject({
    participant_type: 'external',
    phone_number: '+14155550199',
    text: 'My invoice is wrong',
  })
  expect(received.findLast(({ type }) => type === 'utterance').utterance).toMatchObject({
    participant_type: 'internal',
    user_id: userId,
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
})
