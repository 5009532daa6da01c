// An AI voice agent as its builder holds it: what it is told to say, ask and know. Pure.

export const agentLanguages = [
  { value: 'en', label: 'English' },
  { value: 'fr', label: 'French' },
  { value: 'es', label: 'Spanish' },
  { value: 'de', label: 'German' },
  { value: 'nl', label: 'Dutch' },
  { value: 'it', label: 'Italian' },
]

export type QuestionKind = 'text' | 'name' | 'number' | 'phone' | 'date' | 'yes_no' | 'choice'
export const questionKinds: { value: QuestionKind; label: string }[] = [
  { value: 'text', label: 'Anything' },
  { value: 'name', label: 'A name' },
  { value: 'number', label: 'A number' },
  { value: 'phone', label: 'A phone number' },
  { value: 'date', label: 'A date' },
  { value: 'yes_no', label: 'Yes or no' },
  { value: 'choice', label: 'One of several' },
]

export interface Question {
  key: string
  ask: string
  kind: QuestionKind
  options: string[]
  confirm: boolean
}

export type IntentEnd = 'go_on' | 'escalate' | 'end'

export interface Intent {
  name: string
  phrases: string[]
  reply: string | null
  next: IntentEnd
}

export type TargetType = 'branch' | 'user' | 'team' | 'external'
export interface Target {
  type: TargetType
  id?: number
  number?: string
}

/** What every list shows. */
export interface AgentItem {
  id: string
  name: string
  language: string
  first_message: string | null
  /** Where it answers, and the one it calls from. */
  number_ids: number[]
  active: boolean
  created_at: string
  updated_at: string
}

/** What only servers with language models know. */
export interface Mind {
  brain: 'flow' | 'llm'
  prompt: string | null
  knowledge: string | null
  transfer_targets: (Target & { name: string })[]
  error_message: string | null
  idle: { seconds: number; prompts: number; message: string | null }
}

export interface AgentSettings extends Partial<Mind> {
  name: string
  language: string
  voice: string | null
  first_message: string | null
  goodbye_message: string | null
  questions: Question[]
  intents: Intent[]
  escalation: { phrases: string[]; after_misunderstandings: number; target: Target }
  outbound_number_id: number | null
  max_seconds: number
  active: boolean
}

export type Agent = AgentItem & AgentSettings

export const hasMind = (settings: AgentSettings): settings is AgentSettings & Mind => settings.brain !== undefined

/** What is sent: everything but what the server makes itself. */
export function settingsOf(agent: Agent): AgentSettings {
  const { id: _id, number_ids: _numbers, created_at: _made, updated_at: _changed, ...settings } = agent
  return settings
}

/** A key of the answers out of the question's words: "What is your order number?" is order_number. */
export function keyFrom(ask: string, taken: readonly string[]): string {
  const small = new Set([
    'what',
    'is',
    'your',
    'the',
    'a',
    'an',
    'do',
    'you',
    'please',
    'can',
    'have',
    'tell',
    'me',
    'i',
  ])
  const words = ask
    .normalize('NFD')
    .replaceAll(/\p{M}/gu, '')
    .toLowerCase()
    .split(/[^a-z0-9]/)
    .filter((word) => word !== '' && !small.has(word))
  const base = words.slice(0, 3).join('_').replace(/^\d/, 'n$&').slice(0, 60) || 'answer'
  if (!taken.includes(base)) return base
  for (let n = 2; ; n++) if (!taken.includes(`${base}_${n}`)) return `${base}_${n}`
}

export type Flaws = Map<string, string>

/** What the server would refuse, by field. */
export function flawsOf(agent: AgentSettings): Flaws {
  const flaws: Flaws = new Map()
  if (agent.name.trim() === '') flaws.set('name', 'Give it a name')
  const keys = agent.questions.map(({ key }) => key)
  agent.questions.forEach(({ key, ask, kind, options }, at) => {
    if (ask.trim() === '') flaws.set(`questions.${at}.ask`, 'Write what it asks')
    if (!/^[a-z][a-z0-9_]{0,63}$/.test(key)) flaws.set(`questions.${at}.key`, 'Small letters, digits and _')
    else if (keys.indexOf(key) !== at) flaws.set(`questions.${at}.key`, 'Another question has this name')
    if (kind === 'choice' && options.length < 2) flaws.set(`questions.${at}.options`, 'Two options at least')
  })
  agent.intents.forEach(({ name, phrases, reply, next }, at) => {
    if (name.trim() === '') flaws.set(`intents.${at}.name`, 'Give it a name')
    if (phrases.length === 0) flaws.set(`intents.${at}.phrases`, 'At least one thing that callers say')
    if (next === 'go_on' && (reply ?? '').trim() === '')
      flaws.set(`intents.${at}.reply`, 'The conversation goes on, so it has to say something')
  })
  const target = flawOfTarget(agent.escalation.target)
  if (target) flaws.set('target', target)
  if (!hasMind(agent)) return flaws
  agent.transfer_targets.forEach((one, at) => {
    const flaw = flawOfTarget(one)
    if (one.name.trim() === '') flaws.set(`transfer_targets.${at}.name`, 'Give it a name')
    if (flaw) flaws.set(`transfer_targets.${at}.target`, flaw)
  })
  return flaws
}

function flawOfTarget({ type, id, number = '' }: Target): string | undefined {
  if (type === 'external' && !/^\+[1-9]\d{6,14}$/.test(number)) return 'An outside number, such as +33123456789'
  return (type === 'user' || type === 'team') && id === undefined ? 'Choose somebody' : undefined
}

/** An agent that can be tried at once. */
export const starter: Omit<AgentSettings, 'name'> = {
  language: 'en',
  voice: null,
  first_message: 'Hello, you have reached us outside of our opening hours. I can take down what it is about.',
  goodbye_message: 'Thank you. Somebody will call you back. Goodbye.',
  questions: [
    { key: 'name', ask: 'What is your name?', kind: 'name', options: [], confirm: false },
    { key: 'reason', ask: 'What is it about?', kind: 'text', options: [], confirm: false },
    { key: 'callback_number', ask: 'On which number can we call you back?', kind: 'phone', options: [], confirm: true },
  ],
  intents: [
    {
      name: 'Opening hours',
      phrases: ['opening hours', 'when are you open', 'what time do you open'],
      reply: 'We are open from nine to six, Monday to Friday.',
      next: 'go_on',
    },
  ],
  escalation: { phrases: [], after_misunderstandings: 3, target: { type: 'branch' } },
  outbound_number_id: null,
  max_seconds: 600,
  active: true,
}

export const blankAgent: Omit<AgentSettings, 'name'> = {
  ...starter,
  first_message: null,
  goodbye_message: null,
  questions: [],
  intents: [],
}
