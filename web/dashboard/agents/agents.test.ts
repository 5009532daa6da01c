import { describe, expect, test } from 'vitest'
import {
  type AiAgent,
  agentIssues,
  blankAgent,
  keyFrom,
  liveTranscriptionProblem,
  settingsOf,
  starter,
} from './agent.ts'
import { changedSettings } from './changes.ts'
import {
  type CallerTurn,
  type ChatReply,
  endWords,
  keysIn,
  knowledgeOf,
  reworded,
  shownLines,
  turnSummary,
  upTo,
  withTurn,
} from './chat.ts'

describe('two versions of an agent', () => {
  const before = { name: 'Robin', ...blankAgent, first_message: 'Hello.', prompt: 'Be kind.\nBe short.\nSay goodbye.' }

  test('differ in the lines that were removed and added', () => {
    const question = { key: 'order', ask: 'Which order?', kind: 'number' as const, options: [], confirm: false }
    const after = { ...before, prompt: 'Be kind.\nBe brief.\nSay goodbye.', questions: [question] }

    expect(changedSettings(before, after)).toEqual([
      {
        label: 'Instructions',
        lines: [
          { kind: 'same', text: 'Be kind.' },
          { kind: 'removed', text: 'Be short.' },
          { kind: 'added', text: 'Be brief.' },
          { kind: 'same', text: 'Say goodbye.' },
        ],
      },
      {
        label: 'Questions',
        lines: ['order', '  ask: Which order?', '  kind: number', '  confirm: false'].map((text) => ({
          kind: 'added',
          text,
        })),
      },
    ])
    expect(changedSettings(before, before)).toEqual([])
  })

  test('show only the surroundings of a change in a long text', () => {
    const long = Array.from({ length: 3_000 }, (_, line) => `Line ${line}`)
    const changed = (lines: string[], at: number) => lines.map((line, index) => (index === at ? 'Changed' : line))
    const short = long.slice(0, 50)
    const shown = (from: string[], to: string[]) =>
      changedSettings({ ...before, knowledge: from.join('\n') }, { ...before, knowledge: to.join('\n') })[0]?.lines

    expect(shown(short, changed(short, 20))?.map(({ text }) => text)).toEqual([
      ...['…', 'Line 18', 'Line 19', 'Line 20', 'Changed', 'Line 21', 'Line 22', '…'],
    ])
    expect(shown(long, changed(long, 20))).toHaveLength(6_000)
  })
})

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
      version: 1,
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
    tool_calls: [],
    next: { is: 'end', reason: 'answered', target: null },
    turns: [
      {
        line: 2,
        ms: 1_240,
        problem: null,
        prompt: [
          { data: null, text: 'You are Robin' },
          { data: 'knowledge', text: 'Returns take a week.' },
        ],
        requests: [
          {
            messages: 2,
            reply: 'Number?',
            first_ms: 300,
            ms: 1_200,
            tool_calls: [{ tool: 'lookup', arguments: '{"query":"parcel"}', result: 'Nothing was found.' }],
          },
        ],
        passages: [{ document: 'faq.md', text: 'Parcels take two days.', by: 'words' as const }],
      },
      { line: 4, ms: 0.2, problem: null, prompt: [], requests: [], passages: [] },
    ],
  }

  test('maps each line of the caller to its turn, and marks lines that were not played', () => {
    const { lines, ignored } = shownLines(reply, turns)

    expect(lines.map(({ turn }) => turn)).toEqual([undefined, 0, undefined, 1, undefined])
    expect(ignored).toBe(1)
    expect(shownLines(undefined, turns).lines).toEqual([])
  })

  test('explains each reply', () => {
    const [asked, scripted] = shownLines(reply, turns).lines.flatMap(({ details }) => details ?? [])
    expect(asked && turnSummary(asked)).toBe('1.2 s · 1 request · 1 tool call')
    expect(asked && knowledgeOf(asked)).toBe('Knowledge: 1 passage.')
    expect(scripted && turnSummary(scripted)).toBe('Without the LLM')
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

test('a language without live transcription is explained with what would enable it', () => {
  const embedded = { on: true, explanation: 'Speech-to-text: whisper-base on this server.' }
  const off = { on: false, explanation: 'Transcription is off. Run `hookswitch models fetch` to download the models.' }
  const problem = (language: string, live_languages: ('en' | 'fr')[] | null, stt = embedded) =>
    liveTranscriptionProblem(language, { live_languages, engines: { stt: { ...engine, ...stt } } })

  expect(problem('en', ['en'])).toBeUndefined()
  expect(problem('fr', null)).toBeUndefined()
  expect(problem('fr', ['en'])).toEqual({
    title: 'No live transcription in French',
    text:
      'The speech-to-text engine of this server transcribes English only during calls. Configure a speech-to-text ' +
      'server that knows French.',
  })
  expect(problem('en', [], off)).toEqual({ title: 'No live transcription in English', text: off.explanation })
})

const engine = { line: null, has_key: false, source: 'operator' as const, external: false, engine: null }
