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

const words = (text: string): CallerInput => ({ kind: 'words', text })
const keys = (digits: string): CallerInput => ({ kind: 'keys', keys: digits })
const silence: CallerInput = { kind: 'silence' }

function talk(agent: AgentPlan, ...inputs: CallerInput[]): AgentReply[] {
  const lines = [greet(agent)]
  for (const one of inputs) lines.push(respond(agent, lines.at(-1)?.talk ?? greet(agent).talk, one))
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
    ['date', 'tomorrow'],
    ['yes_no', 'Perhaps'],
    ['number', 'a few'],
    ['phone', '12'],
    ['choice', 'violet'],
  ] as const)('asks again for a %s: %s', (kind, said) => {
    const lines = talk(plan([question('it', kind, { options: ['red', 'blue'] })]), words(said))

    expect(last(lines)).toMatchObject({ say: 'Sorry, I did not understand that. it?', next: { kind: 'listen' } })
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
