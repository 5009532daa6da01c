import { describe, expect, test } from 'vitest'
import { type AgentReply, type CallerInput, greet, respond } from './dialog.ts'
import { type AgentPlan, type IntakeQuestion, scriptedMode } from './plan.ts'

const question = (key: string, kind: IntakeQuestion['kind'], more: Partial<IntakeQuestion> = {}): IntakeQuestion => ({
  key,
  kind,
  ask: `${key}?`,
  options: [],
  confirm: false,
  ...more,
})

const plan = (questions: IntakeQuestion[], more: Partial<AgentPlan> = {}): AgentPlan => ({
  id: 'a1',
  name: 'Robin',
  language: 'en',
  voice: null,
  firstMessage: 'Hello, this is Robin.',
  goodbyeMessage: 'Bye.',
  questions,
  intents: [],
  escalation: { phrases: [], afterMisunderstandings: 2, target: { type: 'branch' } },
  maxSeconds: 600,
  ...scriptedMode,
  ...more,
})

/** Wednesday, 18 November 2026. */
const now = Date.UTC(2026, 10, 18, 11)

const words = (text: string): CallerInput => ({ kind: 'words', text })
const keys = (digits: string): CallerInput => ({ kind: 'keys', keys: digits })
const silence: CallerInput = { kind: 'silence' }

function talk(agent: AgentPlan, ...inputs: CallerInput[]): AgentReply[] {
  const lines = [greet(agent)]
  for (const one of inputs) lines.push(respond(agent, lines.at(-1)?.talk ?? greet(agent).talk, one, now))
  return lines
}

const last = (lines: AgentReply[]) =>
  lines.at(-1) ?? { say: '', next: { kind: 'listen' as const }, talk: greet(plan([])).talk }

