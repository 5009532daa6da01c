import { connect } from 'node:net'
import { describe, expect, onTestFinished, test } from 'vitest'
import { testApp } from '../kit/app.ts'
import { describe as audioAt, portIn } from '../kit/carrier.ts'
import { freePort } from '../kit/postgres.ts'
import { rtpPeer } from '../kit/rtp-peer.ts'
import { bodyOf, caller } from '../kit/sip-peer.ts'
import { findSipp, runSipp } from '../kit/sipp.ts'
import { answerWith, lineDigits, openOfficeTowards, openVoiceOffice, ringing, soundOf } from '../kit/voice.ts'

// T.38 is declined, and the call goes on with audio: fax machines then send their tones over it.

const sipp = findSipp() ?? ''
const image = ['m=image 40002 udptl t38', 'a=T38FaxVersion:0', ''].join('\r\n')
const withoutAudio = (sdp: string) => sdp.slice(0, sdp.indexOf('m=audio'))

test('a switch to T.38 gets 488 and the audio goes on; beside audio it is answered with port 0', async () => {
  const office = await openVoiceOffice(testApp)
  const ada = await office.person('ada')
  await office.flow(ringing(ada), 'ring')
  const phone = await office.phone(ada)
  const agent = await soundOf('agent')
  const sound = await rtpPeer('caller')
  onTestFinished(() => sound.close())
  const far = caller({ transport: 'UDP', port: office.carrier.port, from: '+14155550199', to: lineDigits })

  office.carrier.send(far.invite({ body: `${audioAt(sound.port)}${image}` }))
  await answerWith(phone, agent)
  const ok = await office.carrier.next('SIP/2.0 200')
  far.learnTarget(ok)
  office.carrier.send(far.request('ACK'))
  sound.sendTone(portIn(ok))
  expect(bodyOf(ok)).toMatch(/^m=image 0 udptl t38\r$/m)
  await Promise.all([sound.received.onlyTone('agent'), agent.received.onlyTone('caller')])

  office.carrier.send(far.invite({ body: `${withoutAudio(audioAt(sound.port))}${image}` }))
  expect(await office.carrier.next('SIP/2.0 4')).toContain('SIP/2.0 488 Not Acceptable Here')
  office.carrier.send(far.ofInvite('ACK'))

  await Promise.all([sound.received.onlyTone('agent'), agent.received.onlyTone('caller')])
  office.carrier.send(far.request('BYE'))
})

describe.skipIf(sipp === '').each(['udp', 'tcp'] as const)('a fax machine of sipp, over %s', (transport) => {
  test('stays connected with audio', async () => {
    const unused = await freePort()
    const office = await openOfficeTowards(testApp, { bind: '127.0.0.1', host: '127.0.0.1', port: unused })
    await office.flow({ message: { type: 'voicemail', max_seconds: 60, branches: {} } }, 'message')

    // The SIP ports are opened after the first trunk is saved.
    await expect.poll(() => isListening(office.sipPort)).toBe(true)
    const run = { scenario: 'fax.xml', transport, calls: 5, port: office.sipPort }
    const { failures } = await runSipp(sipp, run)

    expect(await failures).toBe('')
  })
})

const isListening = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1')
    socket.once('error', () => resolve(false))
    socket.once('connect', () => {
      socket.destroy()
      resolve(true)
    })
  })
