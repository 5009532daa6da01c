import { networkInterfaces } from 'node:os'
import { describe, expect, onTestFinished, test } from 'vitest'
import { testApp } from '../kit/app.ts'
import { hasBaresip, openBaresip } from '../kit/baresip.ts'
import { describe as audioAt, portIn } from '../kit/carrier.ts'
import { ownNetwork } from '../kit/own-network.ts'
import { rtpPeer } from '../kit/rtp-peer.ts'
import { bodyOf, caller, headerOf } from '../kit/sip-peer.ts'
import { answerWith, lineDigits, openOfficeTowards, openVoiceOffice, ringing, soundOf } from '../kit/voice.ts'

const hasIPv6 = Object.values(networkInterfaces()).some((all) => all?.some(({ address }) => address === '::1'))
if (!hasIPv6) process.stderr.write('\nCalls over IPv6 are SKIPPED: this machine has no address ::1.\n\n')

/** Dual stack; test browsers use IPv4. */
const bothFamilies = { SIP_BIND: '::', RTP_PUBLIC_IP: '127.0.0.1' }

describe.skipIf(!hasIPv6)('over IPv6', () => {
  test.each([
    ['::1', { SIP_BIND: '::1' }],
    ['::', bothFamilies],
  ])('a server on %s carries calls in both directions, with audio both ways', async (bind, env) => {
    const office = await openVoiceOffice(testApp, env, { host: '::1', addresses: ['::1/128'] })
    const ada = await office.person('ada')
    await office.flow(ringing(ada), 'ring')
    const phone = await office.phone(ada)
    const browser = bind === '::1' ? { address: '::1' } : {}
    const agent = await soundOf('agent', browser)

    const call = await office.call()
    await answerWith(phone, agent)
    await call.answered()

    await Promise.all([call.sound.received.onlyTone('agent'), agent.received.onlyTone('caller')])
    call.hangUp()
    await phone.until((received) => received.some(({ type, state }) => type === 'call' && state === 'ended'))

    const again = await soundOf('supervisor', browser)
    const dial = { type: 'dial', to: '+14155550123', number_id: office.line.id, sdp_offer: again.offer }
    const answers = phone.received.filter(({ type }) => type === 'sdp_answer').length
    await phone.ask(dial)
    await phone.until((received) => received.filter(({ type }) => type === 'sdp_answer').length > answers)
    await again.accept(phone.received.filter(({ type }) => type === 'sdp_answer').at(-1)?.sdp_answer)
    const outbound = await office.picksUp()

    await Promise.all([outbound.sound.received.onlyTone('supervisor'), again.received.onlyTone('caller')])
    expect(outbound.to).toBe('+14155550123')
  })

  test('one server on :: has trunks of both families, and media of another family than the signalling', async () => {
    const office = await openVoiceOffice(testApp, bothFamilies)
    const ada = await office.person('ada')
    await office.flow(ringing(ada), 'ring')
    const phone = await office.phone(ada)
    const agent = await soundOf('agent')
    const sound = await rtpPeer('caller', { address: '::1' })
    onTestFinished(() => sound.close())
    const far = caller({ transport: 'UDP', port: office.carrier.port, from: '+14155550199', to: lineDigits })

    // Another spelling of ::1.
    office.carrier.send(far.invite({ body: audioAt(sound.port, '0:0:0:0:0:0:0:1') }))
    await answerWith(phone, agent)
    const ok = await office.carrier.next('SIP/2.0 200')
    far.learnTarget(ok)
    office.carrier.send(far.request('ACK'))
    sound.sendTone(portIn(ok))

    expect(headerOf(ok, 'contact')).toContain('@127.0.0.1:')
    expect(bodyOf(ok)).toMatch(/^c=IN IP6 ::1\r$/m)
    await Promise.all([sound.received.onlyTone('agent'), agent.received.onlyTone('caller')])
  })

  test('a server on an IPv4 address rejects media over IPv6 with 488', async () => {
    const office = await openVoiceOffice(testApp)
    const far = caller({ transport: 'UDP', port: office.carrier.port, from: '+14155550199', to: lineDigits })

    office.carrier.send(far.invite({ body: audioAt(40_000, '::1') }))

    expect(await office.carrier.next('SIP/2.0 4')).toContain('SIP/2.0 488')
    office.carrier.send(far.ofInvite('ACK'))
  })

  describe.skipIf(!hasBaresip())('a SIP phone of another project', () => {
    test('calls, and both sides have audio', async () => {
      const network = await ownNetwork()
      const phone = await openBaresip(network, '+14155550123', 'caller', { family: 6 })
      const at = { bind: '::', host: network.there6, port: phone.port }
      const office = await openOfficeTowards(testApp, at, {}, { RTP_PUBLIC_IP: '127.0.0.1' })
      const ada = await office.person('ada')
      await office.flow(ringing(ada), 'ring')
      const app = await office.phone(ada)
      const agent = await soundOf('agent')

      await phone.dial(`sip:${lineDigits}@[${network.here6}]:${office.sipPort}`)
      await answerWith(app, agent)
      await phone.until('CALL_ESTABLISHED')

      await agent.received.onlyTone('caller')
      await expect.poll(() => phone.toneLevel('agent')).toBeGreaterThan(20)
      await phone.hangUp()
    })
  })
})
