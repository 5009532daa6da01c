import { builtInTools, schemaProblem } from '../../../src/domain/ai-agent/http-tools.ts'
import { isE164 } from '../../../src/domain/phone-number.ts'
import type { ResponseOf } from '../../kit/api.ts'

// The AI agent as edited in the builder.

export const agentLanguages = [
  { value: 'en', label: 'English' },
  { value: 'fr', label: 'French' },
  { value: 'es', label: 'Spanish' },
  { value: 'de', label: 'German' },
  { value: 'nl', label: 'Dutch' },
  { value: 'it', label: 'Italian' },
]

type Engines = ResponseOf<'/v1/intelligence/engines'>['settings']

/** Why an AI agent cannot understand callers in its language, and what would enable it. */
export function liveTranscriptionProblem(
  language: string,
  {
    live_languages: live,
    engines: { stt },
  }: Pick<Engines, 'live_languages'> & { engines: Pick<Engines['engines'], 'stt'> },
): { title: string; text: string } | undefined {
  if (live === null || live.some((known) => known === language)) return undefined
  const nameOf = (value: string) => agentLanguages.find((one) => one.value === value)?.label ?? value
  const title = `No live transcription in ${nameOf(language)}`
  if (!stt.on) return { title, text: stt.explanation }
  const supported = live.length === 0 ? 'no language' : `${live.map(nameOf).join(', ')} only`
  return {
    title,
    text: `The speech-to-text engine of this server transcribes ${supported} during calls. Configure a speech-to-text server that knows ${nameOf(language)}.`,
  }
}

type Stored = ResponseOf<'/v1/ai_voice_agents/{id}/settings'>['ai_voice_agent']
export type IntakeQuestion = Stored['questions'][number]
export type QuestionKind = IntakeQuestion['kind']
export const questionKinds: { value: QuestionKind; label: string }[] = [
  { value: 'text', label: 'Free text' },
  { value: 'name', label: 'Name' },
  { value: 'number', label: 'Number' },
  { value: 'phone', label: 'Phone number' },
  { value: 'email', label: 'Email address' },
  { value: 'postcode', label: 'Postcode' },
  { value: 'date', label: 'Date' },
  { value: 'time', label: 'Time' },
  { value: 'yes_no', label: 'Yes/no' },
  { value: 'choice', label: 'Multiple choice' },
]

export type Intent = Stored['intents'][number]
export type IntentEnd = Intent['next']

export type AgentTool = Stored['tools'][number]

export const newTool: AgentTool = {
  name: '',
  description: '',
  parameters: { type: 'object', properties: {}, required: [] },
  method: 'POST',
  url: '',
  headers: [],
  timeout_seconds: 5,
  filler: null,
  mock: null,
}

export type Target = Stored['escalation']['target']
/** Fields of the list. */
export type AgentItem = ResponseOf<'/v1/ai_voice_agents'>['ai_voice_agents'][number]

/** Settings that require an LLM on the server. */
export type LlmSettings = Pick<
  Stored,
  'brain' | 'prompt' | 'knowledge' | 'transfer_targets' | 'tools' | 'error_message' | 'idle'
>

export type AgentSettings = Omit<
  Stored,
  keyof LlmSettings | 'id' | 'version' | 'number_ids' | 'created_at' | 'updated_at'
> &
  Partial<LlmSettings>

export type AiAgent = AgentItem & AgentSettings & Pick<Stored, 'version'>

export const hasLlm = (settings: AgentSettings): settings is AgentSettings & LlmSettings => settings.brain !== undefined

/** The request body: everything except read-only fields. */
export function settingsOf(agent: AiAgent): AgentSettings {
  const {
    id: _id,
    version: _version,
    number_ids: _numbers,
    created_at: _made,
    updated_at: _changed,
    ...settings
  } = agent
  return settings
}

/** Derives the answer key from the question: "What is your order number?" becomes order_number. */
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

export type AgentIssues = Map<string, string>

