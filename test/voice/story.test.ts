import { describe, expect, test } from 'vitest'
import { strengthOf } from '../../src/media/goertzel.ts'
import { sampleRate } from '../../src/media/mp3.ts'
import { onAnyDatabase, testApp } from '../kit/app.ts'
import { eventually } from '../kit/eventually.ts'
import { decibelsAbove, loudest, pitch, type Voice } from '../kit/tones.ts'
import { answerWith, openVoiceOffice, ringing, soundOf } from '../kit/voice.ts'

const decibels = (ratio: number) => 20 * Math.log10(ratio)

onAnyDatabase('a call over a real line', (open) => {
  test('rings a browser, carries audio both ways, is held with music, is recorded in stereo, and ends with BYE', async () => {
    const office = await openVoiceOffice(open)
    const { a } = office.app
    const ada = await office.person('ada')
    await a.api('PUT', `/v1/numbers/${office.line.id}`, { live_recording_activated: true })
    await office.flow(ringing(ada), 'ring')
    const phone = await office.phone(ada)
    const agent = await soundOf('agent')

    const call = await office.call()
    await answerWith(phone, agent)
    await call.answered()

    await Promise.all([call.sound.received.onlyTone('agent'), agent.received.onlyTone('caller')])
    await phone.ask({ type: 'hold' })
    await agent.received.silence()
    await phone.ask({ type: 'unhold' })
    await Promise.all([agent.received.onlyTone('caller'), call.sound.received.onlyTone('agent')])
    await phone.ask({ type: 'send_digits', digits: '42' })
    await expect.poll(() => call.sound.digits.join('')).toBe('42')
    await phone.ask({ type: 'hang_up' })
    await call.over()

    const { recording, missed_call_reason, raw_digits } = await eventually(async () => {
      const [one] = (await a.api('GET', '/v1/calls')).json.calls
      return one?.recording ? one : undefined
    })
    expect(recording).toMatch(/^http/)
    expect({ missed_call_reason, raw_digits }).toEqual({ missed_call_reason: null, raw_digits: '+1 415-555-0199' })
    const { MPEGDecoder } = await import('mpg123-decoder')
    const decoder = new MPEGDecoder()
    await decoder.ready
    const { channelData } = decoder.decode(Buffer.from(await (await fetch(recording)).arrayBuffer()))
    decoder.free()
    const [ours = [], theirs = []] = channelData
    const above = (voice: Voice, other: Voice, side: ArrayLike<number>) =>
      decibelsAbove(voice, other, side, { sampleRate, scale: 32_768 })
    expect(above('agent', 'caller', ours)).toBeGreaterThan(20)
    expect(above('caller', 'agent', theirs)).toBeGreaterThan(20)
    expect(above('caller', 'music', theirs)).toBeGreaterThan(20)
  })
})

