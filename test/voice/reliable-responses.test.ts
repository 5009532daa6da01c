import { expect, onTestFinished, test } from 'vitest'
import { testApp } from '../kit/app.ts'
import { describe as audioAt, portIn } from '../kit/carrier.ts'
import { rtpPeer } from '../kit/rtp-peer.ts'
import { answerTo, bodyOf, caller, fresh, headerOf, message, newBranch, uriIn } from '../kit/sip-peer.ts'
import type { Voice } from '../kit/tones.ts'
import { answerWith, lineDigits, openVoiceOffice, ringing, soundOf } from '../kit/voice.ts'

// PRACK and UPDATE, with the audio that they negotiate.

async function speaker(voice: Voice) {
  const sound = await rtpPeer(voice)
  onTestFinished(() => sound.close())
  return sound
}

test('an agent hears reliable early media of the network, its replacement by UPDATE, and then the called party', async () => {
  const office = await openVoiceOffice(testApp)
  const { carrier } = office
  const ada = await office.person('ada')
  const phone = await office.phone(ada)
  const agent = await soundOf('agent')
  await phone.ask({ type: 'dial', to: '+14155550123', number_id: office.line.id, sdp_offer: agent.offer })
  await agent.accept((await phone.first('sdp_answer')).sdp_answer)
  const invite = await carrier.next('INVITE')
  const [announcement, party] = [await speaker('prompt'), await speaker('caller')]
  const tag = fresh('tag')
  const contact = `Contact: <sip:carrier@127.0.0.1:${carrier.port}>`

  const reliable = [contact, 'Require: 100rel', 'RSeq: 7', 'Allow: INVITE, ACK, BYE, CANCEL, PRACK, UPDATE']
  const early = { tag, headers: reliable, body: audioAt(announcement.port) }
  carrier.send(answerTo(invite, '183 Session Progress', early))
  const prack = await carrier.next('PRACK')
  carrier.send(answerTo(prack, '200 OK'))
  announcement.sendTone(portIn(invite))
  await agent.received.onlyTone('prompt')

  carrier.send(
    message(
      `UPDATE ${uriIn(headerOf(invite, 'contact'))} SIP/2.0`,
      [
        `Via: SIP/2.0/UDP 127.0.0.1:${carrier.port};branch=${newBranch()};rport`,
        'Max-Forwards: 70',
        `From: ${headerOf(invite, 'to')};tag=${tag}`,
        `To: ${headerOf(invite, 'from')}`,
        `Call-ID: ${headerOf(invite, 'call-id')}`,
        'CSeq: 1 UPDATE',
        contact,
      ],
      audioAt(party.port),
    ),
  )
  const updated = await carrier.next('SIP/2.0 200')
  announcement.stopSending()
  party.sendTone(portIn(updated))
  await agent.received.onlyTone('caller')
  carrier.send(answerTo(invite, '200 OK', { tag, headers: [contact] }))
  await carrier.next('ACK')

  expect(headerOf(prack, 'rack')).toBe(`7 ${headerOf(invite, 'cseq')}`)
  expect(headerOf(updated, 'cseq')).toBe('1 UPDATE')
  await Promise.all([agent.received.onlyTone('caller'), party.received.onlyTone('agent')])
})

test('a caller who sends no offer and requires reliable responses gets ours with the first, and answers with the PRACK', async () => {
  const office = await openVoiceOffice(testApp)
  const { carrier } = office
  const ada = await office.person('ada')
  await office.flow(ringing(ada), 'ring')
  const phone = await office.phone(ada)
  const agent = await soundOf('agent')
  const sound = await speaker('caller')
  const far = caller({ transport: 'UDP', port: carrier.port, from: '+14155550199', to: lineDigits })

  carrier.send(far.invite({ body: '', headers: ['Require: 100rel'] }))
  const first = await carrier.next('SIP/2.0 180')
  far.learnTarget(first)
  carrier.send(far.request('PRACK', { headers: ['RAck: 1 1 INVITE'], body: audioAt(sound.port) }))
  expect(headerOf(await carrier.next('SIP/2.0 200'), 'cseq')).toBe('2 PRACK')
  await answerWith(phone, agent)
  const ok = await carrier.next('SIP/2.0 200')
  carrier.send(far.request('ACK', { seq: 1 }))
  sound.sendTone(portIn(first))

  expect([headerOf(ok, 'cseq'), bodyOf(ok)]).toEqual(['1 INVITE', ''])
  await Promise.all([sound.received.onlyTone('agent'), agent.received.onlyTone('caller')])
})