/** Validation errors by field. */
export function agentIssues(agent: AgentSettings): AgentIssues {
  const issues: AgentIssues = new Map()
  if (agent.name.trim() === '') issues.set('name', 'Enter a name')
  const keys = agent.questions.map(({ key }) => key)
  agent.questions.forEach(({ key, ask, kind, options }, at) => {
    if (ask.trim() === '') issues.set(`questions.${at}.ask`, 'Enter the question')
    if (!/^[a-z][a-z0-9_]{0,63}$/.test(key)) issues.set(`questions.${at}.key`, 'Use lowercase letters, digits and _')
    else if (keys.indexOf(key) !== at) issues.set(`questions.${at}.key`, 'This key is already used')
    if (kind === 'choice' && options.length < 2) issues.set(`questions.${at}.options`, 'Add at least two options')
  })
  agent.intents.forEach(({ name, phrases, reply, next }, at) => {
    if (name.trim() === '') issues.set(`intents.${at}.name`, 'Enter a name')
    if (phrases.length === 0) issues.set(`intents.${at}.phrases`, 'Add at least one phrase')
    if (next === 'go_on' && (reply ?? '').trim() === '') issues.set(`intents.${at}.reply`, 'Enter a reply')
  })
  const target = issueOfTarget(agent.escalation.target)
  if (target) issues.set('target', target)
  if (!hasLlm(agent)) return issues
  agent.transfer_targets.forEach((one, at) => {
    const issue = issueOfTarget(one)
    if (one.name.trim() === '') issues.set(`transfer_targets.${at}.name`, 'Enter a name')
    if (issue) issues.set(`transfer_targets.${at}.target`, issue)
  })
  for (const [at, tool] of agent.tools.entries()) toolIssues(tool, at, agent.tools, issues)
  const { context_request: request } = agent
  if (request && !URL.canParse(request.url))
    issues.set('context_request.url', 'Enter a URL, such as https://example.com/callers')
  request?.headers.forEach((header, nth) => {
    if (header.name === '') issues.set(`context_request.headers.${nth}`, 'Enter a name')
  })
  const schema = agent.data_schema ? schemaIssue(agent.data_schema) : undefined
  if (schema) issues.set('data_schema', schema)
  return issues
}

function toolIssues(tool: AgentTool, at: number, tools: readonly AgentTool[], issues: AgentIssues) {
  const { name, description, url, parameters, headers } = tool
  const problem = schemaProblem(parameters)
  if (!/^[a-z][a-z0-9_]{0,63}$/.test(name)) issues.set(`tools.${at}.name`, 'Use lowercase letters, digits and _')
  else if (builtInTools.some((own) => own === name))
    issues.set(`tools.${at}.name`, 'This name is used by a built-in tool')
  else if (tools.findIndex((other) => other.name === name) !== at)
    issues.set(`tools.${at}.name`, 'This name is already used')
  if (description.trim() === '') issues.set(`tools.${at}.description`, 'Enter a description')
  if (!URL.canParse(url)) issues.set(`tools.${at}.url`, 'Enter a URL, such as https://example.com/orders')
  if (problem) issues.set(`tools.${at}.parameters`, `Parameters: ${problem}`)
  headers.forEach((header, nth) => {
    if (header.name === '') issues.set(`tools.${at}.headers.${nth}`, 'Enter a name')
  })
}

function issueOfTarget({ type, id, number = '' }: Target): string | undefined {
  if (type === 'external' && !isE164(number)) return 'Enter an external number, such as +33123456789'
  return (type === 'user' || type === 'team') && id === undefined ? 'Select a user or team' : undefined
}

/** Template of a new AI agent. */
export const starter: Omit<AgentSettings, 'name'> = {
  language: 'en',
  voice: null,
  first_message: 'Hello, you have reached us outside our business hours. I can take a message.',
  context_request: null,
  data_schema: null,
  goodbye_message: 'Thank you. We will call you back. Goodbye.',
  questions: [
    { key: 'name', ask: 'What is your name?', kind: 'name', options: [], confirm: false },
    { key: 'reason', ask: 'What is it about?', kind: 'text', options: [], confirm: false },
    { key: 'callback_number', ask: 'What number can we call you back on?', kind: 'phone', options: [], confirm: true },
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
  voicemail: { action: 'hang_up', message: null },
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

function schemaIssue(schema: object): string | undefined {
  const { properties = {} } = schema as { properties?: object }
  if (Object.keys(properties).some((name) => !/^[A-Za-z_][A-Za-z0-9_]{0,63}$/.test(name)))
    return 'Enter a name that starts with a letter'
  const problem = schemaProblem(schema, 'the schema')
  return problem && `The schema ${problem}`
}
