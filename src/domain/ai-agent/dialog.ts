import { phrasesOf } from './phrases.ts'
import type { AgentPlan, Answers, EscalationTarget, IntakeAnswer, IntakeQuestion, Intent } from './plan.ts'
import type { ToolResult } from './prompt-data.ts'
import { spokenValue } from './read-back.ts'
import { fromKeys, takesOneKey } from './slots.ts'
import { answerInWords, type HeardAnswer, hearingOf } from './understanding/answers.ts'
import { correctedValue, earlierCorrection } from './understanding/corrections.ts'
import { asksForHuman } from './understanding/human-request.ts'
import { asksNotToBeCalled } from './understanding/opt-out.ts'
import { speaksOtherLanguage } from './understanding/other-language.ts'
import { dialogRequest } from './understanding/requests.ts'
import { yesOrNo } from './understanding/yes-no.ts'
import { containsPhrase } from './words.ts'

// The scripted dialog: it asks its questions in order, recognizes the configured intents, and escalates the call on
// request or when it does not understand. Silence and the request for a person are handled the same way in LLM mode.

/** State of the dialog: plain data. */
export interface DialogState {
  /** Index of the open question; past the last one, no question is open. */
  question: number
  /** Understood and read back, not yet confirmed. */
  candidate: IntakeAnswer | null
  /** The candidate corrects the answer to this earlier question. */
  corrects?: number
  /** Failed attempts at the open question: not understood, or rejected when read back. */
  misunderstood: number
  /** Consecutive turns without input. */
  silent: number
  answers: Answers
  /** LLM mode: numbers the model has proposed and must read back. */
  proposed?: Answers
  /** Intent of the last turn; the same one twice in a row does not lead on. */
  intent?: string
  /** LLM mode: the caller has asked for a human, and the model did not transfer the call. */
  askedForHuman?: boolean
  /** The callee asked not to be called again. */
  optedOut?: true
  /** LLM mode: results of tools in earlier turns. */
  results?: readonly ToolResult[]
  /** Turns since the last answer that led to none: repetitions, intents, speech over a question. */
  stalled?: number
}

/** `isHeard: false`: the caller spoke before the open question could be heard. */
export type CallerInput =
  | { kind: 'words'; text: string; isHeard?: false }
  | { kind: 'keys'; keys: string }
  | { kind: 'silence' }

export type Next =
  | { kind: 'listen' }
  | { kind: 'end'; why: 'answered' | 'disconnected' }
  /** Escalates to the plan's default target unless another one is named. */
  | { kind: 'escalate'; why: string; target?: EscalationTarget }

