import { phrasesOf } from './phrases.ts'
import type { AgentPlan, Answers, EscalationTarget, IntakeAnswer, IntakeQuestion } from './plan.ts'
import { fromKeys, fromWords, takesOneKey, yesOrNo } from './slots.ts'
import { containsPhrase } from './words.ts'

// The scripted dialog: it asks its questions in order, recognizes the configured intents, and escalates the call on
// request or when it does not understand. Silence and the request for a person are handled the same way in LLM mode.

/** State of the dialog: plain data. */
export interface DialogState {
  /** Index of the open question; past the last one, no question is open. */
  question: number
  /** Understood and read back, not yet confirmed. */
  candidate: IntakeAnswer | null
  misunderstood: number
  /** Consecutive turns without input. */
  silent: number
  answers: Answers
  /** LLM mode: numbers the model has proposed and must read back. */
  proposed?: Answers
}

export type CallerInput = { kind: 'words'; text: string } | { kind: 'keys'; keys: string } | { kind: 'silence' }

export type Next =
  | { kind: 'listen' }
  | { kind: 'end'; why: 'answered' | 'disconnected' }
  /** Escalates to the plan's default target unless another one is named. */
  | { kind: 'escalate'; why: string; target?: EscalationTarget }

export interface AgentReply {
  say: string
  next: Next
  talk: DialogState
}

export function greet(plan: AgentPlan): AgentReply {
  const talk: DialogState = { question: 0, candidate: null, misunderstood: 0, silent: 0, answers: {} }
  const { hello } = phrasesOf(plan.language)
  if (plan.brain === 'llm') return { say: plan.firstMessage ?? hello, next: { kind: 'listen' }, talk }
  if (plan.questions.length === 0 && plan.intents.length === 0) return end(plan, talk, plan.firstMessage ?? hello)
  return goOn(plan, talk, plan.firstMessage ?? hello)
}

export function respond(plan: AgentPlan, talk: DialogState, input: CallerInput): AgentReply {
  const known = builtInReply(plan, talk, input)
  if (known || input.kind === 'silence') return known ?? goOn(plan, talk, '')
  const awake = { ...talk, silent: 0 }
  if (talk.candidate !== null) return confirmed(plan, awake, talk.candidate, input)
  return (input.kind === 'words' && intended(plan, awake, input.text)) || answered(plan, awake, input)
}

/** Handled without the script or the model: silence, and the request for a person. */
export function builtInReply(plan: AgentPlan, talk: DialogState, input: CallerInput): AgentReply | undefined {
  if (input.kind === 'silence') {
    const silent = talk.silent + 1
    if (silent > plan.idle.prompts) return end(plan, { ...talk, silent }, '', 'disconnected')
    const say = plan.idle.message ?? phrasesOf(plan.language).stillThere
    if (plan.brain === 'llm') return { say, next: { kind: 'listen' }, talk: { ...talk, silent } }
    return goOn(plan, { ...talk, silent }, say)
  }
  const awake = { ...talk, silent: 0 }
  if (input.kind === 'keys') return undefined
  if (asksForPerson(plan, input.text)) return handOver(plan, awake, 'The caller asked for a person')
  // Noise, or speech too unclear for a single word.
  if (input.text.trim() === '' && plan.brain === 'llm') return misunderstood(plan, awake)
  return undefined
}

/** Speech or the language model is unavailable. */
export const breakDown = (plan: AgentPlan, talk: DialogState): AgentReply => ({
  say: plan.errorMessage ?? phrasesOf(plan.language).handOver,
  next: { kind: 'escalate', why: 'The agent could not go on' },
  talk,
})

/** The limit of model requests per call is reached. */
export const givesUp = (plan: AgentPlan, talk: DialogState): AgentReply =>
  handOver(plan, talk, 'The conversation took too long')

/** Silence that ends an utterance: spelling a number needs long pauses, a yes or no does not. */
export function patienceMs({ questions, brain }: AgentPlan, { question, candidate }: DialogState): number {
  if (brain === 'llm') return 600
  const kind = candidate !== null ? 'yes_no' : questions[question]?.kind
  if (kind === 'yes_no') return 400
  return kind === 'number' || kind === 'phone' || kind === 'date' ? 1_000 : 600
}

/** Whether a single key is a complete answer to the open question. */
export function oneKeyIsEnough(plan: AgentPlan, talk: DialogState): boolean {
  if (plan.brain === 'llm') return false
  const question = plan.questions[talk.question]
  return talk.candidate !== null || (question !== undefined && takesOneKey(question))
}

/** The maximum duration is reached. */
export const cutShort = (plan: AgentPlan, talk: DialogState): AgentReply => end(plan, talk, '', 'disconnected')

const asksForPerson = ({ language, escalation }: AgentPlan, text: string) =>
  containsPhrase(text, [...phrasesOf(language).person, ...escalation.phrases])

