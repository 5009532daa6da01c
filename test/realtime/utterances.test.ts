import { expect, onTestFinished, test } from 'vitest'
import { WebSocket } from 'ws'
import { addAgent, agentFlow } from '../ai-agents/agents.ts'
import { onAnyDatabase, signedIn, type TestApp } from '../kit/app.ts'
import { type Office, openOffice, ringTo, toUser, voicemail } from '../kit/phone.ts'
import { openPhone } from '../live/phone-app.ts'

const switchOn = ({ a }: Office) =>
  a.own('PUT', '/v1/intelligence/settings', { enabled: true, language: 'en-GB', numbers: [] })

/** A dashboard of the owner. */
async function openDashboard({ app, base, a }: TestApp) {
  const messages: { type: string; call_id: number; utterance: { text: string } }[] = []
  const socket = new WebSocket(`${base.replace('http', 'ws')}/live?watch=1`, {
    headers: await signedIn(app, base, a.id, a.ownerId),
  })
  socket.on('message', (data) => messages.push(JSON.parse(String(data))))
  onTestFinished(() => socket.terminate())
  await new Promise((resolve, reject) => socket.on('open', resolve).on('error', reject))
  return messages
}

const utteranceEvents = async (office: Office) =>
  (await office.events(office.a)).filter(({ name }) => name === 'realtime_transcription.utterances_received')

onAnyDatabase('during a call', (open) => {
  test('nothing is transcribed while the caller is on hold or the recording is paused', async () => {
    const office = await openOffice(open)
    await switchOn(office)
    const { a, ada, pass } = office
    await office.connect(ada)
    const line = await office.line({ ring: ringTo([toUser(ada)]), box: voicemail }, { recording: true })
    const steer = (id: number, word: string) => a.api('POST', `/v1/calls/${id}/${word}`)

    const id = await office.call(line, {
      script: [
        { say: 'Before the hold', seconds: 2 },
        { wait: 8 },
        { say: 'On hold', seconds: 2 },
        { wait: 8 },
        { say: 'After the hold', seconds: 2 },
        { wait: 8 },
        { say: 'Four one one one', seconds: 2 },
        { wait: 8 },
        { say: 'Goodbye', seconds: 2 },
        { wait: 8 },
      ],
    })
    await office.does(ada, { kind: 'answer' })
    await pass(6)
    await office.does(ada, { kind: 'hold' })
    await pass(10)
    await office.does(ada, { kind: 'unhold' })
    await pass(10)
    await steer(id, 'pause_recording')
    await pass(10)
    await steer(id, 'resume_recording')
    await pass(10)

    const words = (await utteranceEvents(office)).flatMap(({ data }) =>
      data.utterances.map(({ text }: { text: string }) => text),
    )
    expect(words).toEqual(['Before the hold', 'After the hold', 'Goodbye'])
  })

  test('utterances are published, sent to participants and supervisors at once, and stored', async () => {
    const office = await openOffice(open)
    await switchOn(office)
    const { ada, bea, pass } = office
    await office.connect(ada)
    const [phone, stranger] = [await openPhone(office, { userId: ada }), await openPhone(office, { userId: bea })]
    const dashboard = await openDashboard(office)
    const agent = await addAgent(office, {
      name: 'Robin',
      first_message: 'Hello.',
      questions: [{ key: 'reason', ask: 'Why do you call?', kind: 'text' }],
    })
    const nodes = agentFlow(agent, ringTo([toUser(ada)], { branches: { no_answer: 'away' } }))
    const line = await office.line(nodes, { recording: true })

    const id = await office.call(line, {
      script: [
        { say: 'A real person, please', seconds: 2 },
        { wait: 30 },
        { say: 'My invoice is wrong', seconds: 3 },
        { hang_up: true },
      ],
    })
    await pass(20)
    await office.does(ada, { kind: 'answer' })
    await pass(16)

    const { uuid } = await office.db.selectFrom('call').select('uuid').executeTakeFirstOrThrow()
    const about = { id, uuid, number_id: line.id, direction: 'inbound' }
    const started = office.clock.now() - 36_000
    const spoken = (participant: object, at: number, duration_ms: number, text: string) => ({
      id: uuid,
      call: about,
      utterances: [{ ...participant, timestamp: started + at, duration_ms, text, language: 'en-GB' }],
    })
    const robot = { participant_type: 'internal', ai_voice_agent_id: agent }
    const customer = { participant_type: 'external' }
    const events = await utteranceEvents(office)
    expect(events.map(({ data }) => data)).toEqual([
      spoken(robot, 0, 2_000, 'Hello. Why do you call?'),
      spoken(customer, 2_000, 2_000, 'A real person, please'),
      // After the silence that ends the turn of the caller.
      spoken(robot, 4_640, 4_000, 'One moment, I am passing you on to a colleague.'),
    ])
    expect((await office.a.api('GET', `/v1/calls/${id}/transcription?mode=realtime`)).status).toBe(404)
    await pass(60)

    const { json } = await office.a.api('GET', `/v1/calls/${id}/transcription?mode=realtime`)
    // Ada took the call after twenty seconds: the 11.36 seconds of ringing are not in the recording.
    expect(json.transcription.content.utterances.at(-1)).toMatchObject({
      start_time: 22.64,
      end_time: 25.64,
      text: 'My invoice is wrong',
      participant_type: 'external',
    })
    const old = (await office.a.api('GET', `/v1/calls/${id}/realtime_transcription`)).json
    expect(old.content.utterances).toHaveLength(4)
    const { utterance } = await phone.first('utterance')
    expect(utterance).toMatchObject({ participant_type: 'external', text: 'My invoice is wrong' })
    await expect.poll(() => dashboard.filter(({ type }) => type === 'utterance').length).toBe(4)
    expect(stranger.received.some(({ type }) => type === 'utterance')).toBe(false)
  })

  test('nothing is published where it is not enabled', async () => {
    const office = await openOffice(open)
    const { ada, pass } = office
    await office.connect(ada)
    const line = await office.line({ ring: ringTo([toUser(ada)]), box: voicemail }, { recording: true })

    const id = await office.call(line, { script: [{ hear: 1 }, { say: 'Hello', seconds: 1 }, { hang_up: true }] })
    await pass(3)
    await office.does(ada, { kind: 'answer' })
    await pass(60)

    expect(await utteranceEvents(office)).toEqual([])
    expect((await office.a.api('GET', `/v1/calls/${id}/realtime_transcription`)).status).toBe(404)
  })
})
