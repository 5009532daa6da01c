import { expect, test } from 'vitest'
import type { CallerStep } from '../../src/services.ts'
import { onAnyDatabase } from '../kit/app.ts'
import { testEngines } from '../kit/engines.ts'
import { type Office, openOffice } from '../kit/phone.ts'
import { addAgent, agentFlow, agentPayloads } from './agents.ts'

// Stories on the simulated network, where a word of the agent takes 400 ms.

const robin = {
  name: 'Robin',
  // Ten words: four seconds with the question.
  first_message: 'Hello, this is Robin.',
  goodbye_message: 'Goodbye.',
}
const reason = { key: 'reason', ask: 'What is this about today?', kind: 'text' }
const phone = { key: 'phone', ask: 'What is your phone number?', kind: 'phone' }
const name = { key: 'name', ask: 'What is your name please?', kind: 'name' }

const say = (text: string, seconds: number): CallerStep => ({ say: text, seconds })
const twice = { after_misunderstandings: 2, target: { type: 'branch' } }

/** Without waiting for the agent. */
const over = (text: string, seconds: number): CallerStep => ({ say: text, seconds, over: true })

interface Turn {
  by: string
  text: string
  at: number
}

async function conversation(office: Office, settings: object, script: CallerStep[], seconds = 120) {
  const agent = await addAgent(office, { ...robin, ...settings })
  const id = await office.call(await office.line(agentFlow(agent)), { script })
  await office.pass(seconds)
  const row = await office.db
    .selectFrom('ai_agent_session')
    .selectAll()
    .orderBy('started_at', 'desc')
    .executeTakeFirstOrThrow()
  const turns: Turn[] = JSON.parse(row.turns)
  const { escalated } = await agentPayloads(office, id)
  return {
    answers: JSON.parse(row.answers),
    end: row.end_reason,
    why: escalated?.escalation_reason,
    lines: turns.map(({ by, text }) => `${by}: ${text}`),
    /** Seconds since the start. */
    times: turns.map(({ at }) => (at - Number(row.started_at)) / 1_000),
  }
}