describe('an agent', () => {
  test('asks its questions one after the other and ends with the answers', () => {
    const agent = plan([question('name', 'name'), question('reason', 'text')])

    const lines = talk(agent, words('My name is Jo March.'), words('My invoice is wrong'))

    expect(lines.map(({ say }) => say)).toEqual(['Hello, this is Robin. name?', 'reason?', 'Bye.'])
    expect(last(lines)).toMatchObject({
      next: { kind: 'end', why: 'answered' },
      talk: { answers: { name: 'Jo March', reason: 'My invoice is wrong' } },
    })
  })

  test('reads a recognized number back and accepts keys without confirmation', () => {
    const agent = plan([question('order', 'number'), question('zip', 'number')])

    const lines = talk(agent, words('four seven two nine'), words('no'), words('4 7 2 8'), words('yes'), keys('75011'))

    expect(lines[1]?.say).toContain('4 7 2 9')
    expect(lines[2]?.say).toBe('order?')
    expect(last(lines).talk.answers).toEqual({ order: 4728, zip: 75011 })
  })

  test.each([
    ['That isn’t right, it ends in nine', '0612345679'],
    ['no, 0 6 9 8 7 6 5 4 3 2', '0698765432'],
    ['0612345670', '0612345670'],
  ])('reads a correction back: %s', (said, corrected) => {
    const agent = plan([question('phone', 'phone', { confirm: true })])

    const lines = talk(agent, words('0612345678'), words(said), words('sounds good'))

    expect(lines[2]?.say).toContain([...corrected].join(' '))
    expect(last(lines).talk.answers).toEqual({ phone: corrected })
  })

  test('neither confirms nor rejects an uncertain response', () => {
    const agent = plan([question('phone', 'phone', { confirm: true })])

    const lines = talk(agent, words('0612345678'), words("I'm not so sure"))

    expect(last(lines)).toMatchObject({ next: { kind: 'listen' }, talk: { answers: {}, candidate: '0612345678' } })
  })

  test('escalates when what it reads back is rejected again and again, and when a reply does not lead on', () => {
    const agent = plan([question('order', 'number')])
    expect(last(talk(agent, words('4 7'), words('no'), words('4 8'), words('no'))).next).toEqual({
      kind: 'escalate',
      why: 'The caller was not understood 2 times',
    })

    const hours = { name: 'hours', phrases: ['open'], reply: 'From nine to six.', next: 'go_on' } as const
    const lines = talk(
      plan([question('order', 'number')], { intents: [hours] }),
      words('It was open'),
      words('The box was open'),
      words('It was open'),
    )
    expect(last(lines).next).toMatchObject({ kind: 'escalate' })
  })

  test('is confirmed by keys as well', () => {
    const agent = plan([question('phone', 'phone', { confirm: true })])

    const lines = talk(agent, keys('0612345678'), keys('2'), keys('0612345679'), keys('1'))

    expect(last(lines).talk.answers).toEqual({ phone: '0612345679' })
  })

  test.each([
    ['date', 'on 15/06/2026', '2026-06-15'],
    ['date', '2026-02-28', '2026-02-28'],
    ['yes_no', 'Yes, of course', true],
    ['yes_no', 'That is not right', false],
    ['name', 'It is me, this is Ada', 'Ada'],
  ] as const)('understands a %s: %s', (kind, said, answer) => {
    expect(last(talk(plan([question('it', kind)]), words(said))).talk.answers).toEqual({ it: answer })
  })

  test.each([
    ['date', 'on 31/02/2026'],
    ['date', 'soon'],
    ['time', 'later'],
    ['email', 'I have none'],
    ['name', 'Are you an agent or a robot?'],
    ['yes_no', 'Perhaps'],
    ['number', 'a few'],
    ['phone', '12'],
    ['choice', 'violet'],
  ] as const)('asks again for a %s: %s', (kind, said) => {
    const lines = talk(plan([question('it', kind, { options: ['red', 'blue'] })]), words(said))

    expect(last(lines)).toMatchObject({ say: 'Sorry, I did not understand that. it?', next: { kind: 'listen' } })
  })

  test.each([
    ['date', 'next Tuesday', 'Tuesday 24 November 2026', '2026-11-24'],
    ['time', 'half past three', '15:30', '15:30'],
    ['email', 'jo dot march at example dot com', 'jo dot march at example dot com', 'jo.march@example.com'],
    ['postcode', 'S W one A two double A', 'S W 1 A 2 A A', 'SW1A 2AA'],
    ['number', 'zero zero four seven', '0 0 4 7', '0047'],
    ['phone', 'oh seven double seven oh nine double one two three four', '0 7 7 7 0 9 1 1', '07770911234'],
  ] as const)('reads a %s in words back: %s', (kind, said, read, answer) => {
    const lines = talk(plan([question('it', kind)]), words(said), words('sounds good'))

    expect(lines[1]?.say.replaceAll(',', '')).toContain(read)
    expect(last(lines).talk.answers).toEqual({ it: answer })
  })

  test.each([
    ['time', '1530', '15:30'],
    ['time', '9', '09:00'],
    ['postcode', '75011', '75011'],
    ['number', '0047', '0047'],
    ['date', '15062026', '2026-06-15'],
  ] as const)('accepts a %s by keys: %s', (kind, pressed, answer) => {
    expect(last(talk(plan([question('it', kind)]), keys(pressed))).talk.answers).toEqual({ it: answer })
  })

  test('corrects an earlier answer, and then asks the open question again', () => {
    const agent = plan([question('day', 'date'), question('order', 'number'), question('reason', 'text')])

    const lines = talk(
      agent,
      words('the fifteenth of June'),
      words('yes'),
      words('actually, make it the sixteenth'),
      words('yes please'),
      words('forty-seven twenty-nine'),
      words('uh huh'),
      words('sorry, I meant forty-seven thirty'),
      words('that is right'),
      words('It is broken'),
    )

    expect(lines[3]?.say).toContain('16 June 2027')
    expect(lines[4]?.say).toBe('order?')
    expect(last(lines).talk.answers).toEqual({ day: '2027-06-16', order: 4730, reason: 'It is broken' })
  })

  test('offers a choice by words and by keys', () => {
    const agent = plan([question('colour', 'choice', { options: ['red', 'light blue'] })])

    expect(last(talk(agent, words('The light blue one'))).talk.answers).toEqual({ colour: 'light blue' })
    expect(last(talk(agent, keys('1'))).talk.answers).toEqual({ colour: 'red' })
    expect(last(talk(agent, keys('7'))).talk.misunderstood).toBe(1)
  })

  test('hands over when it is asked to, and after the second misunderstanding', () => {
    const agent = plan([question('order', 'number')])

    expect(last(talk(agent, words('Give me a real person'))).next).toEqual({
      kind: 'escalate',
      why: 'The caller asked for a person',
    })
    expect(last(talk(agent, words('hm'), words('hm'))).next).toEqual({
      kind: 'escalate',
      why: 'The caller was not understood 2 times',
    })
  })

  test('answers from its knowledge', () => {
    const intents = [
      { name: 'hours', phrases: ['opening hours', 'open'], reply: 'We are open from nine to six.', next: 'go_on' },
      { name: 'cancel', phrases: ['cancel'], reply: null, next: 'escalate' },
      { name: 'nothing', phrases: ['never mind'], reply: 'No problem.', next: 'end' },
    ] as const
    const agent = plan([question('reason', 'text')], { intents })

    expect(last(talk(agent, words('When are you open?'))).say).toBe('We are open from nine to six. reason?')
    expect(last(talk(agent, words('I want to cancel'))).next).toEqual({ kind: 'escalate', why: 'cancel' })
    expect(last(talk(agent, words('Oh, never mind')))).toMatchObject({ say: 'No problem. Bye.', next: { kind: 'end' } })
  })

  test('answers a question of the caller, and takes what else the caller said', () => {
    const intents = [
      { name: 'hours', phrases: ['open'], reply: 'We are open from nine to six.', next: 'go_on' },
    ] as const
    const agent = plan([question('reason', 'text'), question('order', 'number')], { intents })
    const both = last(talk(agent, words('Are you open on Friday? I would like to pick up my machine.')))
    const hello = last(talk(agent, words('Good morning. Are you open on Friday?')))
    const digits = last(talk(agent, words('A repair'), words('Are you open today? It is 4711.')))

    expect(both.say).toBe('We are open from nine to six. order?')
    expect(both.talk.answers).toEqual({ reason: 'I would like to pick up my machine.' })
    expect(hello).toMatchObject({ say: 'We are open from nine to six. reason?', talk: { answers: {} } })
    expect(digits.say).toMatch(/^We are open from nine to six\. .*4 7 1 1/)
  })

  test('asks twice after silence', () => {
    const lines = talk(plan([question('reason', 'text')]), silence, silence, silence)

    expect(lines.map(({ say }) => say).slice(1)).toEqual([
      'Are you still there? reason?',
      'Are you still there? reason?',
      'Bye.',
    ])
    expect(last(lines).next).toEqual({ kind: 'end', why: 'disconnected' })
  })

  test('without questions it plays its message and ends the call', () => {
    expect(talk(plan([]))).toMatchObject([
      { say: 'Hello, this is Robin. Bye.', next: { kind: 'end', why: 'answered' } },
    ])
  })
})
