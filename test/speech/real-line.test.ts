import { describe, expect, test } from 'vitest'
import { testApp } from '../kit/app.ts'
import { onEverywhere } from '../kit/conversations.ts'
import { canSpeak, conversationOf, modelsFolder, sidesWith, silence } from '../kit/spoken.ts'
import { speakAs } from '../kit/tones.ts'
import { answerWith, openVoiceOffice, soundOf } from '../kit/voice.ts'

// Speech all the way: over a trunk and out of a browser, through the media program, into the recording, and understood.

describe.skipIf(!canSpeak)('a call over a real line on which people speak', () => {
  test('has a transcript with the words of each participant', async () => {
    const placed = await conversationOf(
      [
        'c: Good morning, I am calling about an invoice that I received.',
        'a: Thank you for calling, I will look at your account.',
      ],
      700,
    )
    const [ours, theirs] = sidesWith(placed, silence)
    const office = await openVoiceOffice(testApp, { AI_MODELS_DIR: modelsFolder() ?? '' })
    const { a } = office.app
    await a.own('PUT', '/v1/intelligence/settings', onEverywhere)
    const ada = await office.person('ada')
    await a.api('PUT', `/v1/numbers/${office.line.id}`, { live_recording_activated: true })
    const ring = {
      type: 'ring_to',
      targets: [{ type: 'user', id: ada }],
      strategy: 'simultaneous',
      max_wait_seconds: 60,
    }
    await office.flow(
      { ring: { ...ring, branches: { no_answer: 'end' } }, end: { type: 'hang_up', media: null } },
      'ring',
    )
    const phone = await office.phone(ada)
    const played = [speakAs('agent', ours), speakAs('caller', theirs)]
    const agent = await soundOf('agent')

    const call = await office.call()
    await answerWith(phone, agent)
    await call.answered()
    await Promise.all(played)
    await phone.ask({ type: 'hang_up' })
    await call.over()

    let utterances: { participant_type: string; user_id?: number; text: string; phone_number?: string }[] = []
    await expect
      .poll(
        async () => {
          const [one] = (await a.api('GET', '/v1/calls')).json.calls
          const { json } = one ? await a.api('GET', `/v1/calls/${one.id}/transcription`) : { json: {} }
          utterances = json.transcription?.content.utterances ?? []
          return utterances.length
        },
        { timeout: 60_000 },
      )
      .toBe(2)
    const [first, second] = utterances
    expect(first).toMatchObject({ participant_type: 'external', phone_number: '+14155550199' })
    expect(first?.text.toLowerCase()).toContain('invoice')
    expect(second).toMatchObject({ participant_type: 'internal', user_id: ada })
    expect(second?.text.toLowerCase()).toContain('account')
  })
})