// What follows has no part of its own in the store.
describe('a call over a real line', () => {
  const open = testApp

  test('is placed over the trunk, is restored after a reload, and is transferred to an external number', async () => {
    const office = await openVoiceOffice(open)
    const { a } = office.app
    const ada = await office.person('ada')
    const phone = await office.phone(ada)
    const agent = await soundOf('agent')

    const request = { type: 'dial', to: '+14155550123', number_id: office.line.id, sdp_offer: agent.offer }
    expect(await phone.ask(request)).toMatchObject({ ok: true })
    await agent.accept((await phone.first('sdp_answer')).sdp_answer)
    const customer = await office.picksUp()
    expect(customer.to).toBe('+14155550123')
    await Promise.all([agent.received.onlyTone('caller'), customer.sound.received.onlyTone('agent')])

    const again = await soundOf('supervisor')
    expect(await phone.ask({ type: 'attach', sdp_offer: again.offer })).toMatchObject({ ok: true })
    const answers = await phone.until((received) => received.filter(({ type }) => type === 'sdp_answer').length === 2)
    await again.accept(answers.findLast(({ type }) => type === 'sdp_answer').sdp_answer)
    await Promise.all([again.received.onlyTone('caller'), customer.sound.received.onlyTone('supervisor')])

    expect(await phone.ask({ type: 'transfer', to: { number: '+14155550124' } })).toMatchObject({ ok: true })
    const other = await office.picksUp('prompt')
    expect(other.to).toBe('+14155550124')
    await Promise.all([other.sound.received.onlyTone('caller'), customer.sound.received.onlyTone('prompt')])
    const [call] = (await a.api('GET', '/v1/calls')).json.calls
    expect(call).toMatchObject({ direction: 'outbound', raw_digits: '+1 415-555-0123', user: { id: ada } })
  })

  test('a supervisor listens and whispers to the agent alone', async () => {
    const office = await openVoiceOffice(open)
    const { a } = office.app
    const ada = await office.person('ada')
    await office.flow(ringing(ada), 'ring')
    const phone = await office.phone(ada)
    const boss = await office.phone(a.ownerId)
    const [agent, listener] = [await soundOf('agent'), await soundOf('supervisor')]
    const call = await office.call()
    await answerWith(phone, agent)
    await call.answered()
    const { key } = await phone.first('ring')

    expect(await phone.ask({ type: 'supervise', key, mode: 'listen' })).toMatchObject({ ok: false })
    expect(await boss.ask({ type: 'supervise', key, mode: 'listen', sdp_offer: listener.offer })).toMatchObject({
      ok: true,
    })
    await listener.accept((await boss.first('sdp_answer')).sdp_answer)
    await Promise.all([call.sound.received.onlyTone('agent'), agent.received.onlyTone('caller')])
    await listener.received.until((samples) => decibelsAbove('caller', 'supervisor', samples) > 20)
    expect(await boss.ask({ type: 'supervise', key, mode: 'whisper' })).toMatchObject({ ok: true })
    await agent.received.until((samples) => decibelsAbove('supervisor', 'music', samples) > 20)
    await call.sound.received.onlyTone('agent')
    expect(await boss.ask({ type: 'supervise', key, mode: null })).toMatchObject({ ok: true })
    await agent.received.onlyTone('caller')

    const { audit_log } = (await a.own('GET', '/v1/audit_log')).json
    const entries = audit_log.filter(({ target }: { target: string }) => target === `call:${key}`)
    expect(entries.map(({ action }: { action: string }) => action)).toEqual(['call.whispered', 'call.listened'])
  })

  test('a supervisor who comes back with a new offer hears the call again', async () => {
    const office = await openVoiceOffice(open)
    const { a } = office.app
    const ada = await office.person('ada')
    await office.flow(ringing(ada), 'ring')
    const phone = await office.phone(ada)
    const boss = await office.phone(a.ownerId)
    const [agent, before, after] = [await soundOf('agent'), await soundOf('supervisor'), await soundOf('music')]
    const call = await office.call()
    await answerWith(phone, agent)
    await call.answered()
    const { key } = await phone.first('ring')
    const listen = (sdp_offer: string) => boss.ask({ type: 'supervise', key, mode: 'listen', sdp_offer })
    const answers = async (count: number) => {
      const received = await boss.until((all) => all.filter(({ type }) => type === 'sdp_answer').length === count)
      return received.findLast(({ type }) => type === 'sdp_answer').sdp_answer
    }
    expect(await listen(before.offer)).toMatchObject({ ok: true })
    await before.accept(await answers(1))
    await before.received.until((samples) => decibelsAbove('caller', 'supervisor', samples) > 20)

    expect(await listen(after.offer)).toMatchObject({ ok: true })
    await after.accept(await answers(2))

    await after.received.until((samples) => decibelsAbove('caller', 'supervisor', samples) > 20)
    await call.sound.received.onlyTone('agent')
  })

  test('selects a menu option during the prompt, and leaves a voicemail after the beep', async () => {
    const office = await openVoiceOffice(open)
    const { a } = office.app
    await office.flow(
      {
        menu: {
          type: 'ivr',
          media: null,
          options: [{ key: '2', title: 'Message' }],
          branches: { '2': 'box', fallback: 'end' },
        },
        box: { type: 'voicemail', media: null, max_seconds: 60, silence_seconds: 30 },
        end: { type: 'hang_up', media: null },
      },
      'menu',
    )
    const call = await office.call()
    await call.answered()
    await call.sound.received.until((samples) => loudest(samples) > 2_000)
    await call.sound.press('2')
    // The greeting, the beep, and then only the caller.
    await call.sound.received.until((samples) => loudest(samples) > 2_000)
    await call.sound.received.silence()
    await call.sound.received.next()
    await call.sound.received.next()
    await call.sound.received.next()
    call.hangUp()

    const { voicemail } = await eventually(async () => {
      const [one] = (await a.api('GET', '/v1/calls')).json.calls
      return one?.voicemail ? one : undefined
    })
    const { MPEGDecoder } = await import('mpg123-decoder')
    const decoder = new MPEGDecoder()
    await decoder.ready
    const { channelData } = decoder.decode(Buffer.from(await (await fetch(voicemail)).arrayBuffer()))
    decoder.free()
    const [speech = []] = channelData
    expect(
      decibels(strengthOf(pitch.caller, speech, sampleRate) / strengthOf(850, speech, sampleRate)),
    ).toBeGreaterThan(20)
  })
})
