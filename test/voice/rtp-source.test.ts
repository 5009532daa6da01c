import { expect, onTestFinished, test } from 'vitest'
import { testApp } from '../kit/app.ts'
import { rtpPeer } from '../kit/rtp-peer.ts'
import { answerWith, openVoiceOffice, ringing, soundOf } from '../kit/voice.ts'

test('on a trunk behind NAT, a foreign source that sends RTP first gets no media, and is counted and logged', async () => {
  const office = await openVoiceOffice(testApp)
  const { app } = office
  await app.a.own('PUT', `/v1/trunks/${office.trunkId}`, { behind_nat: true })
  await app.settle()
  const ada = await office.person('ada')
  await office.flow(ringing(ada), 'ring')
  const phone = await office.phone(ada)
  const agent = await soundOf('agent')
  const stranger = await rtpPeer('supervisor', { address: '127.0.0.2' })
  onTestFinished(() => stranger.close())
  const gauge = async (name: string) => {
    const { text } = await app.anonymous('GET', '/metrics')
    return Number(new RegExp(`^${name} (\\S+)`, 'm').exec(text)?.[1])
  }

  const call = await office.call()
  await answerWith(phone, agent)
  await call.answered(async (port) => {
    stranger.sendTone(port)
    await expect.poll(() => gauge('hookswitch_voice_foreign_packets_total')).toBeGreaterThan(25)
  })

  await Promise.all([call.sound.received.onlyTone('agent'), agent.received.onlyTone('caller')])
  expect(stranger.received.length).toBe(0)
  // Both of one scrape: one room joins the two legs.
  expect([await gauge('hookswitch_voice_rooms'), await gauge('hookswitch_voice_legs')]).toEqual([1, 2])
  const lines = app.logged().match(/.*rtp\.foreign_packets.*/g) ?? []
  expect(lines[0]).toContain('127.0.0.2')
  // One line a second, not one per packet.
  expect(lines.length).toBeLessThan((await gauge('hookswitch_voice_foreign_packets_total')) / 10)

  await phone.ask({ type: 'hang_up' })
  await call.over()
  await expect.poll(() => gauge('hookswitch_voice_rooms')).toBe(0)
})
