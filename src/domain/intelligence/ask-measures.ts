import { type Asking, askingAbout, isQuote, shortened } from './asking.ts'
import { enumOf, type JsonSchema, listOf, objectOf, string } from './json-schema.ts'
import { adherenceOf, type PlaybookOutcome, type PlaybookTopic } from './playbook.ts'
import {
  type Answered,
  binaryAnswers,
  fits,
  measuredAnswer,
  notAnswered,
  questionsIn,
  ratingAnswers,
  type Scorecard,
  type ScorecardAnswer,
  type ScorecardQuestion,
} from './scorecard.ts'
import { saidBy, type Transcript } from './transcript.ts'

const integer: JsonSchema = { type: 'integer' }

/** A topic is covered when the internal side mentioned it and the quote proves it. */
export function askPlaybook(
  transcript: Transcript,
  topics: readonly PlaybookTopic[],
): Asking<PlaybookOutcome> | undefined {
  if (saidBy(transcript, 'internal').length === 0 || topics.length === 0) return undefined
  const list = topics.map(({ name, phrases }, place) => {
    const examples = phrases.length === 0 ? '' : ` (for example: ${phrases.map((phrase) => `“${phrase}”`).join(', ')})`
    return `${place + 1}. ${name}${examples}`
  })
  return askingAbout(transcript, {
    name: 'playbook',
    task: `Which of these topics did an AGENT cover on this call? Answer each by its number. Covered needs a quote of the agent; the quote is empty otherwise. Saying that something is not offered does not cover it.\n${list.join('\n')}`,
    schema: objectOf({ topics: listOf(objectOf({ number: integer, covered: { type: 'boolean' }, quote: string })) }),
    read(answer) {
      const { topics: given } = answer as { topics: { number: number; covered: boolean; quote: string }[] }
      const results = topics.flatMap(({ name }, place) => {
        const one = given.find(({ number }) => number === place + 1)
        return one ? [{ name, result: one.covered && isQuote(transcript, one.quote, 'internal') }] : []
      })
      return results.length === topics.length ? { topics: results, adherence: adherenceOf(results) } : null
    },
  })
}

const doubts = [
  'When in doubt, YES or the better rating.',
  '',
  'When in doubt, NO or the worse rating; YES needs explicit words.',
]

interface Given {
  number: number
  answer: ScorecardAnswer
  quote: string
  reason: string
}

/** Answers only, each with its quote. Questions reserved for human reviewers are not sent. */
export function askScorecard(
  transcript: Transcript,
  scorecard: Scorecard,
  holdSeconds = 0,
): Asking<Answered[]> | undefined {
  const questions = questionsIn(scorecard)
  if (saidBy(transcript, 'internal').length === 0 || !questions.some(isAsked)) return undefined
  return askingAbout(transcript, {
    name: 'evaluation',
    task: `Answer these questions about the AGENT of this call, each by its number. With each answer give a quote that proves it and a reason in one sentence. NO needs no quote where something was not said. N/A where the call does not tell.\n${questions
      .flatMap((question, place) => (isAsked(question) ? [questionLine(question, place + 1)] : []))
      .join('\n')}`,
    schema: objectOf({
      answers: listOf(
        objectOf({
          number: integer,
          answer: enumOf(...new Set([...binaryAnswers, ...ratingAnswers])),
          quote: string,
          reason: string,
        }),
      ),
    }),
    read(answer) {
      const { answers } = answer as { answers: Given[] }
      const read = questions.map((question, place) => {
        if (!question.aiEnabled) return notAnswered('To be answered by a person')
        const given = answers.find(({ number }) => number === place + 1)
        return measuredAnswer(transcript, question, holdSeconds) ?? answerIn(transcript, question, given)
      })
      return read.every(({ answer: one }) => one === 'N/A') ? null : read
    },
  })
}

/** Excludes human-reviewed and computed questions. */
const isAsked = ({ aiEnabled, type, measure }: ScorecardQuestion) =>
  aiEnabled && !(type === 'RATING' && measure !== undefined)

function questionLine({ text, type, phrases, strictness }: ScorecardQuestion, number: number): string {
  const words = type === 'BINARY' ? binaryAnswers : ratingAnswers
  const examples =
    phrases.length === 0 ? '' : ` YES can sound like: ${phrases.map((phrase) => `“${phrase}”`).join(', ')}.`
  return `${number}. ${text} (${words.join(', ')}.${examples} ${doubts[strictness] ?? ''})`
}

function answerIn(transcript: Transcript, { type }: ScorecardQuestion, given: Given | undefined): Answered {
  if (!given || !fits(type, given.answer)) return notAnswered('No answer that fits the question was given')
  const { answer, quote } = given
  const reason = shortened(given.reason, 500)
  if (answer === 'N/A') return notAnswered(reason)
  // Something that was not said cannot be quoted.
  if (answer === 'NO' && quote.trim() === '') return { answer, feedback: reason }
  if (!isQuote(transcript, quote)) return notAnswered('What was quoted as proof was not said on the call')
  return { answer, feedback: `“${shortened(quote, 500)}” ${reason}`.trim() }
}
