import { describe, expect, test } from 'vitest'
import { strengthOf } from '../../src/media/goertzel.ts'
import { sampleRate } from '../../src/media/mp3.ts'
import { onAnyDatabase, testApp } from '../kit/app.ts'
import { testEngines } from '../kit/engines.ts'
import { eventually } from '../kit/eventually.ts'
import { pitch } from '../kit/tones.ts'
import { type FarCall, openVoiceOffice, type VoiceOffice } from '../kit/voice.ts'

// AI agents on a real line: their speech is a tone, and so is the caller's.

const intake = {
  name: 'Robin',
  first_message: 'Hello, this is Robin speaking for the whole company today, and I am very happy that you call us.',
  goodbye_message: 'Thank you and goodbye.',
  questions: [
    { key: 'reason', ask: 'Why do you call?', kind: 'text' },
    { key: 'order', ask: 'What is your order number?', kind: 'number' },
  ],
}

async function withAgent(office: VoiceOffice, settings: object): Promise<string> {
  const { a } = office.app
  const made = await a.own('POST', '/v1/ai_voice_agents', settings)
  expect(made.status, made.text).toBe(201)
  const { id } = made.json.ai_voice_agent
  await office.flow(
    {
      robot: { type: 'ai_agent', agent_id: id, branches: { escalated: 'box', unavailable: 'end' } },
      box: { type: 'audio', media: null, branches: { next: 'end' } },
      end: { type: 'hang_up', media: null },
    },
    'robot',
  )
  return id
}

/** The far end sends a tone for a moment. */
async function speaks({ sound }: FarCall, seconds = 1) {
  const port = portOf.get(sound) ?? 0
  sound.sendTone(port)
  const until = sound.received.length + seconds * 8_000
  await expect.poll(() => sound.received.length).toBeGreaterThan(until)
  sound.stopSending()
}

const portOf = new Map<FarCall['sound'], number>()

/** An answered call that sends no audio yet. */
async function answered(call: FarCall) {
  const { sound } = call
  const { sendTone } = sound
  sound.sendTone = (to) => void portOf.set(sound, to)
  await call.answered()
  sound.sendTone = sendTone
}

async function turnsOf({ app }: VoiceOffice) {
  const row = await app.db.selectFrom('ai_agent_session').selectAll().orderBy('started_at', 'desc').executeTakeFirst()
  return { ...row, answers: JSON.parse(row?.answers ?? '{}'), turns: JSON.parse(row?.turns ?? '[]') }
}

onAnyDatabase('an AI voice agent on a real line', (open) => {
  test('greets, is interrupted, understands, reads back, ends the call, and is recorded with the caller', async () => {
    const engines = testEngines({ msPerWord: 250 })
    const office = await openVoiceOffice((options) => open({ ...options, ai: engines.ai }))
    const { a } = office.app
    await a.api('PUT', `/v1/numbers/${office.line.id}`, { live_recording_activated: true })
    const agent = await withAgent(office, intake)
    engines.callerSays('I was told to call', 'My parcel is broken', 'four seven two nine', 'yes')

    const call = await office.call()
    await answered(call)
    await call.sound.received.onlyTone('prompt')
    // In the midst of the greeting, before the question: it is asked.
    const before = engines.spoken.length
    await speaks(call)
    await call.sound.received.until(() => engines.spoken.length > before)
    await call.sound.received.silence()
    await speaks(call)
    await call.sound.received.until(() => engines.spoken.includes('What is your order number?'))
    await call.sound.received.silence()
    await speaks(call)
    await call.sound.received.until(() => engines.spoken.some((text) => text.includes('4 7 2 9')))
    await call.sound.received.silence()
    await speaks(call)
    await call.over()

    expect(engines.hangovers).toEqual([320])
    await expect.poll(async () => (await turnsOf(office)).ended_at).toBeTruthy()
    const { turns, answers, end_reason } = await turnsOf(office)
    expect({ answers, end_reason }).toEqual({
      answers: { reason: 'My parcel is broken', order: 4729 },
      end_reason: 'answered',
    })
    expect(turns.map(({ by }: { by: string }) => by).join(' ')).toBe(
      'agent caller agent caller agent caller agent caller agent',
    )
    // Only the part of the greeting that was played counts as spoken.
    expect(intake.first_message.startsWith(turns[0].text)).toBe(true)
    expect(turns[0].text.length).toBeLessThan(intake.first_message.length)
    const recording = await eventually(
      async () => (await a.api('GET', '/v1/calls')).json.calls[0]?.recording ?? undefined,
    )
    const { MPEGDecoder } = await import('mpg123-decoder')
    const decoder = new MPEGDecoder()
    await decoder.ready
    const { channelData } = decoder.decode(Buffer.from(await (await fetch(recording)).arrayBuffer()))
    decoder.free()
    const [ours = [], theirs = []] = channelData
    const ratio = (voice: 'prompt' | 'caller', side: ArrayLike<number>) => strengthOf(pitch[voice], side, sampleRate)
    expect(ratio('prompt', ours) / ratio('caller', ours)).toBeGreaterThan(10)
    expect(ratio('caller', theirs) / ratio('prompt', theirs)).toBeGreaterThan(10)
    const names = (await office.app.events(a))
      .map(({ name }) => name)
      .filter((name) => name.startsWith('ai_voice_agent'))
    expect(names).toEqual(['ai_voice_agent.started', 'ai_voice_agent.ended', 'ai_voice_agent.summary'])
    expect(agent).toMatch(/^[0-9A-Z]{26}$/)
  }, 90_000)
})

