import { MPEGDecoder } from 'mpg123-decoder'
import { expect, onTestFinished, test } from 'vitest'
import { toWav } from '../../src/media/formats.ts'
import { tones } from '../../src/media/pcm.ts'
import { onAnyDatabase, testApp } from '../kit/app.ts'
import { describe as audioAt, portIn } from '../kit/carrier.ts'
import { eventually } from '../kit/eventually.ts'
import { rtpPeer } from '../kit/rtp-peer.ts'
import { answerTo, fresh } from '../kit/sip-peer.ts'
import { peakOf, pitch, rate, type Voice } from '../kit/tones.ts'
import { answeredInSilence, answerWith, openVoiceOffice, ringing, soundOf, type VoiceOffice } from '../kit/voice.ts'

// The recording announcement on real lines: who hears what, and what the recording contains. Before the result the customer
// sends the tone of the supervisor, afterwards its own.

/** Then a pause: what the jitter buffer still holds when the key is pressed is played, and recorded, after the result. */
const spokenFor = (ms: number) =>
  tones(
    [
      { frequency: pitch.supervisor, ms },
      { frequency: 0, ms: 500 },
    ],
    rate,
  )
const beforeResult = spokenFor(1_500)
/** An audible tone has about 6,000; 15 ms of it in a window of 100 ms have 900. */
const inaudible = 600

async function recordedLine(office: VoiceOffice, mode: 'announce' | 'opt_out' | 'consent', promptMs = 6_000) {
  const { a } = office.app
  const data = toWav(tones([{ frequency: pitch.prompt, ms: promptMs }], 16_000), 16_000).toString('base64')
  const { json } = await a.own('POST', '/v1/sounds/uploads', { name: 'recorded.wav', data })
  const prompts = [{ language: 'en-US', url: json.sound.url }]
  const recording_notice = { mode, key: '9', outbound: true, prompts }
  const saved = await a.own('PUT', '/v1/company/recording_notice', { recording_notice })
  expect(saved.status, saved.text).toBe(200)
  await a.api('PUT', `/v1/numbers/${office.line.id}`, { live_recording_activated: true })
}

/** An inbound call to a Number that rings Ada. */
async function inbound(office: VoiceOffice) {
  const ada = await office.person('ada')
  await office.flow(ringing(ada), 'ring')
  const phone = await office.phone(ada)
  const call = await office.call()
  const port = await answeredInSilence(call)
  return { phone, call, port, agent: await soundOf('agent') }
}

/** The call after its end, and its recording. */
async function ended({ app: { a } }: VoiceOffice) {
  const call = await eventually(async () => {
    const [one] = (await a.api('GET', '/v1/calls')).json.calls
    return one?.status === 'done' ? one : undefined
  })
  const { recording_consent } = (await a.own('GET', `/v1/calls/${call.id}/recording_consent`)).json
  return { id: call.id as number, consent: recording_consent }
}

/** How loud each tone is at most in the recording of the call. */
async function recordedPeaks({ app: { a } }: VoiceOffice, id: number) {
  const url = await eventually(async () => (await a.api('GET', `/v1/calls/${id}`)).json.call.recording ?? undefined)
  const decoder = new MPEGDecoder()
  await decoder.ready
  const { channelData, sampleRate } = decoder.decode(Buffer.from(await (await fetch(url)).arrayBuffer()))
  decoder.free()
  return (voice: Voice) => Math.max(...channelData.map((side) => peakOf(voice, side, { sampleRate, scale: 32_768 })))
}

