import { expect, test } from 'vitest'
import { onAnyDatabase } from '../kit/app.ts'
import { decibelsAbove, type Voice } from '../kit/tones.ts'
import { agentOnCall, answerWith, openVoiceOffice, soundOf } from '../kit/voice.ts'

type Heard = Awaited<ReturnType<typeof soundOf>>['received']

/** Both tones are audible, the own one and the music on hold are not. */
const hearsBoth = (received: Heard, one: Voice, other: Voice, own: Voice) =>
  received.until((samples) =>
    [one, other].every((voice) =>
      [own, 'music' as const].every((absent) => decibelsAbove(voice, absent, samples) > 20),
    ),
  )

onAnyDatabase('two merged calls over real lines', (open) => {
  test('connect all three parties, and the other two go on when a customer leaves', async () => {
    const office = await openVoiceOffice(open)
    const { phone, agent, call: first } = await agentOnCall(office)
    await agent.received.onlyTone('caller')
    const wire = await soundOf('agent')
    const dial = { type: 'dial', to: '+14155550123', number_id: office.line.id, sdp_offer: wire.offer }
    expect(await phone.ask(dial)).toMatchObject({ ok: true })
    const answers = await phone.until((received) => received.filter(({ type }) => type === 'sdp_answer').length === 2)
    await wire.accept(answers.findLast(({ type }) => type === 'sdp_answer').sdp_answer)
    const second = await office.picksUp('prompt')
    await Promise.all([wire.received.onlyTone('prompt'), second.sound.received.onlyTone('agent')])

    expect(await phone.ask({ type: 'merge' })).toMatchObject({ ok: true })

    await Promise.all([
      hearsBoth(agent.received, 'caller', 'prompt', 'agent'),
      hearsBoth(first.sound.received, 'agent', 'prompt', 'caller'),
      hearsBoth(second.sound.received, 'agent', 'caller', 'prompt'),
    ])
    first.hangUp()
    await Promise.all([agent.received.onlyTone('prompt'), second.sound.received.onlyTone('agent')])
    expect(await phone.ask({ type: 'hang_up' })).toMatchObject({ ok: true })
    await second.over()
  })

  test('connect a colleague, who stays with the customer when the agent leaves', async () => {
    const office = await openVoiceOffice(open)
    const { phone, agent, call } = await agentOnCall(office)
    const bea = await office.person('bea')
    const { extension } = (await office.app.a.api('GET', `/v1/users/${bea}`)).json.user
    const colleague = await soundOf('supervisor')
    const herPhone = await office.phone(bea)
    const wire = await soundOf('agent')
    expect(await phone.ask({ type: 'dial', to: extension, sdp_offer: wire.offer })).toMatchObject({ ok: true })
    await answerWith(herPhone, colleague)
    const answers = await phone.until((received) => received.filter(({ type }) => type === 'sdp_answer').length === 2)
    await wire.accept(answers.findLast(({ type }) => type === 'sdp_answer').sdp_answer)
    await Promise.all([wire.received.onlyTone('supervisor'), colleague.received.onlyTone('agent')])

    expect(await phone.ask({ type: 'merge' })).toMatchObject({ ok: true })

    await Promise.all([
      hearsBoth(agent.received, 'caller', 'supervisor', 'agent'),
      hearsBoth(call.sound.received, 'agent', 'supervisor', 'caller'),
      hearsBoth(colleague.received, 'agent', 'caller', 'supervisor'),
    ])
    expect(await phone.ask({ type: 'hang_up' })).toMatchObject({ ok: true })
    await Promise.all([call.sound.received.onlyTone('supervisor'), colleague.received.onlyTone('caller')])
    call.hangUp()
  })
})