function intended(plan: AgentPlan, talk: DialogState, text: string): AgentReply | undefined {
  const intent = plan.intents.find(({ phrases }) => containsPhrase(text, phrases))
  if (!intent) return undefined
  const reply = intent.reply ?? ''
  const understood = { ...talk, misunderstood: 0 }
  switch (intent.next) {
    case 'go_on':
      return goOn(plan, understood, reply)
    case 'escalate':
      return handOver(plan, understood, intent.name, reply)
    case 'end':
      return end(plan, understood, reply)
  }
}

function answered(plan: AgentPlan, talk: DialogState, input: Exclude<CallerInput, { kind: 'silence' }>): AgentReply {
  const question = plan.questions[talk.question]
  const answer = question && answerIn(plan, question, input)
  if (!question || answer === undefined) return misunderstood(plan, talk)
  if (!question.confirm && !(input.kind === 'words' && isNumeric(question))) return take(plan, talk, question, answer)
  return readBack(plan, talk, answer)
}

const answerIn = (
  { language }: AgentPlan,
  question: IntakeQuestion,
  input: Exclude<CallerInput, { kind: 'silence' }>,
) => (input.kind === 'keys' ? fromKeys(question, input.keys) : fromWords(question, language, input.text))

const isNumeric = ({ kind }: IntakeQuestion) => kind === 'number' || kind === 'phone'

function readBack(plan: AgentPlan, talk: DialogState, candidate: IntakeAnswer): AgentReply {
  const say = phrasesOf(plan.language).confirm(spoken(plan, candidate))
  return { say, next: { kind: 'listen' }, talk: { ...talk, candidate, misunderstood: 0 } }
}

/** Digits one by one: "four thousand seven hundred and twenty-nine" is hard to verify by ear. */
function spoken({ language }: AgentPlan, answer: IntakeAnswer): string {
  if (typeof answer === 'boolean') return (answer ? phrasesOf(language).yes : phrasesOf(language).no)[0] ?? ''
  const text = String(answer)
  return /^\+?\d+$/.test(text) ? [...text].join(' ') : text
}

function confirmed(
  plan: AgentPlan,
  talk: DialogState,
  candidate: IntakeAnswer,
  input: Exclude<CallerInput, { kind: 'silence' }>,
): AgentReply {
  const question = plan.questions[talk.question]
  if (!question) return misunderstood(plan, talk)
  const isRight =
    input.kind === 'words' ? yesOrNo(input.text, plan.language) : ({ '1': true, '2': false } as const)[input.keys]
  if (isRight === true) return take(plan, talk, question, candidate)
  if (isRight === false) return goOn(plan, { ...talk, candidate: null }, '')
  return misunderstood(plan, talk)
}

function take(plan: AgentPlan, talk: DialogState, { key }: IntakeQuestion, answer: IntakeAnswer): AgentReply {
  const answers = { ...talk.answers, [key]: answer }
  const next = { ...talk, answers, candidate: null, misunderstood: 0, question: talk.question + 1 }
  return next.question < plan.questions.length ? goOn(plan, next, '') : end(plan, next, '')
}

function misunderstood(plan: AgentPlan, talk: DialogState): AgentReply {
  const times = talk.misunderstood + 1
  const again = { ...talk, misunderstood: times }
  if (times >= plan.escalation.afterMisunderstandings) {
    return handOver(plan, again, `The caller was not understood ${times === 1 ? 'once' : `${times} times`}`)
  }
  const say = phrasesOf(plan.language).notUnderstood
  return plan.brain === 'llm' ? { say, next: { kind: 'listen' }, talk: again } : goOn(plan, again, say)
}

/** Speaks the text, then asks the open question. */
function goOn(plan: AgentPlan, talk: DialogState, say: string): AgentReply {
  if (talk.candidate !== null) {
    const again = phrasesOf(plan.language).confirm(spoken(plan, talk.candidate))
    return { say: joined(say, again), next: { kind: 'listen' }, talk }
  }
  const question = plan.questions[talk.question]
  return { say: joined(say, question?.ask ?? phrasesOf(plan.language).help), next: { kind: 'listen' }, talk }
}

function handOver(plan: AgentPlan, talk: DialogState, why: string, say = ''): AgentReply {
  return { say: joined(say, phrasesOf(plan.language).handOver), next: { kind: 'escalate', why }, talk }
}

function end(
  plan: AgentPlan,
  talk: DialogState,
  say: string,
  why: 'answered' | 'disconnected' = 'answered',
): AgentReply {
  const goodbye = plan.goodbyeMessage ?? phrasesOf(plan.language).goodbye
  return { say: joined(say, goodbye), next: { kind: 'end', why }, talk }
}

const joined = (...parts: string[]) => parts.filter((part) => part !== '').join(' ')