onAnyDatabase('an AI voice agent takes turns', (open) => {
  test('a pause of 700 ms inside a sentence is no end of the turn', async () => {
    const office = await openOffice(open)

    const { answers, lines, times } = await conversation(office, { questions: [reason, name] }, [
      say('My parcel arrived yesterday.', 2),
      { wait: 0.7 },
      over('But it was broken.', 1.5),
      say('Jo March', 1),
    ])

    expect(answers).toEqual({ reason: 'My parcel arrived yesterday, But it was broken.', name: 'Jo March' })
    expect(lines).toEqual([
      'agent: Hello, this is Robin. What is this about today?',
      'caller: My parcel arrived yesterday, But it was broken.',
      'agent: What is your name please?',
      'caller: Jo March',
      'agent: Goodbye.',
    ])
    // The greeting takes 3.6 s, both parts with the pause 4.2 s, and 640 ms of silence end the turn.
    expect(times).toEqual([0, 8.44, 8.44, 12.08, 12.08])
  })

  test('a sentence that is not finished gets more time before the agent replies', async () => {
    const office = await openOffice(open)

    const { answers, lines } = await conversation(office, { questions: [reason] }, [
      say('I am calling because my', 2),
      { wait: 1.4 },
      over('invoice is wrong', 1.5),
    ])

    expect(answers).toEqual({ reason: 'I am calling because my invoice is wrong' })
    expect(lines).toHaveLength(3)
  })

  test('a resumed last answer takes the goodbye back', async () => {
    const office = await openOffice(open)

    const { answers, lines } = await conversation(office, { questions: [reason] }, [
      say('My parcel is late', 2),
      { wait: 1 },
      over('and the box is broken', 2),
    ])

    expect(answers).toEqual({ reason: 'My parcel is late and the box is broken' })
    expect(lines.at(-1)).toBe('agent: Goodbye.')
  })

  test('"okay, yes" over the greeting answers nothing, and the greeting goes on where it stopped', async () => {
    const office = await openOffice(open)

    const { answers, lines } = await conversation(office, { questions: [reason, name] }, [
      { wait: 0.8 },
      over('Okay, yes.', 0.9),
      say('My parcel is broken', 2),
      say('Jo March', 1),
    ])

    expect(answers).toEqual({ reason: 'My parcel is broken', name: 'Jo March' })
    expect(lines.slice(0, 3)).toEqual([
      'agent: Hello, this is',
      'agent: this is Robin. What is this about today?',
      'caller: My parcel is broken',
    ])
  })

  test.each(['Mhm.', 'uh huh', 'I see', 'okay'])('%s does not interrupt the agent', async (signal) => {
    const office = await openOffice(open)

    const { lines, times } = await conversation(office, { questions: [reason] }, [
      { wait: 1 },
      over(signal, 0.5),
      say('My parcel is broken', 2),
    ])

    expect(lines).toEqual([
      'agent: Hello, this is Robin. What is this about today?',
      'caller: My parcel is broken',
      'agent: Goodbye.',
    ])
    expect(times).toEqual([0, 6.24, 6.24])
  })

  test('what is said before the question is no answer to it: it is asked', async () => {
    const office = await openOffice(open)

    const { answers, lines } = await conversation(office, { questions: [name, reason] }, [
      { wait: 0.4 },
      over('I want to know where my parcel is', 2),
      say('Jo March', 1),
      say('It is lost', 1),
    ])

    expect(answers).toEqual({ name: 'Jo March', reason: 'It is lost' })
    expect(lines.slice(0, 3)).toEqual([
      'agent: Hello, this',
      'caller: I want to know where my parcel is',
      'agent: What is your name please?',
    ])
  })

  test('an answer before the last word of the question counts', async () => {
    const office = await openOffice(open)

    const { answers } = await conversation(office, { questions: [reason] }, [
      // After "What is this about".
      { wait: 3.2 },
      over('My parcel is broken', 2),
    ])

    expect(answers).toEqual({ reason: 'My parcel is broken' })
  })

  test('a phone number in groups 1.1 s apart is one answer', async () => {
    const office = await openOffice(open)

    const { answers, end, lines } = await conversation(office, { questions: [phone] }, [
      say('Oh six one two.', 1.2),
      { wait: 1.1 },
      over('Three four five.', 1),
      { wait: 1.1 },
      over('Six seven eight.', 1),
      say('yes', 0.5),
    ])

    expect({ answers, end }).toEqual({ answers: { phone: '0612345678' }, end: 'answered' })
    expect(lines).toHaveLength(5)
  })

  test('"okay" before the answer is not the answer', async () => {
    const office = await openOffice(open)

    const { answers } = await conversation(office, { questions: [reason] }, [
      say('Okay.', 0.5),
      { wait: 3 },
      over('My parcel is broken', 2),
    ])

    expect(answers).toEqual({ reason: 'My parcel is broken' })
  })

  test('a complete yes is answered after 320 ms', async () => {
    const office = await openOffice(open)
    const question = { key: 'member', ask: 'Are you a member already?', kind: 'yes_no' }

    const { times } = await conversation(office, { questions: [question] }, [say('Yes', 0.5)])

    expect(times).toEqual([0, 4.42, 4.42])
  })

  test('a caller who does not stop talking is cut off politely, and then escalated', async () => {
    const office = await openOffice(open)

    const { end, why, lines } = await conversation(
      office,
      { questions: [phone] },
      [say('Well, you know, it all began in the spring', 200)],
      240,
    )

    expect({ end, why }).toEqual({ end: 'escalated', why: 'The caller was not understood 3 times' })
    expect(lines.slice(1, 3)).toEqual([
      'agent: Sorry to interrupt you. What is your phone number?',
      'agent: Sorry to interrupt you. What is your phone number?',
    ])
  })

  test('a caller who speaks another language is asked again, and then escalated', async () => {
    const office = await openOffice(open)

    const { end, why, lines } = await conversation(office, { questions: [reason], escalation: twice }, [
      say('Bonjour, je voudrais parler avec une personne', 3),
      say('Je ne parle pas anglais, je suis désolé mais je voudrais une réponse', 3),
    ])

    expect({ end, why }).toEqual({ end: 'escalated', why: 'The caller was not understood 2 times' })
    expect(lines[2]).toBe('agent: I am sorry, I only speak English. What is this about today?')
  })

  test('LLM mode: signals do not interrupt, resumed speech is one turn, and "say that again" needs no model', async () => {
    const engines = testEngines({
      thoughts: [
        [{ text: 'We are open from nine to six on all weekdays. Is there anything else?' }],
        [{ text: 'You are welcome.' }, { tool: 'hang_up', args: {} }],
      ],
    })
    const office = await openOffice((options) => open({ ...options, ai: engines.ai }))

    const { lines } = await conversation(office, { brain: 'llm', first_message: 'Hello.' }, [
      say('When do you open,', 1),
      { wait: 0.9 },
      over('I mean on Mondays?', 1),
      { wait: 2 },
      over('uh huh', 0.5),
      // Until the second sentence has ended.
      { wait: 4 },
      say('Pardon?', 0.5),
      say('No, thank you', 1),
    ])

    expect(lines).toEqual([
      'agent: Hello.',
      'caller: When do you open, I mean on Mondays?',
      'agent: We are open from nine to six on all weekdays.',
      'agent: Is there anything else?',
      'caller: Pardon?',
      'agent: We are open from nine to six on all weekdays. Is there anything else?',
      'caller: No, thank you',
      'agent: You are welcome.',
    ])
    expect(engines.asked).toHaveLength(2)
  })
})
