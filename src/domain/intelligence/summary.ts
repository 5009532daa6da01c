import { callerWords } from '../ai-agent/understanding/clauses.ts'
import { actionItemsOf, type FoundAction } from './action-items.ts'
import { sentencesOf } from './sentences.ts'
import { moodOf } from './sentiment.ts'
import { type SummaryWords, summaryWords } from './summary-words.ts'
import { ruleLanguage, saidBy, type Transcript } from './transcript.ts'
import { firstMatch, matchAt, patternsOf, type WordPattern } from './word-patterns.ts'

/** Reason and outcome of the call, with verbatim sentences as evidence; null where no sentence states a reason. */
export function summaryOf(transcript: Transcript): string | null {
  const words = wordsFor(transcript)
  const reason = contactReason(transcript)
  if (!words || reason === null) return null
  const { labels } = words
  const items = (actionItemsOf(transcript) ?? []).filter(({ text }) => !text.endsWith(reason))
  const lines = [`${labels.reason}: ${reason}`, `${labels.outcome}: ${outcomeOf(transcript, items, words)}`]
  const steps = (['agent', 'customer'] as const).flatMap((owner) => {
    const texts = items.filter((item) => item.owner === owner).map(({ text }) => text)
    return texts.length === 0 ? [] : [`${labels[owner]}: ${texts.slice(0, maxSteps).join(' ')}`]
  })
  return [...lines, ...steps].join(' ')
}

const maxSteps = 3

function outcomeOf(transcript: Transcript, items: readonly FoundAction[], { labels, solved }: SummaryWords): string {
  const language = ruleLanguage(transcript) ?? 'en'
  const patterns = patternsOf(solved)
  const sentences = transcript.utterances.flatMap(({ text }) => sentencesOf(text))
  const proof = sentences.findLast((sentence) => {
    if (sentence.endsWith('?')) return false
    const words = callerWords(sentence, language)
    return firstMatch(words, patterns) !== undefined
  })
  if (items.length > 0) return labels.followUp
  if (proof !== undefined) return `${labels.solved} (“${proof}”).`
  const mood = moodOf(
    saidBy(transcript, 'external').map(({ text }) => text),
    language,
  )
  return mood === 'NEGATIVE' ? labels.unsolved : labels.open
}

const maxTurns = 6
const minWords = 3

/**
 * The sentence of the customer that states a request, a question or a problem. For a call by the agent it is the
 * agent's.
 */
export function contactReason(transcript: Transcript): string | null {
  const words = wordsFor(transcript)
  const language = ruleLanguage(transcript)
  if (!words || !language) return null
  const [openings, reasons, agentReasons] = [words.openings, words.reasons, words.agentReasons].map((list) =>
    patternsOf(list),
  )
  const said = (side: 'internal' | 'external') =>
    saidBy(transcript, side)
      .slice(0, maxTurns)
      .flatMap(({ text }) => sentencesOf(text))
  const best = (sentences: readonly string[], weigh: (sentence: string, place: number) => number) =>
    sentences
      .map((sentence, place) => ({ sentence, weight: weigh(sentence, place) }))
      .toSorted((a, b) => b.weight - a.weight)
      .find(({ weight }) => weight > 0)?.sentence
  const theirs = best(said('external'), (sentence, place) => {
    const rest = withoutOpening(callerWords(sentence, language), openings ?? [])
    if (rest.length < minWords) return 0
    const isReason = firstMatch(rest, reasons ?? []) !== undefined || sentence.endsWith('?')
    const isComplaint = moodOf([sentence], language) === 'NEGATIVE'
    return (isReason ? 3 : 0) + (isComplaint ? 2.5 : 0) + (rest.length > minWords ? 1 : 0) - place / 2
  })
  const ours = best(said('internal'), (sentence, place) =>
    firstMatch(callerWords(sentence, language), agentReasons ?? []) ? maxTurns - place / 2 : 0,
  )
  return theirs ?? ours ?? null
}

/** Greetings, names and words of politeness at the start say nothing about the reason. */
function withoutOpening(words: readonly string[], openings: readonly WordPattern[]): readonly string[] {
  for (const { tokens } of openings) {
    const end = matchAt(words, 0, tokens)
    if (end !== undefined && end > 0) return withoutOpening(words.slice(end), openings)
  }
  return words
}

function wordsFor(transcript: Transcript): SummaryWords | undefined {
  const language = ruleLanguage(transcript)
  return language && summaryWords[language]
}
