import { describe, expect, test } from 'vitest'
import { hasOpus } from '../../src/media/opus.ts'
import { testApp } from '../kit/app.ts'
import { type BaresipAccount, hasBaresip, openBaresip, type PhoneCodec } from '../kit/baresip.ts'
import { ownNetwork } from '../kit/own-network.ts'
import { hasTreble, type Voice } from '../kit/tones.ts'
import { answerWith, openVoiceOffice, ringing, soundOf, type VoiceOffice } from '../kit/voice.ts'
import { scrape } from '../observability/metrics.ts'

// A third-party SIP phone as a device of an agent, in a network of its own; the carrier is on loopback.

interface PhoneKind extends Pick<BaresipAccount, 'transport' | 'srtp'> {
  codec?: PhoneCodec
}

async function deskPhone(
  office: VoiceOffice,
  userId: number,
  voice: Voice,
  { transport = 'udp', srtp = false, codec = 'g711' }: PhoneKind = {},
) {
  const { a } = office.app
  const made = await a.own('POST', `/v1/users/${userId}/devices`, { name: 'Desk phone', srtp })
  expect(made.status, made.text).toBe(201)
  const { device, password } = made.json
  const account = { password, port: office.sipPort, transport, srtp }
  const phone = await openBaresip(await ownNetwork(), device.username, voice, { account, codec })
  await expect.poll(() => isRegistered(office, userId)).toBe(true)
  return phone
}

const isRegistered = async ({ app }: VoiceOffice, userId: number) =>
  (await app.a.own('GET', `/v1/users/${userId}/devices`)).json.devices[0].registered

const audible = 20

