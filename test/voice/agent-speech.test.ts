import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { homedir } from 'node:os'
import path from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { decode } from '../../src/media/g711.ts'
import { toUlaw8k } from '../../src/media/to-ulaw.ts'
import { testApp } from '../kit/app.ts'
import { temporaryFolder } from '../kit/databases.ts'
import { loudest } from '../kit/tones.ts'
import { type FarCall, openVoiceOffice } from '../kit/voice.ts'

// End to end with real engines: recorded speech as the caller, embedded speech-to-text and text-to-speech. Skipped with a
// notice where models or voices are missing.

const run = promisify(execFile)
const models = process.env.AI_MODELS_DIR ?? path.join(homedir(), '.cache', 'hookswitch', 'models')
const hasFlite = (process.env.PATH ?? '').split(path.delimiter).some((folder) => existsSync(path.join(folder, 'flite')))

async function spoken(text: string): Promise<Int16Array> {
  const file = path.join(await temporaryFolder(), 'line.wav')
  await run('flite', ['-voice', 'slt', '-t', text, '-o', file])
  const sound = await toUlaw8k(await readFile(file))
  if ('problem' in sound) throw new Error(sound.problem)
  return decode('PCMU', sound.ulaw)
}

/** From the last word of the caller to the first audio of the AI agent. */
async function asks({ sound }: FarCall, port: number, samples: Int16Array): Promise<number> {
  await sound.speak(port, samples)
  const from = sound.received.length
  await sound.received.until(() => loudest(sound.received.since(from)) > 1_000)
  const first = sound.received.since(from).findIndex((sample) => Math.abs(sample) > 1_000)
  await sound.received.until((half) => loudest(half) < 200)
  // The synthesized caller has a short silence after its last word.
  const lastWord = samples.findLastIndex((sample) => Math.abs(sample) > 300)
  return Math.round((first + samples.length - lastWord) / 8)
}

test('a caller has a spoken conversation with an AI agent', async (story) => {
  const office = await openVoiceOffice((options) =>
    testApp({ ...options, env: { ...options?.env, AI_MODELS_DIR: models } }),
  )
  const { a, app, db } = office.app
  const { ai } = app.services
  if (!hasFlite || !(await ai.tts(a.id)) || !(await ai.stt(a.id))) {
    console.warn('\n*** SKIPPED: AI voice agents with real speech. Models, espeak-ng or flite are not there. ***\n')
    return story.skip()
  }
  await a.api('PUT', `/v1/numbers/${office.line.id}`, { live_recording_activated: true })
  await a.own('PUT', '/v1/intelligence/settings', { enabled: true, language: 'en', numbers: [] })
  const made = await a.own('POST', '/v1/ai_voice_agents', {
    name: 'Robin',
    first_message: 'Hello, this is Robin, the assistant of the company. I am glad that you call us today.',
    goodbye_message: 'Thank you and goodbye.',
    questions: [
      { key: 'reason', ask: 'Why do you call?', kind: 'text' },
      { key: 'urgent', ask: 'Is it urgent?', kind: 'yes_no' },
    ],
    intents: [{ name: 'hours', phrases: ['opening', 'hours'], reply: 'We are open from nine to six.' }],
  })
  const { id } = made.json.ai_voice_agent
  await office.flow(
    {
      robot: { type: 'ai_agent', agent_id: id, branches: { escalated: 'end', unavailable: 'end' } },
      end: { type: 'hang_up', media: null },
    },
    'robot',
  )
  const [hours, reason, yes] = [
    await spoken('What are your opening hours?'),
    await spoken('I have a question about my invoice.'),
    await spoken('Yes, that is right.'),
  ]

  const call = await office.call()
  let port = 0
  const { sendTone } = call.sound
  call.sound.sendTone = (to) => {
    port = to
  }
  await call.answered()
  call.sound.sendTone = sendTone
  await call.sound.received.until((half) => loudest(half) > 1_000)
  await call.sound.received.until((half) => loudest(half) < 200)
  const waits = [await asks(call, port, hours), await asks(call, port, reason)]
  await call.sound.speak(port, yes)
  await call.over()

  console.log(`from the caller's last word to the agent's first sound: ${waits.join(' ms, ')} ms`)
  const session = () => db.selectFrom('ai_agent_session').selectAll().executeTakeFirst()
  await expect.poll(async () => (await session())?.ended_at).toBeTruthy()
  const { answers = '{}', end_reason } = (await session()) ?? {}
  expect(end_reason).toBe('answered')
  expect(JSON.parse(answers)).toMatchObject({ reason: expect.stringMatching(/invoice/i), urgent: true })
  const transcript = async () => (await a.api('GET', '/v1/calls')).json.calls[0]?.id
  const url = `/v1/calls/${await transcript()}/transcription`
  await expect.poll(async () => (await a.api('GET', url)).status, { interval: 500 }).toBe(200)
  const { utterances } = (await a.api('GET', url)).json.transcription.content
  const ours = utterances.filter((one: { ai_voice_agent_id?: string }) => one.ai_voice_agent_id === id)
  const theirs = utterances.filter((one: { participant_type: string }) => one.participant_type === 'external')
  expect(ours.map(({ text }: { text: string }) => text)).toContain('We are open from nine to six.')
  expect(theirs.map(({ text }: { text: string }) => text).join(' ')).toMatch(/invoice/i)
  expect(utterances).toHaveLength(ours.length + theirs.length)
}, 180_000)