describe('an AI voice agent on a real line', () => {
  const open = testApp

  test('is unavailable without speech engines', async () => {
    const office = await openVoiceOffice(open)
    await withAgent(office, intake)

    const call = await office.call()
    // The branch "unavailable" hangs up at once: the call was not answered.
    await office.carrier.next('SIP/2.0 4')

    const made = await office.app.a.own('GET', '/v1/ai_voice_agents')
    const { id } = made.json.ai_voice_agents[0]
    await office.app.a.own('PUT', `/v1/ai_voice_agents/${id}`, { outbound_number_id: office.line.id })
    const input = { contact_phone: '+14155550123', idempotency_key: 'k1' }
    const refused = await office.app.a.api('POST', `/v1/outbound-calls/agents/${id}`, input)
    expect(refused.status, refused.text).toBe(403)
    expect(call.to).toBe(office.line.digits)
  }, 60_000)

  test('accepts keys while it speaks, and escalates with a message when text-to-speech fails', async () => {
    let isHoarse = false
    const engines = testEngines({ msPerWord: 250, speechless: () => isHoarse })
    const office = await openVoiceOffice((options) => open({ ...options, ai: engines.ai }))
    await withAgent(office, { ...intake, questions: [intake.questions[1], intake.questions[0]] })

    const call = await office.call()
    await answered(call)
    await call.sound.received.onlyTone('prompt')
    call.sound.sendTone(portOf.get(call.sound) ?? 0)
    isHoarse = true
    for (const key of ['4', '2', '#']) await call.sound.press(key)
    call.sound.stopSending()

    await expect.poll(async () => (await turnsOf(office)).end_reason).toBe('escalated')
    const { answers, escalation_reason } = await turnsOf(office)
    expect({ answers, escalation_reason }).toEqual({
      answers: { order: 42 },
      escalation_reason: 'The agent could not go on',
    })
    await call.over()
  }, 60_000)

  test('uses an LLM, sentence by sentence, and transfers the caller', async () => {
    const engines = testEngines({
      thoughts: [
        [{ tool: 'lookup', args: { query: 'opening hours' } }],
        [{ text: 'We are open from nine to six. Can I do anything else for you?' }],
        [{ text: 'I am passing you on.' }, { tool: 'transfer', args: { target: 'a colleague', reason: 'Wants more' } }],
      ],
    })
    const office = await openVoiceOffice((options) => open({ ...options, ai: engines.ai }))
    const knowledge = [
      'Opening hours: nine to six.',
      ...Array.from({ length: 60 }, (_, i) => `Fact ${i}: ${'x'.repeat(90)}`),
    ]
    await withAgent(office, {
      name: 'Robin',
      brain: 'llm',
      first_message: 'Hello.',
      knowledge: knowledge.join('\n\n'),
    })
    engines.callerSays('When are you open?', 'I want more')

    const call = await office.call()
    await answered(call)
    await call.sound.received.until(() => engines.spoken.includes('Hello.'))
    await call.sound.received.silence()
    await speaks(call)
    await call.sound.received.until(() => engines.spoken.includes('Can I do anything else for you?'))
    await call.sound.received.silence()
    await speaks(call)
    await expect.poll(async () => (await turnsOf(office)).end_reason).toBe('escalated')

    const { turns, escalation_reason } = await turnsOf(office)
    expect(turns.map(({ text }: { text: string }) => text)).toEqual([
      'Hello.',
      'When are you open?',
      'We are open from nine to six.',
      'Can I do anything else for you?',
      'I want more',
      'I am passing you on.',
    ])
    expect(escalation_reason).toBe('Wants more')
    expect(engines.asked[1]?.at(-1)?.content).toContain('nine to six')
    await call.over()
  }, 90_000)
})
