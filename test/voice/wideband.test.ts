import { describe, expect, test } from 'vitest'
import { hasOpus } from '../../src/media/opus.ts'
import { testApp } from '../kit/app.ts'
import { hasBaresip, openBaresip, type PhoneCodec } from '../kit/baresip.ts'
import { ownNetwork } from '../kit/own-network.ts'
import { hasTreble } from '../kit/tones.ts'
import { answerWith, lineDigits, openOfficeTowards, ringing, soundOf } from '../kit/voice.ts'

// A SIP phone of another project as the carrier: it has one codec, and sends a tone that narrowband audio cannot carry.

const customer = '+14155550123'

async function openCall(codec: PhoneCodec, codecs: string[]) {
  const network = await ownNetwork()
  const phone = await openBaresip(network, customer, 'caller', codec)
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

  test('a call from a trunk with G.711 stays narrowband on both sides', async () => {
    const { network, phone, office, app, agent } = await openCall('g711', ['opus', 'g722', 'pcmu', 'pcma'])

    await phone.dial(`sip:${lineDigits}@${network.here}:${office.sipPort}`)
    await answerWith(app, agent)

    expect(agent.codec).toBe('PCMU')
    await agent.received.onlyTone('caller')
    await expect.poll(() => phone.toneLevel('agent')).toBeGreaterThan(20)
  })
})
