import { expect, onTestFinished, test } from 'vitest'
import { strengthOf } from '../../src/media/goertzel.ts'
import { testApp } from '../kit/app.ts'
import { describe as audioAt, portIn } from '../kit/carrier.ts'
import { rtpPeer } from '../kit/rtp-peer.ts'
import { answerTo, caller, fresh } from '../kit/sip-peer.ts'
import { rate } from '../kit/tones.ts'
import {
  agentOnCall,
  answerWith,
  lineDigits,
  openVoiceOffice,
  ringing,
  soundOf,
  type VoiceOffice,
} from '../kit/voice.ts'

// What an agent hears and sees between dialling and the answer, and why a call was not completed.

const ringbackHz = 425
const isRingback = (samples: Int16Array) => strengthOf(ringbackHz, samples, rate) > 400

async function dialling() {
  const office = await openVoiceOffice(testApp)
  const ada = await office.person('ada')
  const phone = await office.phone(ada)
  const agent = await soundOf('agent')
  const dial = { type: 'dial', to: '+14155550123', number_id: office.line.id, sdp_offer: agent.offer }
  const { call_id } = await phone.ask(dial)
  await agent.accept((await phone.first('sdp_answer')).sdp_answer)
  const invite = await office.carrier.next('INVITE')
  const tag = fresh('tag')
  const contact = `Contact: <sip:carrier@127.0.0.1:${office.carrier.port}>`
  const respond = (status: string, body = '') =>
    office.carrier.send(answerTo(invite, status, { tag, headers: [contact], body }))
  return { office, phone, agent, invite, respond, callId: call_id as number }
}

async function traceOf({ app }: VoiceOffice, callId: number) {
  return (await app.a.own('GET', `/v1/calls/${callId}/trace`)).json.trace
}

test('the agent hears ringback on 180, and the called party alone once it answers', async () => {
  const { office, agent, invite, respond, callId } = await dialling()
  const sound = await rtpPeer('caller')
  onTestFinished(() => sound.close())

  respond('180 Ringing')
  await agent.received.until(isRingback)
  respond('200 OK', audioAt(sound.port))
  await office.carrier.next('ACK')
  sound.sendTone(portIn(invite))

  await Promise.all([agent.received.onlyTone('caller'), sound.received.onlyTone('agent')])
  expect(await traceOf(office, callId)).toContainEqual(
    expect.objectContaining({ kind: 'progress', code: 180, early_media: false }),
  )
})

test('the agent hears early media of the network before the answer, instead of ringback', async () => {
  const { agent, invite, respond } = await dialling()
  const sound = await rtpPeer('caller')
  onTestFinished(() => sound.close())

  respond('180 Ringing')
  respond('183 Session Progress', audioAt(sound.port))
  sound.sendTone(portIn(invite))

  await agent.received.onlyTone('caller')
})

/** Ada talks to a caller and wants to ask another party first. */
async function talking() {
  const office = await openVoiceOffice(testApp)
  const bea = await office.person('bea')
  const colleague = await office.phone(bea)
  const { phone, agent, call } = await agentOnCall(office)
  await agent.received.onlyTone('caller')
  /** A call to another number, up to its INVITE at the carrier. */
  async function consult() {
    expect(await phone.ask({ type: 'consult', to: { number: '+14155550124' } })).toMatchObject({ ok: true })
    const invite = await office.carrier.next('INVITE')
    const tag = fresh('tag')
    const headers = [`Contact: <sip:carrier@127.0.0.1:${office.carrier.port}>`]
    const sound = await rtpPeer('prompt')
    onTestFinished(() => sound.close())
    const respond = (status: string, body = '') => office.carrier.send(answerTo(invite, status, { tag, headers, body }))
    return { invite, respond, sound }
  }
  return { office, phone, colleague, bea, agent, call, consult }
}

test('an agent who calls another number before a transfer hears ringback, then the party that answers', async () => {
  const { office, agent, call, consult } = await talking()
  const { invite, respond, sound } = await consult()

  respond('180 Ringing')
  await Promise.all([agent.received.until(isRingback), call.sound.received.until((samples) => !isRingback(samples))])
  respond('200 OK', audioAt(sound.port))
  await office.carrier.next('ACK')
  sound.sendTone(portIn(invite))

  await Promise.all([agent.received.onlyTone('prompt'), sound.received.onlyTone('agent')])
})

test('an agent who calls another number before a transfer hears early media, and nothing of it after a refusal', async () => {
  const { office, phone, agent, call, consult } = await talking()
  const { invite, respond, sound } = await consult()

  respond('180 Ringing')
  await agent.received.until(isRingback)
  respond('183 Session Progress', audioAt(sound.port))
  sound.sendTone(portIn(invite))
  await agent.received.onlyTone('prompt')
  respond('486 Busy Here')
  await office.carrier.next('ACK')
  await agent.received.silence()
  expect(await phone.ask({ type: 'unhold' })).toMatchObject({ ok: true })

  await Promise.all([agent.received.onlyTone('caller'), call.sound.received.onlyTone('agent')])
})

