import { expect, test } from 'vitest'
import { onBothDatabases, testApp } from '../kit/app.ts'
import { type EngineOptions, testEngines } from '../kit/engines.ts'
import { startServer } from '../kit/server-process.ts'
import {
  answeredInSilence,
  answerWith,
  openVoiceOffice,
  ringing,
  saysTone,
  soundOf,
  type VoiceOffice,
} from '../kit/voice.ts'
import { openPhone } from '../live/phone-app.ts'

// Calls with an AI agent, and transcribed calls, when the server is killed or replaced.

const greeting = 'Hello, this is Robin speaking for the whole company today. I am very happy that you call us.'

test('the server is killed while an AI agent speaks: the next one repeats the sentence and goes on', async () => {
  const engines = testEngines({ voice: 'agent' })
  const office = await openVoiceOffice((options) => testApp({ ...options, ai: engines.ai }))
  await withAgent(office, { questions: [{ key: 'reason', ask: 'Why do you call?', kind: 'text' }] })
  engines.callerSays('My parcel is broken')
  await office.app.stop()
  const server = await startWithEngines(office, { voice: 'prompt', stallsAfterMs: 1_000 })
  const call = await office.call()
  const port = await answeredInSilence(call)
  await call.sound.received.onlyTone('prompt')

  await server.end('SIGKILL')
  const app = await office.app.restart()

  await call.sound.received.onlyTone('agent')
  await call.sound.received.silence()
  await saysTone(call, port)
  await call.over()
  await expect.poll(async () => (await sessionOf(app)).ended_at).toBeTruthy()
  const { turns, answers, end_reason } = await sessionOf(app)
  expect(engines.spoken[0]).toBe('Hello, this is Robin speaking for the whole company today.')
  expect({ answers, end_reason }).toEqual({ answers: { reason: 'My parcel is broken' }, end_reason: 'answered' })
  const [cut, again] = turns
  expect(again.text).toBe(`${greeting} Why do you call?`)
  expect(again.text.startsWith(cut.text)).toBe(true)
  expect(turns.map(({ by }: { by: string }) => by).join(' ')).toBe('agent agent caller agent')
  const names = (await app.events(app.a)).map(({ name }) => name)
  const ofAgent = names.filter((name) => name.startsWith('ai_voice_agent'))
  expect(ofAgent).toEqual(['ai_voice_agent.started', 'ai_voice_agent.ended', 'ai_voice_agent.summary'])
  expect(names.filter((name) => name === 'call.ended')).toHaveLength(1)
})

onBothDatabases('a server that is replaced', (open) => {
  test('while an LLM request of an AI agent is pending: the next one sends it again', async () => {
    const engines = testEngines({
      thoughts: [
        [{ text: 'One moment please. ' }, { hangs: true }],
        [{ text: 'We are open from nine to six.' }, { tool: 'hang_up', args: { reason: 'answered' } }],
      ],
    })
    const office = await openVoiceOffice((options) => open({ ...options, ai: engines.ai }))
    await withAgent(office, { brain: 'llm', first_message: 'Hello.' })
    engines.callerSays('When are you open?')
    const call = await office.call()
    const port = await answeredInSilence(call)
    await call.sound.received.until(() => engines.spoken.includes('Hello.'))
    await call.sound.received.silence()
    await saysTone(call, port)
    await expect.poll(() => engines.asked).toHaveLength(1)

    await office.app.app.drain()
    const app = await office.app.restart()

    await call.over()
    expect(engines.asked[1]).toEqual(engines.asked[0])
    await expect.poll(async () => (await sessionOf(app)).ended_at).toBeTruthy()
    const { turns } = await sessionOf(app)
    expect(turns.at(-1).text).toBe('We are open from nine to six.')
    expect(turns.map(({ text }: { text: string }) => text)).toContain('When are you open?')
  })

  test('during a transcribed call: the transcript goes on at its place in the recording', async () => {
    const engines = testEngines()
    const office = await openVoiceOffice((options) => open({ ...options, ai: engines.ai }))
    const { a } = office.app
    await a.own('PUT', '/v1/intelligence/settings', { enabled: true, language: null, numbers: [] })
    await a.api('PUT', `/v1/numbers/${office.line.id}`, { live_recording_activated: true })
    engines.callerSays('My invoice is wrong', 'Are you there?')
    const userId = await office.person('ada')
    await office.flow(ringing(userId), 'ring')
    const phone = await office.phone(userId)
    const agent = await soundOf('agent')
    const call = await office.call()
    await answerWith(phone, agent)
    const port = await answeredInSilence(call)
    await call.sound.received.onlyTone('agent')
    await saysTone(call, port)
    const first = await phone.first('utterance')

    await office.app.app.drain()
    const app = await office.app.restart()
    const again = await openPhone(app, { userId })
    await saysTone(call, port)
    await again.first('utterance')
    expect(await again.ask({ type: 'hang_up' })).toMatchObject({ ok: true })
    await call.over()

    const url = `/v1/calls/${first.call_id}/transcription?mode=realtime`
    await expect.poll(async () => (await app.a.api('GET', url)).status).toBe(200)
    const { utterances } = (await app.a.api('GET', url)).json.transcription.content
    expect(utterances.map(({ text }: { text: string }) => text)).toEqual(['My invoice is wrong', 'Are you there?'])
    expect(utterances[1].start_time).toBeGreaterThan(utterances[0].end_time)
  })
})

const startWithEngines = (office: VoiceOffice, engines: EngineOptions & { callerSays?: string[] }) =>
  startServer({ ...office, program: ['server-with-engines.ts', JSON.stringify(engines)] })

async function withAgent(office: VoiceOffice, settings: object): Promise<void> {
  const messages = { first_message: greeting, goodbye_message: 'Thank you and goodbye.' }
  const agent = { name: 'Robin', ...messages, idle: { seconds: 60 }, ...settings }
  const made = await office.app.a.own('POST', '/v1/ai_voice_agents', agent)
  expect(made.status, made.text).toBe(201)
  const { id } = made.json.ai_voice_agent
  await office.flow(
    {
      robot: { type: 'ai_agent', agent_id: id, branches: { escalated: 'end', unavailable: 'end' } },
      end: { type: 'hang_up', media: null },
    },
    'robot',
  )
}

async function sessionOf({ db }: VoiceOffice['app']) {
  const row = await db.selectFrom('ai_agent_session').selectAll().executeTakeFirst()
  return { ...row, answers: JSON.parse(row?.answers ?? '{}'), turns: JSON.parse(row?.turns ?? '[]') }
}
