import { describe, expect, onTestFinished, test } from 'vitest'
import { hasOpus } from '../../src/media/opus.ts'
import { testApp } from '../kit/app.ts'
import { hasBaresip, openBaresip, type PhoneCodec } from '../kit/baresip.ts'
import { describe as audioAt, portIn } from '../kit/carrier.ts'
import { openLossyRelay } from '../kit/lossy-relay.ts'
import { ownNetwork } from '../kit/own-network.ts'
import { payloadTypes, rtpPeer } from '../kit/rtp-peer.ts'
import { caller } from '../kit/sip-peer.ts'
import { hasTreble, quietest, standsOut } from '../kit/tones.ts'
import { answerWith, lineDigits, openOfficeTowards, openVoiceOffice, ringing, soundOf } from '../kit/voice.ts'

// A SIP phone of another project as the carrier: it has one codec, and sends a tone that narrowband audio cannot carry.

const customer = '+14155550123'

async function openCall(codec: PhoneCodec, codecs: string[]) {
  const network = await ownNetwork()
  const phone = await openBaresip(network, customer, 'caller', { codec })
  const at = { bind: network.here, host: network.there, port: phone.port }
  const office = await openOfficeTowards(testApp, at, { codecs })
  const ada = await office.person('ada')
  await office.flow(ringing(ada), 'ring')
  const app = await office.phone(ada)
  const agent = await soundOf('agent', { opus: 'last', address: network.here })
  return { network, phone, office, app, agent }
}

describe.skipIf(!hasBaresip() || !hasOpus())('a SIP phone and a browser', () => {
  test.each([
    ['g722', ['pcmu', 'pcma', 'g722']],
    ['opus', ['opus', 'g722', 'pcmu', 'pcma']],
  ] as const)('hear each other in wideband when the phone calls with %s alone', async (codec, codecs) => {
    const { network, phone, office, app, agent } = await openCall(codec, [...codecs])

    await phone.dial(`sip:${lineDigits}@${network.here}:${office.sipPort}`)
    await answerWith(app, agent)
    await phone.until('CALL_ESTABLISHED')

    expect(agent.codec).toBe('opus')
    await agent.received.onlyTone('caller')
    await agent.wide.until((samples) => hasTreble('caller', samples))
    await expect.poll(() => phone.toneLevel('agent')).toBeGreaterThan(20)
    await expect.poll(() => phone.hasTreble('agent')).toBe(true)
  })

  test.each([
    ['g722', ['g722', 'pcmu', 'pcma']],
    ['opus', ['opus', 'g722', 'pcmu', 'pcma']],
  ] as const)('hear each other in wideband when the agent calls a phone with %s', async (codec, codecs) => {
    const { phone, office, app, agent } = await openCall(codec, [...codecs])

    const dial = { type: 'dial', to: customer, number_id: office.line.id, sdp_offer: agent.offer }
    expect(await app.ask(dial)).toMatchObject({ ok: true })
    await agent.accept((await app.first('sdp_answer')).sdp_answer)
    await phone.until('CALL_INCOMING')
    await phone.accept()

    expect(agent.codec).toBe('opus')
    await agent.wide.until((samples) => hasTreble('caller', samples))
    await expect.poll(() => phone.toneLevel('agent')).toBeGreaterThan(20)
    await expect.poll(() => phone.hasTreble('agent')).toBe(true)
  })

  test.each([
    ['g722', ['g722', 'pcmu', 'pcma']],
    ['opus', ['opus', 'g722', 'pcmu', 'pcma']],
  ] as const)('hear each other with %s although every twentieth packet is lost and others come late', async (codec, codecs) => {
    const network = await ownNetwork()
    const phone = await openBaresip(network, customer, 'caller', { codec })
    let serverPort: number | undefined
    const relay = await openLossyRelay({
      address: network.here,
      phone: { address: network.there, port: phone.port },
      server: () => (serverPort === undefined ? undefined : { address: network.here, port: serverPort }),
      loss: 0.05,
      jitterMs: 30,
      seed: 1,
    })
    const at = { bind: network.here, host: network.here, port: relay.port }
    const office = await openOfficeTowards(testApp, at, { codecs })
    serverPort = office.sipPort
    const ada = await office.person('ada')
    await office.flow(ringing(ada), 'ring')
    const app = await office.phone(ada)
    const agent = await soundOf('agent', { opus: 'last', address: network.here })

    await phone.dial(`sip:${lineDigits}@${network.here}:${relay.port}`)
    await answerWith(app, agent)
    await phone.until('CALL_ESTABLISHED')

    // Each of these windows has one or two losses, and a hole would be silence.
    await agent.received.until((samples) => standsOut('caller', samples) > 20 && quietest(samples) > 500)
    await agent.wide.until((samples) => hasTreble('caller', samples))
    await expect.poll(() => phone.toneLevel('agent')).toBeGreaterThan(20)
    await expect.poll(() => phone.hasTreble('agent')).toBe(true)
    await expect.poll(() => relay.rtp.dropped).toBeGreaterThan(10)
    expect(relay.rtp.passed).toBeGreaterThan(10 * relay.rtp.dropped)
  })

  test('a call from a trunk with G.711 stays narrowband on both sides', async () => {
    const { network, phone, office, app, agent } = await openCall('g711', ['opus', 'g722', 'pcmu', 'pcma'])

    await phone.dial(`sip:${lineDigits}@${network.here}:${office.sipPort}`)
    await answerWith(app, agent)

    expect(agent.codec).toBe('PCMU')
    await agent.received.onlyTone('caller')
    await expect.poll(() => phone.toneLevel('agent')).toBeGreaterThan(20)
  })
})

