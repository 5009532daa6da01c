import { describe, expect, onTestFinished, test } from 'vitest'
import { testApp } from '../kit/app.ts'
import { hasBaresip, openBaresip } from '../kit/baresip.ts'
import { describe as audioAt, portIn } from '../kit/carrier.ts'
import { ownNetwork } from '../kit/own-network.ts'
import { rtpPeer } from '../kit/rtp-peer.ts'
import { answerTo, bodyOf, caller, fresh } from '../kit/sip-peer.ts'
import { answerWith, lineDigits, openOfficeTowards, openVoiceOffice, ringing, soundOf } from '../kit/voice.ts'

// Packets of another length than 20 ms, in both directions.

async function openRinging() {
  const office = await openVoiceOffice(testApp)
  const ada = await office.person('ada')
  await office.flow(ringing(ada), 'ring')
  return { office, phone: await office.phone(ada) }
}

test('an inbound call has the packet length of its offer, at most its maximum, also while packets are lost', async () => {
  const { office, phone } = await openRinging()
  const cases = [
    { lines: 'a=ptime:10\r\n', ptimeMs: 10, sent: 80 },
    { lines: 'a=ptime:30\r\n', ptimeMs: 30, sent: 240 },
    { lines: 'a=ptime:60\r\na=maxptime:40\r\n', ptimeMs: 40, sent: 320 },
    { lines: 'a=ptime:60\r\n', ptimeMs: 60, sent: 480 },
  ] as const
  for (const { lines, ptimeMs, sent } of cases) {
    const rings = phone.received.filter(({ type }) => type === 'ring').length
    const agent = await soundOf('agent')
    const sound = await rtpPeer('caller', { ptimeMs })
    onTestFinished(() => sound.close())
    const far = caller({ transport: 'UDP', port: office.carrier.port, from: '+14155550199', to: lineDigits })
    office.carrier.send(far.invite({ body: `${audioAt(sound.port)}${lines}` }))
    await phone.until((received) => received.filter(({ type }) => type === 'ring').length > rings)
    const answers = phone.received.filter(({ type }) => type === 'sdp_answer').length
    expect(await phone.ask({ type: 'answer', sdp_offer: agent.offer })).toMatchObject({ ok: true })
    await phone.until((received) => received.filter(({ type }) => type === 'sdp_answer').length > answers)
    await agent.accept(phone.received.filter(({ type }) => type === 'sdp_answer').at(-1)?.sdp_answer)
    const ok = await office.carrier.next('SIP/2.0 200')
    far.learnTarget(ok)
    office.carrier.send(far.request('ACK'))
    sound.loseOneOf(25)
    sound.sendTone(portIn(ok))

    await Promise.all([sound.received.onlyTone('agent'), agent.received.onlyTone('caller')])
    expect(bodyOf(ok)).toContain(`a=ptime:${ptimeMs}\r\n`)
    expect([...sound.lengths]).toEqual([sent])
    const ended = phone.received.filter(({ type, state }) => type === 'call' && state === 'ended').length
    sound.stopSending()
    office.carrier.send(far.request('BYE'))
    await office.carrier.next('SIP/2.0 200')
    await phone.until(
      (received) => received.filter(({ type, state }) => type === 'call' && state === 'ended').length > ended,
    )
  }
})

test('an outbound call has the packet length of the answer', async () => {
  const { office, phone } = await openRinging()
  const agent = await soundOf('agent')
  await phone.ask({ type: 'dial', to: '+14155550123', number_id: office.line.id, sdp_offer: agent.offer })
  await agent.accept((await phone.first('sdp_answer')).sdp_answer)
  const invite = await office.carrier.next('INVITE')
  const sound = await rtpPeer('caller', { ptimeMs: 40 })
  onTestFinished(() => sound.close())

  const headers = [`Contact: <sip:carrier@127.0.0.1:${office.carrier.port}>`]
  const body = `${audioAt(sound.port)}a=ptime:40\r\n`
  office.carrier.send(answerTo(invite, '200 OK', { tag: fresh('tag'), headers, body }))
  await office.carrier.next('ACK')
  sound.sendTone(portIn(invite))

  expect(bodyOf(invite)).toContain('a=ptime:20\r\na=maxptime:60\r\n')
  await Promise.all([sound.received.onlyTone('agent'), agent.received.onlyTone('caller')])
  expect([...sound.lengths]).toEqual([320])
})

describe.skipIf(!hasBaresip())('a SIP phone of another project', () => {
  test('with packets of 40 ms has audio both ways', async () => {
    const network = await ownNetwork()
    const phone = await openBaresip(network, '+14155550123', 'caller', { ptimeMs: 40 })
    const at = { bind: network.here, host: network.there, port: phone.port }
    const office = await openOfficeTowards(testApp, at)
    const ada = await office.person('ada')
    await office.flow(ringing(ada), 'ring')
    const app = await office.phone(ada)
    const agent = await soundOf('agent', { address: network.here })

    await phone.dial(`sip:${lineDigits}@${network.here}:${office.sipPort}`)
    await answerWith(app, agent)
    await phone.until('CALL_ESTABLISHED')

    await agent.received.onlyTone('caller')
    await expect.poll(() => phone.toneLevel('agent')).toBeGreaterThan(20)
    await phone.hangUp()
  })
})