export interface AgentReply {
  say: string
  /** The part of `say` that must be heard before an answer counts. */
  ask?: string
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

/** `now` is the time of the turn, for dates in words. */
export function respond(plan: AgentPlan, talk: DialogState, input: CallerInput, now: number): AgentReply {
  const known = builtInReply(plan, talk, input)
  if (known || input.kind === 'silence') return known ?? goOn(plan, talk, '')
  const awake = { ...talk, silent: 0 }
  if (input.kind === 'keys') {
    return talk.candidate === null
      ? answered(plan, awake, input, now)
      : confirmed(plan, awake, talk.candidate, input, now)
  }
  if (input.isHeard === false) return beforeQuestion(plan, awake, input.text, now)
  if (speaksOtherLanguage(input.text, plan.language)) return misunderstood(plan, awake, otherLanguage(plan))
  if (talk.candidate !== null) return confirmed(plan, awake, talk.candidate, input, now)
  return (
    correctedEarlier(plan, awake, input.text, now) ??
    intendedAndAnswered(plan, awake, input.text, now) ??
    intended(plan, awake, input.text) ??
    answered(plan, awake, input, now)
  )
}

/**
 * The question was not heard, so nothing answers it: it is asked again. A refusal of a value is accepted as soon as the
 * caller hears a wrong part of it.
 */
function beforeQuestion(plan: AgentPlan, talk: DialogState, text: string, now: number): AgentReply {
  if (talk.candidate !== null && yesOrNo(text, plan.language) === false)
    return confirmed(plan, talk, talk.candidate, { kind: 'words', text }, now)
  const known = talk.candidate === null ? intended(plan, talk, text) : undefined
  if (known) return known
  const again = { ...talk, stalled: (talk.stalled ?? 0) + 1 }
  // A caller who always speaks over the question is not understood.
  return again.stalled > 1 ? misunderstood(plan, again, '') : goOn(plan, again, '')
}

/** The caller is cut off after talking for too long; `text` is what was understood until then. */
export function cutIn(plan: AgentPlan, talk: DialogState, text: string, now: number): AgentReply {
  const { interrupt } = phrasesOf(plan.language)
  const reply = text === '' ? misunderstood(plan, talk, '') : respond(plan, talk, { kind: 'words', text }, now)
  return { ...reply, say: joined(interrupt, reply.say) }
}

const otherLanguage = ({ language }: AgentPlan) => phrasesOf(language).onlyLanguage

/** Turns without an answer before the call is escalated; agents without questions only answer. */
const maxStalled = ({ questions }: AgentPlan) => (questions.length > 0 ? 8 : 30)

/** The conversation does not lead anywhere. */
function stalls(plan: AgentPlan, talk: DialogState, go: (talk: DialogState) => AgentReply): AgentReply {
  const stalled = (talk.stalled ?? 0) + 1
  if (stalled > maxStalled(plan)) return handOver(plan, talk, 'The conversation made no progress')
  return go({ ...talk, stalled })
}

/** "Say that again", "go back", "goodbye". `lastReply`: what a model said last. */
function requested(plan: AgentPlan, talk: DialogState, text: string, lastReply?: string): AgentReply | undefined {
  const isYesNo = talk.candidate !== null || plan.questions[talk.question]?.kind === 'yes_no'
  // "No, that is all" answers the question.
  if (isYesNo && yesOrNo(text, plan.language) !== undefined) return undefined
  switch (dialogRequest(text, plan.language)) {
    case 'repeat': {
      if (plan.brain === 'flow') return stalls(plan, talk, (again) => repeated(plan, again))
      if (lastReply === undefined || lastReply === '') return undefined
      return stalls(plan, talk, (again) => ({ say: lastReply, next: { kind: 'listen' }, talk: again }))
    }
    case 'back':
      // A model asks again by itself.
      return plan.brain === 'flow' ? stalls(plan, talk, (again) => wentBack(plan, again)) : undefined
    case 'goodbye':
      return end(plan, talk, '', 'disconnected')
    case undefined:
      return undefined
  }
}

function repeated(plan: AgentPlan, talk: DialogState): AgentReply {
  const reply = plan.intents.find(({ name }) => name === talk.intent)?.reply
  return goOn(plan, talk, talk.candidate === null ? (reply ?? '') : '')
}

/** To the question that was read back, or to the one before; its answer is asked again. */
function wentBack(plan: AgentPlan, talk: DialogState): AgentReply {
  const { intent: _intent, corrects: _corrects, ...rest } = talk
  if (talk.candidate !== null) return goOn(plan, { ...rest, candidate: null }, '')
  const question = Math.max(0, Math.min(talk.question, plan.questions.length) - 1)
  const { [plan.questions[question]?.key ?? '']: _answer, ...answers } = talk.answers
  return goOn(plan, { ...rest, question, answers, misunderstood: 0 }, '')
}

/** Handled without the script or the model: silence, requests for a human, to repeat or to end the call. */
export function builtInReply(
  plan: AgentPlan,
  talk: DialogState,
  input: CallerInput,
  lastReply?: string,
): AgentReply | undefined {
  if (input.kind === 'silence') {
    const silent = talk.silent + 1
    if (silent > plan.idle.prompts) return end(plan, { ...talk, silent }, '', 'disconnected')
    const say = plan.idle.message ?? phrasesOf(plan.language).stillThere
    if (plan.brain === 'llm') return { say, next: { kind: 'listen' }, talk: { ...talk, silent } }
    return goOn(plan, { ...talk, silent }, say)
  }
  const awake = { ...talk, silent: 0 }
  if (input.kind === 'keys') return undefined
  if (plan.isOutbound && asksNotToBeCalled(input.text, plan.language)) return optOut(plan, awake)
  if (mustEscalate(plan, talk, input.text)) return handOver(plan, awake, 'The caller asked for a person')
  const request = requested(plan, awake, input.text, lastReply)
  if (request) return request
  // Noise, or speech too unclear for a single word.
  if (input.text.trim() === '' && plan.brain === 'llm') return misunderstood(plan, awake)
  return undefined
}

const optOut = ({ language }: AgentPlan, talk: DialogState): AgentReply => ({
  say: phrasesOf(language).optedOut,
  next: { kind: 'end', why: 'disconnected' },
  talk: { ...talk, optedOut: true },
})

/** Speech or the language model is unavailable. */
export const breakDown = (plan: AgentPlan, talk: DialogState): AgentReply => ({
  say: plan.errorMessage ?? phrasesOf(plan.language).handOver,
  next: { kind: 'escalate', why: 'The agent could not go on' },
  talk,
})

/** The limit of model requests per call is reached. */
export const givesUp = (plan: AgentPlan, talk: DialogState): AgentReply =>
  handOver(plan, talk, 'The conversation took too long')

/** Whether the caller is expected to say yes or no. */
export const expectsYesOrNo = ({ questions, brain }: AgentPlan, { question, candidate }: DialogState): boolean =>
  candidate !== null || brain === 'llm' || questions[question]?.kind === 'yes_no'

/** Whether a single key is a complete answer to the open question. */
export function oneKeyIsEnough(plan: AgentPlan, talk: DialogState): boolean {
  if (plan.brain === 'llm') return false
  const question = plan.questions[talk.question]
  return talk.candidate !== null || (question !== undefined && takesOneKey(question))
}

/** The maximum duration is reached. */
export const cutShort = (plan: AgentPlan, talk: DialogState): AgentReply => end(plan, talk, '', 'disconnected')

/** A model decides about the request for a human itself; the second request is not left to it. */
const mustEscalate = ({ language, escalation, brain }: AgentPlan, { askedForHuman }: DialogState, text: string) =>
  containsPhrase(text, escalation.phrases) ||
  ((brain === 'flow' || askedForHuman === true) && asksForHuman(text, language))

/** The same reply a second time does not help: the words may be the answer ("the parcel was open"). */
function intentIn(plan: AgentPlan, talk: DialogState, text: string): Intent | undefined {
  const intent = plan.intents.find(({ phrases }) => containsPhrase(text, phrases))
  return intent?.name === talk.intent ? undefined : intent
}

function intended(plan: AgentPlan, talk: DialogState, text: string): AgentReply | undefined {
  const intent = intentIn(plan, talk, text)
  if (!intent) return undefined
  const reply = intent.reply ?? ''
  const understood = { ...talk, intent: intent.name }
  switch (intent.next) {
    case 'go_on':
      return stalls(plan, understood, (again) => goOn(plan, again, reply))
    case 'escalate':
      return handOver(plan, understood, intent.name, reply)
    case 'end':
      return end(plan, understood, reply)
  }
}

/** "Are you open on Friday? I want to pick up my order": the other sentences answer the open question. */
function intendedAndAnswered(plan: AgentPlan, talk: DialogState, text: string, now: number): AgentReply | undefined {
  const intent = intentIn(plan, talk, text)
  const question = plan.questions[talk.question]
  if (intent?.next !== 'go_on' || !question) return undefined
  const others = text.split(/(?<=[.?!])\s+/).filter((sentence) => !containsPhrase(sentence, intent.phrases))
  const input = { kind: 'words', text: others.join(' ') } as const
  // "Hello. When are you open?" gives no reason for the call.
  if (question.kind === 'text' && input.text.split(' ').length < minReasonWords) return undefined
  if (answerIn(plan, question, input, now) === undefined) return undefined
  const reply = answered(plan, { ...talk, intent: intent.name }, input, now)
  return { ...reply, say: joined(intent.reply ?? '', reply.say) }
}

const minReasonWords = 4

/** "Actually, make it the sixteenth": the new answer to an earlier question is read back. */
function correctedEarlier(plan: AgentPlan, talk: DialogState, text: string, now: number): AgentReply | undefined {
  const found = earlierCorrection(hearingOf(plan, now), plan.questions, talk, text)
  return found && readBack(plan, { ...talk, corrects: found.question }, found.value)
}

function answered(plan: AgentPlan, talk: DialogState, input: Spoken, now: number): AgentReply {
  const question = plan.questions[talk.question]
  const answer = question && answerIn(plan, question, input, now)
  if (!question || answer === undefined) return misunderstood(plan, talk)
  const isRead = question.confirm || answer.isInferred || (input.kind === 'words' && isAlwaysReadBack(question))
  return isRead ? readBack(plan, talk, answer.value) : take(plan, talk, question, answer.value)
}

type Spoken = Exclude<CallerInput, { kind: 'silence' }>

function answerIn(plan: AgentPlan, question: IntakeQuestion, input: Spoken, now: number): HeardAnswer | undefined {
  if (input.kind === 'words') return answerInWords(question, input.text, hearingOf(plan, now))
  const value = fromKeys(question, input.keys)
  return value === undefined ? undefined : { value, isInferred: false }
}

/** Single misheard characters make these values useless. */
export const isAlwaysReadBack = ({ kind }: IntakeQuestion): boolean =>
  kind === 'number' || kind === 'phone' || kind === 'email' || kind === 'postcode'

function readBack(plan: AgentPlan, talk: DialogState, candidate: IntakeAnswer): AgentReply {
  const read = { ...talk, candidate }
  return goOn(plan, read, '')
}

const readingBack = (plan: AgentPlan, talk: DialogState, candidate: IntakeAnswer) =>
  phrasesOf(plan.language).confirm(spokenValue(plan.language, questionOf(plan, talk)?.kind, candidate))

/** The question of the candidate. */
const questionOf = (plan: AgentPlan, { question, corrects }: DialogState) => plan.questions[corrects ?? question]

function confirmed(
  plan: AgentPlan,
  talk: DialogState,
  candidate: IntakeAnswer,
  input: Spoken,
  now: number,
): AgentReply {
  const question = questionOf(plan, talk)
  if (!question) return misunderstood(plan, talk)
  if (input.kind === 'keys') {
    if (input.keys === '1') return take(plan, talk, question, candidate)
    return input.keys === '2' ? rejected(plan, talk) : misunderstood(plan, talk)
  }
  const isRight = yesOrNo(input.text, plan.language)
  const said = correctedValue(hearingOf(plan, now), question, candidate, input.text)
  if (said !== undefined && said !== candidate) return rejected(plan, talk, said)
  // The same value again is a confirmation as well.
  if (isRight === true || (said === candidate && isRight === undefined)) return take(plan, talk, question, candidate)
  return isRight === false ? rejected(plan, talk) : misunderstood(plan, talk)
}

/** The caller does not confirm what was read back, and may have given another value. */
function rejected(plan: AgentPlan, talk: DialogState, corrected?: IntakeAnswer): AgentReply {
  const again = { ...talk, candidate: null, misunderstood: talk.misunderstood + 1 }
  if (again.misunderstood >= plan.escalation.afterMisunderstandings) return notUnderstood(plan, again)
  if (corrected !== undefined) return readBack(plan, again, corrected)
  // The earlier answer stays as it was.
  const { corrects: _corrects, ...rest } = again
  return goOn(plan, rest, '')
}

function take(plan: AgentPlan, talk: DialogState, { key }: IntakeQuestion, answer: IntakeAnswer): AgentReply {
  const answers = { ...talk.answers, [key]: answer }
  const { intent: _intent, corrects, ...rest } = talk
  const question = corrects === undefined ? talk.question + 1 : talk.question
  const next = { ...rest, answers, candidate: null, misunderstood: 0, stalled: 0, question }
  return next.question < plan.questions.length ? goOn(plan, next, '') : end(plan, next, '')
}

function misunderstood(plan: AgentPlan, talk: DialogState, say = phrasesOf(plan.language).notUnderstood): AgentReply {
  const again = { ...talk, misunderstood: talk.misunderstood + 1 }
  if (again.misunderstood >= plan.escalation.afterMisunderstandings) return notUnderstood(plan, again)
  return plan.brain === 'llm' ? { say, next: { kind: 'listen' }, talk: again } : goOn(plan, again, say)
}

/** Too many attempts: the call is escalated. */
export function notUnderstood(plan: AgentPlan, talk: DialogState): AgentReply {
  const { misunderstood: times } = talk
  return handOver(plan, talk, `The caller was not understood ${times === 1 ? 'once' : `${times} times`}`)
}

/** Speaks the text, then asks the open question. */
function goOn(plan: AgentPlan, talk: DialogState, say: string): AgentReply {
  if (talk.candidate !== null) {
    const reading = readingBack(plan, talk, talk.candidate)
    // How to answer need not be heard.
    const ask = reading.slice(0, reading.indexOf('?') + 1)
    return { say: joined(say, reading), ask, next: { kind: 'listen' }, talk }
  }
  const ask = plan.questions[talk.question]?.ask ?? phrasesOf(plan.language).help
  return { say: joined(say, ask), ask, next: { kind: 'listen' }, talk }
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
