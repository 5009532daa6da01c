import type { DialogState } from './dialog.ts'
import type { AgentPlan, IntakeQuestion } from './plan.ts'
import { answerInWords, hearingOf } from './understanding/answers.ts'
import { isBackchannel } from './understanding/backchannels.ts'
import { callerWords } from './understanding/clauses.ts'
import { digitGroups, withPauses } from './understanding/numbers.ts'
import { dialogRequest } from './understanding/requests.ts'
import { unfinished } from './understanding/unfinished.ts'
import { yesOrNo } from './understanding/yes-no.ts'

// Silence that ends the caller's turn, by what was said so far. A complete answer is taken quickly; digits that are
// missing, and sentences that are not finished, get time.

/** Silence that separates two pieces of speech: the shortest wait of all, less the time of speech recognition. */
export const segmentSilenceMs = 320

/** Speech over the agent that lasts longer is no signal of a listener. */
export const interruptsAfterMs = 600

export const turnSilence = {
  complete: 320,
  sentence: 640,
  value: 900,
  unfinished: 1_600,
  partialValue: 2_000,
  askedToWait: 4_000,
} as const

type Wait = keyof typeof turnSilence

export function endOfTurnMs(plan: AgentPlan, talk: DialogState, text: string, now: number): number {
  return turnSilence[waitFor(plan, talk, text, now)]
}

function waitFor(plan: AgentPlan, talk: DialogState, text: string, now: number): Wait {
  const { language } = plan
  const open = unfinished(text, language)
  if (open === 'pause') return 'askedToWait'
  const question = plan.brain === 'flow' ? plan.questions[talk.question] : undefined
  if (talk.candidate !== null)
    return yesOrNo(text, language) === undefined ? 'sentence' : open ? 'unfinished' : 'complete'
  if (question?.kind === 'phone') return phoneWait(plan, text, open)
  if (open) return question && isCharacters(question) ? 'partialValue' : 'unfinished'
  if (dialogRequest(text, language)) return 'complete'
  // "Okay" before the answer.
  if (question && question.kind !== 'yes_no' && isBackchannel(text, language)) return 'unfinished'
  if (!question) return endsInDigits(text, plan) ? 'unfinished' : 'sentence'
  return question.kind === 'text' || question.kind === 'name'
    ? 'sentence'
    : valueWait(question, answerInWords(question, text, hearingOf(plan, now)) !== undefined)
}

const isCharacters = ({ kind }: IntakeQuestion) => kind === 'email' || kind === 'postcode' || kind === 'number'

function valueWait({ kind }: IntakeQuestion, isAnswered: boolean): Wait {
  switch (kind) {
    case 'yes_no':
    case 'choice':
      return isAnswered ? 'complete' : 'sentence'
    case 'date':
    case 'time':
      return isAnswered ? 'sentence' : 'value'
    case 'number':
      // Its length is unknown.
      return 'value'
    default:
      return isAnswered ? 'value' : 'partialValue'
  }
}

/** Digits of a phone number without its country code. */
const nationalDigits: Readonly<Record<string, number>> = { ES: 9, NO: 8, DK: 8, PT: 9, BE: 9, CH: 10 }

function phoneWait(plan: AgentPlan, text: string, open: 'sentence' | undefined): Wait {
  const groups = digitGroups(callerWords(withPauses(text), plan.language), plan.language)
  const count = groups.reduce((sum, { digits }) => sum + digits.length, 0)
  // "I do not have one" has no digit.
  if (count === 0 || (count === 1 && !open && callerWords(text, plan.language).length > 2))
    return open || isBackchannel(text, plan.language) ? 'unfinished' : 'sentence'
  const national = nationalDigits[plan.country ?? ''] ?? 10
  const isWhole = count >= (groups[0]?.hasPlus ? national + 1 : national)
  return isWhole && !open ? 'sentence' : 'partialValue'
}

/** A model has asked for something with digits, and more may follow. */
function endsInDigits(text: string, { language }: AgentPlan): boolean {
  const words = callerWords(withPauses(text), language)
  const last = digitGroups(words.slice(-1), language)
  const count = digitGroups(words, language).reduce((sum, { digits }) => sum + digits.length, 0)
  return last.length > 0 && count >= 2 && count < 10
}
