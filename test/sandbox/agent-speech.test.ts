import { expect, test } from 'vitest'
import type { CallerStep } from '../../src/domain/sandbox/script.ts'
import { expectError } from '../http/raw.ts'
import { onBothDatabases, testApp } from '../kit/app.ts'
import { caller, type Office, openOffice, ringTo, toUser, voicemail } from '../kit/phone.ts'

async function talk(office: Office, script: CallerStep[], autopilot: object = {}) {
  const { a, ada, pass } = office
  await a.own('PUT', '/v1/intelligence/settings', { enabled: true, language: null, numbers: [] })
  await office.connect(ada)
  const put = await a.api('PUT', `/sandbox/v1/users/${ada}/autopilot`, { answer_after_seconds: 3, ...autopilot })
  expect(put.status, put.text).toBe(200)
  const line = await office.line({ ring: ringTo([toUser(ada)]), box: voicemail }, { recording: true })
  const id = await office.call(line, { script })
  await pass(180)
  const { json } = await a.api('GET', `/v1/calls/${id}/transcription`)
  return json.transcription.content.utterances
}

const theirs = { participant_type: 'external', phone_number: caller }

onBothDatabases('scripted speech of simulated agents', (open) => {
  test('agent_say lets the agent who answered speak, and both sides are in the transcript', async () => {
    const office = await openOffice(open)
    const ours = { participant_type: 'internal', user_id: office.ada }

    const utterances = await talk(office, [
      { agent_say: 'Good morning, how can I help?', seconds: 2 },
      { say: 'My sofa has not arrived.', seconds: 3 },
      { agent_say: 'I will call you back today.', seconds: 2 },
      { hang_up: true },
    ])

    expect(utterances).toEqual([
      { start_time: 0, end_time: 2, text: 'Good morning, how can I help?', ...ours },
      { start_time: 2, end_time: 5, text: 'My sofa has not arrived.', ...theirs },
      { start_time: 5, end_time: 7, text: 'I will call you back today.', ...ours },
    ])
  })

  test('says of an autopilot alternate with the lines of the caller', async () => {
    const office = await openOffice(open)

    const utterances = await talk(
      office,
      [{ hear: 0 }, { say: 'My sofa has not arrived.', seconds: 3 }, { say: 'Thank you.', seconds: 1 }, { wait: 9 }],
      { says: ['Good morning.', { say: 'I will call you back today.', seconds: 5 }], talk_seconds: 30 },
    )

    const said = utterances.map(({ participant_type, text }: Record<string, string>) => `${participant_type}: ${text}`)
    expect(said.toSorted()).toEqual(
      [
        'internal: Good morning.',
        'external: My sofa has not arrived.',
        'external: Thank you.',
        'internal: I will call you back today.',
      ].toSorted(),
    )
    for (const [index, { start_time }] of utterances.entries()) {
      expect(start_time).toBeGreaterThanOrEqual(utterances[index - 1]?.end_time ?? 0)
    }
  })

  test('an agent on hold music does not speak to the caller until the call is resumed', async () => {
    const office = await openOffice(open)
    const { a, ada, pass } = office
    await a.own('PUT', '/v1/intelligence/settings', { enabled: true, language: null, numbers: [] })
    await office.connect(ada)
    const line = await office.line({ ring: ringTo([toUser(ada)]), box: voicemail }, { recording: true })
    const id = await office.call(line, {
      script: [{ hear: 10 }, { agent_say: 'Thank you for holding.', seconds: 2 }, { hang_up: true }],
    })
    await pass(3)
    await office.does(ada, { kind: 'answer' })
    await pass(5)
    await office.does(ada, { kind: 'hold' })
    await pass(20)
    expect((await office.show(id)).ended_at).toBeNull()
    await office.does(ada, { kind: 'unhold' })
    await pass(120)

    const { json } = await a.api('GET', `/v1/calls/${id}/transcription`)
    expect(json.transcription.content.utterances).toMatchObject([{ text: 'Thank you for holding.' }])
  })
})

test('invalid speech of agents is refused with the step or the line that is wrong', async () => {
  const office = await openOffice(testApp)
  const { a, ada } = office
  const line = await office.line()
  const troubleshootOf = async (method: string, path: string, body: object) => {
    const reply = await a.api(method, path, body)
    expectError(reply, 400, JSON.stringify(body))
    return reply.json.troubleshoot
  }
  const script = (step: unknown) =>
    troubleshootOf('POST', '/sandbox/v1/calls', { from: caller, to: line.digits, script: [{ wait: 1 }, step] })
  const says = (lines: unknown) => troubleshootOf('PUT', `/sandbox/v1/users/${ada}/autopilot`, { says: lines })

  expect(await script({ agent_say: '', seconds: 2 })).toBe(
    'script step 2: agent_say must be a text of 1 to 10000 characters',
  )
  expect(await script({ agent_say: 'Hello' })).toBe(
    'script step 2: seconds must be a number of seconds from 0 to 86400',
  )
  expect(await script({ agent_say: 'Hello', say: 'Hello', seconds: 2 })).toContain('one key')
  expect(await script({ hear: 2, seconds: 2 })).toBe('script step 2: only say and agent_say take seconds')
  expect(await script({ agent_says: 'Hello' })).toContain('agent_say')
  expect(await says('Hello')).toContain('must be an array of lines')
  expect(await says(['Hello', 5])).toBe('says line 2: must be a text or an object with say and seconds')
  expect(await says([{ say: 'Hello', seconds: -1 }])).toBe(
    'says line 1: seconds must be a number of seconds from 0 to 86400',
  )
  expect(await says([{ say: 'Hello', second: 1 }])).toContain('has no key second')
  expect(await says([' '])).toContain('1 to 10000 characters')
  expect(await says(Array.from({ length: 201 }, () => 'Hello'))).toBe('says may have 200 lines at most')
})
