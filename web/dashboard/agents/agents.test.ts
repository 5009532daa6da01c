import { describe, expect, test } from 'vitest'
import { type AiAgent, agentIssues, blankAgent, keyFrom, settingsOf, starter } from './agent.ts'
import { type CallerTurn, type ChatReply, endWords, keysIn, reworded, shownLines, upTo, withTurn } from './chat.ts'

describe('an agent that is being built', () => {
  test('starts from a template or empty', () => {
    expect(agentIssues({ name: 'Robin', ...starter })).toEqual(new Map())
    expect(agentIssues({ name: 'Robin', ...blankAgent })).toEqual(new Map())
  })

  test('shows validation errors at their fields', () => {
    const issues = agentIssues({
      ...starter,
      name: ' ',
      questions: [
        { key: 'size', ask: 'Which size?', kind: 'choice', options: ['S'], confirm: false },
        { key: 'size', ask: '', kind: 'text', options: [], confirm: false },
        { key: 'Ü', ask: 'x', kind: 'text', options: [], confirm: false },
      ],
      intents: [{ name: '', phrases: [], reply: null, next: 'go_on' }],
      escalation: { phrases: [], after_misunderstandings: 3, target: { type: 'external', number: '123' } },
    })

    expect([...issues.keys()].sort()).toEqual([
      'intents.0.name',
      'intents.0.phrases',
      'intents.0.reply',
      'name',
      'questions.0.options',
      'questions.1.ask',
      'questions.1.key',
      'questions.2.key',
      'target',
    ])
  })

  test.each([
    ['What is your order number?', [], 'order_number'],
    ['What is your order number?', ['order_number'], 'order_number_2'],
    ['Où étiez-vous ?', [], 'ou_etiez_vous'],
    ['42 what?', [], 'n42'],
    ['???', [], 'answer'],
  ])('%s becomes a name for its answer', (ask, taken, key) => {
    expect(keyFrom(ask, taken)).toBe(key)
  })

  test('is sent without what the server makes itself', () => {
    const agent: AiAgent = {
      ...starter,
      id: 'x',
      name: 'Robin',
      first_message: null,
      number_ids: [1],
      created_at: '',
      updated_at: '',
    }

    expect(Object.keys(settingsOf(agent))).not.toContain('number_ids')
    expect(settingsOf(agent).name).toBe('Robin')
  })
})

describe('a conversation with it', () => {
  const turns: CallerTurn[] = [
    { by: 'caller', text: 'My parcel' },
    { by: 'caller', keys: '4729#' },
    { by: 'caller', text: 'yes' },
  ]
  const reply: ChatReply = {
    lines: [
      { by: 'agent', text: 'Hello' },
      { by: 'caller', text: 'My parcel' },
      { by: 'agent', text: 'Number?' },
      { by: 'caller', text: '4729#' },
      { by: 'agent', text: 'Goodbye' },
    ],
    collected: {},
    next: { is: 'end', reason: 'answered', target: null },
  }

  test('maps each line of the caller to its turn, and marks lines that were not played', () => {
    const { lines, ignored } = shownLines(reply, turns)

    expect(lines.map(({ turn }) => turn)).toEqual([undefined, 0, undefined, 1, undefined])
    expect(ignored).toBe(1)
    expect(shownLines(undefined, turns).lines).toEqual([])
  })

  test('is changed in the middle, and goes on with what came after', () => {
    expect(withTurn(turns, 1, reworded({ by: 'caller', keys: '1' }, '47x30#'))).toEqual([
      turns[0],
      { by: 'caller', keys: '4730#' },
      turns[2],
    ])
    expect(upTo(turns, 1)).toEqual([turns[0]])
    expect(keysIn('a1*b#')).toBe('1*#')
  })

  test('shows how it ends', () => {
    const nameOf = ({ type }: { type: string }) => `the ${type}`
    const person = {
      is: 'escalate' as const,
      reason: 'The caller asked for a person',
      target: { type: 'team' as const },
    }
    expect(endWords(reply, nameOf)).toBe('The AI agent hangs up')
    expect(endWords({ ...reply, next: person }, nameOf)).toBe(
      'The call is escalated to the team. The caller asked for a person',
    )
    expect(endWords({ ...reply, next: { is: 'listen', reason: null, target: null } }, nameOf)).toBeUndefined()
  })
})