onAnyDatabase('the recording announcement on a real line', (open) => {
  test('is heard before a phone rings, and the recording contains nothing from before the consent', async () => {
    const office = await openVoiceOffice(open)
    await recordedLine(office, 'consent')
    const { phone, call, port, agent } = await inbound(office)

    await Promise.all([call.sound.received.onlyTone('prompt'), call.sound.speak(port, beforeResult)])
    expect(phone.received.filter(({ type }) => type === 'ring')).toEqual([])
    await call.sound.press('9')
    await answerWith(phone, agent)
    call.sound.sendTone(port)
    await Promise.all([call.sound.received.onlyTone('agent'), agent.received.onlyTone('caller')])
    await phone.ask({ type: 'hang_up' })
    await call.over()

    const { id, consent } = await ended(office)
    const peak = await recordedPeaks(office, id)
    expect(consent).toBe('consented')
    expect(Math.min(peak('agent'), peak('caller'))).toBeGreaterThan(3_000)
    expect(Math.max(peak('supervisor'), peak('prompt'))).toBeLessThan(inaudible)
  })
})

const unrecorded: [mode: 'opt_out' | 'consent', press: string | null, consent: string][] = [
  ['opt_out', '9', 'declined'],
  ['consent', '5', 'declined'],
  ['consent', null, 'no_response'],
]
test.each(
  unrecorded,
)('%s with the key %s: the caller reaches the agent, and no file is made', async (mode, press, consent) => {
  const office = await openVoiceOffice(testApp)
  await recordedLine(office, mode, 1_000)
  const { phone, call, port, agent } = await inbound(office)

  await call.sound.speak(port, beforeResult)
  if (press !== null) await call.sound.press(press)
  await answerWith(phone, agent)
  call.sound.sendTone(port)
  await Promise.all([call.sound.received.onlyTone('agent'), agent.received.onlyTone('caller')])
  await phone.ask({ type: 'hang_up' })
  await call.over()

  const { id, consent: result } = await ended(office)
  expect(result).toBe(consent)
  const { db, settle } = office.app
  await settle()
  const row = await db.selectFrom('call').select(['recording', 'recording_ms']).where('id', '=', id).executeTakeFirst()
  expect(row).toEqual({ recording: null, recording_ms: null })
})

test('on an outbound call with early media the parties are apart until the consent', async () => {
  const office = await openVoiceOffice(testApp)
  await recordedLine(office, 'consent', 2_000)
  const ada = await office.person('ada')
  const phone = await office.phone(ada)
  const agent = await soundOf('agent')
  const dial = { type: 'dial', to: '+14155550123', number_id: office.line.id, sdp_offer: agent.offer }
  expect(await phone.ask(dial)).toMatchObject({ ok: true })
  await agent.accept((await phone.first('sdp_answer')).sdp_answer)
  const invite = await office.carrier.next('INVITE')
  const tag = fresh('tag')
  const headers = [`Contact: <sip:carrier@127.0.0.1:${office.carrier.port}>`]
  const sound = await rtpPeer('caller')
  onTestFinished(() => sound.close())
  const body = audioAt(sound.port)

  office.carrier.send(answerTo(invite, '183 Session Progress', { tag, headers, body }))
  await Promise.all([sound.speak(portIn(invite), beforeResult), agent.received.onlyTone('supervisor')])
  office.carrier.send(answerTo(invite, '200 OK', { tag, headers, body }))
  await office.carrier.next('ACK')
  await Promise.all([sound.received.onlyTone('prompt'), agent.received.onlyTone('prompt')])
  // Also while the key is awaited.
  const speech = sound.speak(portIn(invite), spokenFor(3_500))
  await Promise.all([sound.received.silence(), agent.received.silence()])
  await speech
  await sound.press('9')
  await phone.until((received) => received.some(({ type, state }) => type === 'call' && state === 'connected'))
  sound.sendTone(portIn(invite))
  await Promise.all([sound.received.onlyTone('agent'), agent.received.onlyTone('caller')])
  await phone.ask({ type: 'hang_up' })
  office.carrier.send(answerTo(await office.carrier.next('BYE'), '200 OK'))

  const { id, consent } = await ended(office)
  const peak = await recordedPeaks(office, id)
  expect(consent).toBe('consented')
  expect(Math.min(peak('agent'), peak('caller'))).toBeGreaterThan(3_000)
  expect(Math.max(peak('supervisor'), peak('prompt'))).toBeLessThan(inaudible)
})