test('ringback of a consultation stops when the agent returns to the caller before any answer', async () => {
  const { phone, agent, consult } = await talking()
  const { respond } = await consult()

  respond('180 Ringing')
  await agent.received.until(isRingback)
  expect(await phone.ask({ type: 'unhold' })).toMatchObject({ ok: true })

  await agent.received.onlyTone('caller')
})

test('an agent who asks a colleague before a transfer hears ringback until the colleague answers', async () => {
  const { phone, colleague, bea, agent } = await talking()

  expect(await phone.ask({ type: 'consult', to: { user_id: bea } })).toMatchObject({ ok: true })
  await agent.received.until(isRingback)
  const other = await soundOf('supervisor')
  await answerWith(colleague, other)

  await Promise.all([agent.received.onlyTone('supervisor'), other.received.onlyTone('agent')])
})

const refusals = [
  ['404 Not Found', 404, 'unallocated_number', 'The number does not exist (404 Not Found)'],
  ['480 Temporarily Unavailable', 480, 'no_answer', 'The called party is not available (480 Temporarily Unavailable)'],
  ['484 Address Incomplete', 484, 'invalid_number_format', 'The number is incomplete (484 Address Incomplete)'],
  ['486 Busy Here', 486, 'user_busy', 'The number is busy (486 Busy Here)'],
  [
    '488 Not Acceptable Here',
    488,
    'incompatible_destination',
    'No common audio codec with the carrier (488 Not Acceptable Here)',
  ],
  [
    '503 Service Unavailable',
    503,
    'service_unavailable',
    'The carrier cannot place the call at the moment (503 Service Unavailable)',
  ],
  ['603 Decline', 603, 'call_rejected', 'The call was declined (603 Decline)'],
] as const

test('the phone app, the trace, the history and the log show why a call was not completed', async () => {
  const office = await openVoiceOffice(testApp)
  const phone = await office.phone(await office.person('ada'))
  const { offer } = await soundOf('agent')

  for (const [n, [status, code, cause, failure]] of refusals.entries()) {
    const dial = { type: 'dial', to: '+14155550123', number_id: office.line.id, sdp_offer: offer }
    const { call_id } = await phone.ask(dial)
    office.carrier.send(answerTo(await office.carrier.next('INVITE'), status, { tag: fresh('tag') }))
    const isEnd = ({ type, state }: { type: string; state?: string }) => type === 'call' && state === 'ended'
    const received = await phone.until((all) => all.filter(isEnd).length === n + 1)

    expect(received.findLast(isEnd), status).toMatchObject({ failure })
    expect((await traceOf(office, call_id)).at(-1)).toMatchObject({ kind: 'ended', cause, sip_code: code, failure })
    const kept = await office.app.a.own('GET', `/v1/calls/${call_id}/failure`)
    expect(kept.json).toEqual({ failure, sip_code: code })
  }

  const hungup = (await office.app.events(office.app.a)).filter(({ name }) => name === 'call.hungup')
  expect(hungup.map(({ data }) => data.hangup_cause)).toEqual(refusals.map(([, , cause]) => cause))
  await expect.poll(() => office.app.logged().match(/sip\.call_failed/g)).toHaveLength(refusals.length)
  expect(office.app.logged().match(/"call\.ended"/g)).toHaveLength(refusals.length)
})

test('a far end that puts the call on hold is shown to the agent and in the trace', async () => {
  const office = await openVoiceOffice(testApp)
  const ada = await office.person('ada')
  await office.flow(ringing(ada), 'ring')
  const phone = await office.phone(ada)
  const agent = await soundOf('agent')
  const sound = await rtpPeer('caller')
  onTestFinished(() => sound.close())
  const far = caller({ transport: 'UDP', port: office.carrier.port, from: '+14155550199', to: lineDigits })
  office.carrier.send(far.invite({ body: audioAt(sound.port) }))
  await answerWith(phone, agent)
  far.learnTarget(await office.carrier.next('SIP/2.0 200'))
  office.carrier.send(far.request('ACK'))
  const reinvite = async (direction: string) => {
    office.carrier.send(far.invite({ body: audioAt(sound.port).replace('sendrecv', direction) }))
    await office.carrier.next('SIP/2.0 200')
    office.carrier.send(far.request('ACK'))
  }

  await reinvite('sendonly')
  await phone.until((received) => received.some(({ type, state }) => type === 'call' && state === 'remote_hold'))
  const { calls } = await phone.ask({ type: 'calls' })
  await reinvite('sendrecv')
  await phone.until((received) => received.some(({ type, state }) => type === 'call' && state === 'remote_unhold'))

  expect(calls).toMatchObject([{ remote_hold: true }])
  const [{ id }] = (await office.app.a.api('GET', '/v1/calls')).json.calls
  const holds = (await traceOf(office, id)).filter(({ kind }: { kind: string }) => kind === 'remote_hold')
  expect(holds).toMatchObject([{ held: true }, { held: false }])
})