test.skipIf(!hasOpus())('agents who call each other hear each other in wideband', async () => {
  const office = await openVoiceOffice(testApp)
  const [ada, ben] = [await office.person('ada'), await office.person('ben')]
  const { profile } = (await office.app.a.own('PUT', `/v1/users/${ben}/profile`, { extension: '215' })).json
  const [calling, called] = [await office.phone(ada), await office.phone(ben)]
  const [one, other] = [await soundOf('agent', { opus: 'last' }), await soundOf('supervisor', { opus: 'last' })]

  expect(await calling.ask({ type: 'dial', to: profile.extension, sdp_offer: one.offer })).toMatchObject({ ok: true })
  await one.accept((await calling.first('sdp_answer')).sdp_answer)
  await answerWith(called, other)

  await one.wide.until((samples) => hasTreble('supervisor', samples))
  await other.wide.until((samples) => hasTreble('agent', samples))
})

test('a re-INVITE changes the codec of a call, and the agent keeps hearing the caller', async () => {
  const office = await openVoiceOffice(testApp)
  const ada = await office.person('ada')
  await office.flow(ringing(ada), 'ring')
  const phone = await office.phone(ada)
  const agent = await soundOf('agent')
  const far = caller({ transport: 'UDP', port: office.carrier.port, from: '+14155550199', to: lineDigits })
  async function invited(codec: 'PCMU' | 'G722', meanwhile = async () => {}) {
    const sound = await rtpPeer('caller', { codec })
    onTestFinished(() => sound.close())
    const body = audioAt(sound.port).replace(/RTP\/AVP 0 /, `RTP/AVP ${payloadTypes[codec]} `)
    office.carrier.send(far.invite({ body }))
    await meanwhile()
    const ok = await office.carrier.next('SIP/2.0 200')
    far.learnTarget(ok)
    office.carrier.send(far.request('ACK'))
    sound.sendTone(portIn(ok))
    return { sound, ok }
  }

  const first = await invited('PCMU', () => answerWith(phone, agent))
  await Promise.all([first.sound.received.onlyTone('agent'), agent.received.onlyTone('caller')])
  first.sound.stopSending()
  const second = await invited('G722')

  expect(second.ok).toMatch(/m=audio \d+ RTP\/AVP 9 101\r\n/)
  await Promise.all([second.sound.received.onlyTone('agent'), agent.received.onlyTone('caller')])
})