describe.skipIf(!hasBaresip())('a SIP phone of an agent', () => {
  for (const transport of ['udp', 'tcp'] as const) {
    test(`registers over ${transport.toUpperCase()}, answers a call with audio both ways, and hangs up`, async () => {
      const office = await openVoiceOffice(testApp, { SIP_BIND: '0.0.0.0' })
      const ada = await office.person('ada')
      await office.flow(ringing(ada), 'ring')
      const phone = await deskPhone(office, ada, 'agent', { transport })
      expect((await scrape(office.app)).value('hookswitch_device_registrations')).toBe(1)

      const call = await office.call()
      await phone.until('CALL_INCOMING')
      await phone.accept()
      await call.answered()

      await call.sound.received.onlyTone('agent')
      await expect.poll(() => phone.toneLevel('caller')).toBeGreaterThan(audible)
      await phone.hangUp()
      await call.over()
    })
  }

  test('encrypts its audio with SRTP, on calls to it and from it', async () => {
    const office = await openVoiceOffice(testApp, { SIP_BIND: '0.0.0.0' })
    const ada = await office.person('ada')
    await office.flow(ringing(ada), 'ring')
    await office.app.a.own('PUT', `/v1/users/${ada}/profile`, { default_number_id: office.line.id })
    const phone = await deskPhone(office, ada, 'agent', { srtp: true })

    const call = await office.call()
    await phone.until('CALL_INCOMING')
    await phone.accept()
    await call.answered()
    await call.sound.received.onlyTone('agent')
    await expect.poll(() => phone.toneLevel('caller')).toBeGreaterThan(audible)
    await phone.hangUp()
    await call.over()

    await phone.dial('+14155550123')
    const customer = await office.picksUp('prompt')
    await customer.sound.received.onlyTone('agent')
    await expect.poll(() => phone.toneLevel('prompt')).toBeGreaterThan(audible)
    await phone.hangUp()
    await customer.over()
  })

  test('rings together with the browser, stops when it answers, and is hung up by the caller', async () => {
    const office = await openVoiceOffice(testApp, { SIP_BIND: '0.0.0.0' })
    const ada = await office.person('ada')
    await office.flow(ringing(ada), 'ring')
    const phone = await deskPhone(office, ada, 'prompt')
    const browser = await office.phone(ada)
    const agent = await soundOf('agent')

    const first = await office.call()
    await phone.until('CALL_INCOMING')
    await answerWith(browser, agent)
    await first.answered()
    await phone.until('CALL_CLOSED')
    await first.sound.received.onlyTone('agent')
    await browser.ask({ type: 'hang_up' })
    await first.over()

    const second = await office.call()
    await phone.until('CALL_INCOMING')
    await phone.accept()
    await second.answered()
    await second.sound.received.onlyTone('prompt')
    second.hangUp()
    await phone.until('CALL_CLOSED')
  })

  test('places a call over the trunk from the default Number, and its hold key plays music to the customer', async () => {
    const office = await openVoiceOffice(testApp, { SIP_BIND: '0.0.0.0' })
    const ada = await office.person('ada')
    await office.app.a.own('PUT', `/v1/users/${ada}/profile`, { default_number_id: office.line.id })
    const phone = await deskPhone(office, ada, 'agent')

    await phone.dial('+14155550123')
    const customer = await office.picksUp()
    expect(customer.to).toBe('+14155550123')
    await phone.until('CALL_ESTABLISHED')
    await customer.sound.received.onlyTone('agent')
    await expect.poll(() => phone.toneLevel('caller')).toBeGreaterThan(audible)
    await phone.hold()
    await customer.sound.received.onlyTone('music')
    await phone.resume()
    await customer.sound.received.onlyTone('agent')
    await phone.press('5')
    await expect.poll(() => customer.sound.digits.join('')).toBe('5')

    await phone.hangUp()
    await customer.over()
  })

  test.skipIf(!hasOpus())('with G.722 has a wideband call with a colleague in the browser', async () => {
    const office = await openVoiceOffice(testApp, { SIP_BIND: '0.0.0.0' })
    const [ada, bea] = [await office.person('ada'), await office.person('bea')]
    await office.app.a.own('PUT', `/v1/users/${ada}/profile`, { extension: '217' })
    const phone = await deskPhone(office, ada, 'caller', { codec: 'g722' })
    const app = await office.phone(bea)
    const browser = await soundOf('agent', { opus: 'last' })

    expect(await app.ask({ type: 'dial', to: '217', sdp_offer: browser.offer })).toMatchObject({ ok: true })
    await browser.accept((await app.first('sdp_answer')).sdp_answer)
    await phone.until('CALL_INCOMING')
    await phone.accept()

    expect(browser.codec).toBe('opus')
    await browser.wide.until((samples) => hasTreble('caller', samples))
    await expect.poll(() => phone.hasTreble('agent')).toBe(true)
  })

  test('transfers its call to an external number and to a colleague by REFER', async () => {
    const office = await openVoiceOffice(testApp, { SIP_BIND: '0.0.0.0' })
    const [ada, bea] = [await office.person('ada'), await office.person('bea')]
    await office.flow(ringing(ada), 'ring')
    const phone = await deskPhone(office, ada, 'agent')

    const first = await office.call()
    await phone.until('CALL_INCOMING')
    await phone.accept()
    await first.answered()
    await first.sound.received.onlyTone('agent')
    await phone.transfer('+14155550124')
    const other = await office.picksUp('prompt')
    expect(other.to).toBe('+14155550124')
    await phone.until('CALL_CLOSED')
    await Promise.all([first.sound.received.onlyTone('prompt'), other.sound.received.onlyTone('caller')])
    first.hangUp()
    await office.carrier.next('SIP/2.0 200')
    await other.over()

    const browser = await office.phone(bea)
    const colleague = await soundOf('supervisor')
    const { extension } = (await office.app.a.own('GET', `/v1/users/${bea}/profile`)).json.profile
    const second = await office.call()
    await phone.until('CALL_INCOMING')
    await phone.accept()
    await second.answered()
    await phone.transfer(extension)
    await answerWith(browser, colleague)
    await phone.until('CALL_CLOSED')
    await second.sound.received.onlyTone('supervisor')
  })
})

describe('a mobile number', () => {
  test('hears the prompt, and only the key 1 connects the caller', async () => {
    const office = await openVoiceOffice(testApp)
    const { a } = office.app
    const ada = await office.person('ada')
    await office.flow(ringing(ada), 'ring')
    const set = { mode: 'offline', phone: '+14155550177' }
    expect((await a.own('PUT', `/v1/users/${ada}/call_forwarding`, set)).status).toBe(200)

    const call = await office.call()
    const mobile = await office.picksUp('agent')
    expect(mobile.to).toBe('+14155550177')
    await mobile.sound.press('5')
    await mobile.sound.press('1')
    await call.answered()

    await Promise.all([call.sound.received.onlyTone('agent'), mobile.sound.received.onlyTone('caller')])
    call.hangUp()
    await mobile.over()
  })
})
