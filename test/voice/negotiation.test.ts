import { expect, onTestFinished, test } from 'vitest'
import { testApp } from '../kit/app.ts'
import { describe as audioAt, portIn } from '../kit/carrier.ts'
import { rtpPeer } from '../kit/rtp-peer.ts'
import { answerTo, caller, headerOf } from '../kit/sip-peer.ts'
import { answerWith, lineDigits, openVoiceOffice, ringing, soundOf, type VoiceOffice } from '../kit/voice.ts'

// Calls whose media cannot be negotiated: the caller gets 488, and no agent is rung.

const invitation = (office: VoiceOffice) =>
  caller({ transport: 'UDP', port: office.carrier.port, from: '+14155550199', to: lineDigits })

const g729 = audioAt(40_000).replace(/RTP\/AVP .*/, 'RTP/AVP 18')

const unusable = [
  ['no codec in common', g729],
  ['a multicast address', audioAt(40_000).replaceAll('127.0.0.1', '239.1.2.3')],
  ['a broadcast address', audioAt(40_000).replaceAll('127.0.0.1', '255.255.255.255')],
  ['a port below 1024', audioAt(53)],
  ['no audio', 'v=0\r\no=- 1 1 IN IP4 127.0.0.1\r\ns=-\r\nt=0 0\r\n'],
  ['encryption that the trunk does not use', audioAt(40_000).replace('RTP/AVP', 'RTP/SAVP')],
] as const

test('an INVITE whose offer cannot be used is answered with 488 at once, and no agent rings', async () => {
  const office = await openVoiceOffice(testApp)
  const ada = await office.person('ada')
  await office.flow(ringing(ada), 'ring')
  const phone = await office.phone(ada)

  for (const [what, body] of unusable) {
    const far = invitation(office)
    office.carrier.send(far.invite({ body }))
    const refusal = await office.carrier.next('SIP/2.0 4')
    office.carrier.send(far.ofInvite('ACK'))

    expect(refusal.split('\r\n', 1)[0], what).toBe('SIP/2.0 488 Not Acceptable Here')
    expect(headerOf(refusal, 'call-id')).toBe(far.callId)
  }

  expect((await office.app.a.api('GET', '/v1/calls')).json.calls).toEqual([])
  expect(phone.received.filter(({ type }) => type === 'ring')).toEqual([])
  expect(office.carrier.left().filter((text) => text.startsWith('SIP/2.0 180'))).toEqual([])
})

test('a call whose answer turns out unusable ends as failed for the caller, the agent and the history', async () => {
  const office = await openVoiceOffice(testApp)
  const { a } = office.app
  const ada = await office.person('ada')
  await office.flow(ringing(ada), 'ring')
  const phone = await office.phone(ada)
  const agent = await soundOf('agent')
  const far = invitation(office)

  office.carrier.send(far.invite({ body: '' }))
  await answerWith(phone, agent)
  far.learnTarget(await office.carrier.next('SIP/2.0 200'))
  office.carrier.send(far.request('ACK', { body: g729 }))
  const bye = await office.carrier.next('BYE')
  await phone.until((received) => received.some(({ type, state }) => type === 'call' && state === 'ended'))

  expect(headerOf(bye, 'call-id')).toBe(far.callId)
  const [{ id }] = (await a.api('GET', '/v1/calls')).json.calls
  const { trace } = (await a.own('GET', `/v1/calls/${id}/trace`)).json
  expect(trace.at(-1)).toMatchObject({ kind: 'ended', cause: 'failure' })
})

test('a trunk whose host is a name on a private network carries calls both ways', async () => {
  const office = await openVoiceOffice(testApp, {}, { host: 'localhost' })
  const ada = await office.person('ada')
  await office.flow(ringing(ada), 'ring')
  const phone = await office.phone(ada)
  const agent = await soundOf('agent')

  const call = await office.call()
  await answerWith(phone, agent)
  await call.answered()

  await Promise.all([call.sound.received.onlyTone('agent'), agent.received.onlyTone('caller')])
})

test('a re-INVITE with an unusable offer gets 488 and the call continues as it was', async () => {
  const office = await openVoiceOffice(testApp)
  const ada = await office.person('ada')
  await office.flow(ringing(ada), 'ring')
  const phone = await office.phone(ada)
  const agent = await soundOf('agent')
  const sound = await rtpPeer('caller')
  onTestFinished(() => sound.close())
  const far = invitation(office)
  office.carrier.send(far.invite({ body: audioAt(sound.port) }))
  await answerWith(phone, agent)
  const ok = await office.carrier.next('SIP/2.0 200')
  far.learnTarget(ok)
  office.carrier.send(far.request('ACK'))
  sound.sendTone(portIn(ok))
  await agent.received.onlyTone('caller')

  office.carrier.send(far.invite({ body: audioAt(40_000).replaceAll('127.0.0.1', '239.1.2.3') }))
  const refusal = await office.carrier.next('SIP/2.0 4')
  office.carrier.send(far.ofInvite('ACK'))

  expect(refusal).toContain('SIP/2.0 488')
  await sound.received.onlyTone('agent')
})

test('the trunk test distinguishes no response, a rejection and a ringing phone', async () => {
  const office = await openVoiceOffice(testApp)
  const test = (trunkId: number) =>
    office.app.a.own('POST', `/v1/trunks/${trunkId}/test_call`, { number_id: office.line.id, to: '+14155550123' })

  const refused = test(office.trunkId)
  office.carrier.send(answerTo(await office.carrier.next('INVITE'), '404 Not Found', { tag: 'a' }))
  const input = { name: 'Nowhere', host: 'carrier.invalid', prefixes: [] }
  const nowhere = (await office.app.a.own('POST', '/v1/trunks', input)).json.trunk.id
  const silent = test(nowhere)

  expect((await refused).json).toMatchObject({ outcome: 'failed', code: 404, response: '404 Not Found' })
  expect((await silent).json).toMatchObject({
    outcome: 'no_response',
    code: null,
    response: null,
    explanation: expect.stringContaining('No SIP response'),
  })
})
