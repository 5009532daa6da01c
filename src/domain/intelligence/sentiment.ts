import type { AgentLanguage } from '../ai-agent/plan.ts'
import { callerWords } from '../ai-agent/understanding/clauses.ts'
import { sentencesOf } from './sentences.ts'
import { sentimentWords } from './sentiment-words.ts'
import { ruleLanguage, saidBy, type Transcript } from './transcript.ts'
import { firstMatch, matchAt, patternsOf, type WordPattern } from './word-patterns.ts'

export type Mood = 'POSITIVE' | 'NEUTRAL' | 'NEGATIVE'

export interface ParticipantMood {
  phone: string
  value: Mood
}

/** Three coarse values for external speakers. Speakers whose words do not decide have none; null if there is no value. */
export function sentimentOf(transcript: Transcript): ParticipantMood[] | null {
  const language = ruleLanguage(transcript)
  if (!language) return null
  const texts = new Map<string, string[]>()
  for (const { text, speaker } of saidBy(transcript, 'external')) {
    if (speaker.side === 'external') texts.set(speaker.phone, [...(texts.get(speaker.phone) ?? []), text])
  }
  const found = [...texts].flatMap(([phone, said]) => {
    const value = moodOf(said, language)
    return value === null ? [] : [{ phone, value }]
  })
  return found.length === 0 ? null : found
}

/** From this weight on, the words decide; between it and `doubt` there is no value. */
const decided = 1.5
const doubt = 0.75
const maxTroubled = 0.25

/** Null where the words do not decide. A complaint outweighs the relief at its end; praise after one leaves it open. */
export function moodOf(texts: readonly string[], language: AgentLanguage = 'en'): Mood | null {
  const weights = texts.map((text) => turnWeights(text, rulesFor(language), language))
  const negative = weights.reduce((sum, { bad }) => sum + bad, 0)
  const positive = weights.reduce((sum, { good }) => sum + good, 0)
  if (negative >= decided && negative > positive) return 'NEGATIVE'
  if (positive >= decided && negative < doubt) return 'POSITIVE'
  if (negative >= doubt || positive >= decided) return null
  // Complaints come in more words than any list has: NEUTRAL needs sentences without a sign of trouble.
  const sentences = weights.reduce((sum, turn) => sum + turn.sentences, 0)
  const troubled = weights.reduce((sum, turn) => sum + turn.troubled, 0)
  return troubled <= maxTroubled * sentences ? 'NEUTRAL' : null
}

interface Rules {
  complaints: WordPattern[]
  praise: WordPattern[]
  polite: WordPattern[]
  cues: WordPattern[]
  hypothetical: WordPattern[]
  weights: ReadonlyMap<string, number>
  agreement: ReadonlySet<string>
  negations: ReadonlySet<string>
  intensifiers: ReadonlySet<string>
  contrast: ReadonlySet<string>
  trouble: ReadonlySet<string>
  others: ReadonlySet<string>
}

const known = new Map<AgentLanguage, Rules>()

function rulesFor(language: AgentLanguage): Rules {
  const before = known.get(language)
  if (before) return before
  const words = sentimentWords[language]
  const { classes } = words
  const listed = (text: string, weight: number) => text.split(' ').map((word) => [word, weight] as const)
  const made: Rules = {
    complaints: patternsOf(words.complaints, classes),
    praise: patternsOf(words.praise, classes),
    polite: patternsOf(words.polite, classes),
    cues: patternsOf(words.cues, classes),
    hypothetical: patternsOf(words.hypothetical, classes),
    weights: new Map([
      ...listed(words.kind, 1),
      ...listed(words.delight, 2),
      ...listed(words.weak, -1),
      ...listed(words.harsh, -2),
    ]),
    agreement: new Set(words.agreement.split(' ')),
    negations: new Set(words.negations.split(' ')),
    intensifiers: new Set(words.intensifiers.split(' ')),
    contrast: new Set(words.contrast.split(' ')),
    trouble: new Set(words.trouble.split(' ')),
    others: new Set(words.others.split(' ')),
  }
  known.set(language, made)
  return made
}

interface Weights {
  good: number
  bad: number
}

function turnWeights(text: string, rules: Rules, language: AgentLanguage) {
  const sentences = sentencesOf(text).map((sentence) => sentenceWeights(sentence, rules, language))
  const sarcasm = isSarcastic(text, rules, language) ? 2 : 0
  return {
    good: sarcasm > 0 ? 0 : sentences.reduce((sum, { good }) => sum + good, 0),
    bad: sentences.reduce((sum, { bad }) => sum + bad, sarcasm),
    sentences: sentences.length,
    troubled: sentencesOf(text).filter((sentence) => isTroubled(sentence, rules, language)).length,
  }
}

/** Agreement that stands alone before the rest of the turn: "Oh great, another form". */
function isSarcastic(text: string, rules: Rules, language: AgentLanguage): boolean {
  const [start = '', ...rest] = text.split(/[,.!]\s/)
  const first = callerWords(start, language)
  const agrees = first.some((word) => (rules.weights.get(word) ?? 0) >= 1 && rules.agreement.has(word))
  if (!agrees || !first.every((word) => rules.agreement.has(word))) return false
  const others = removeAll(
    rest.flatMap((part) => callerWords(part, language)),
    rules.polite,
  ).rest
  return firstMatch(others, rules.cues) !== undefined && !text.trim().endsWith('?')
}

function sentenceWeights(sentence: string, rules: Rules, language: AgentLanguage): Weights {
  const words = callerWords(sentence, language)
  // What may happen is no complaint: a condition or question counts only where it cannot be meant otherwise.
  const isOpen =
    (sentence.endsWith('?') && !isTagged(sentence)) ||
    rules.hypothetical.some(({ tokens }) => matchAt(words, 0, tokens) !== undefined)
  const weights = { good: 0, bad: 2 * removeAll(words, rules.complaints, isOpen).found.length }
  if (isOpen) return weights
  for (const clause of sentence.split(/[,;]\s/)) addClause(weights, callerWords(clause, language), rules)
  return words.some((word) => rules.contrast.has(word)) ? { ...weights, good: 0 } : weights
}

/** "It's not good enough, is it?" states what it asks. */
const isTagged = (sentence: string) =>
  /, (?:is|are|do|does|did|have|has|was|were)(?:n't)? (?:it|that|you|they|he|she)\?$/i.test(sentence)

function isTroubled(sentence: string, rules: Rules, language: AgentLanguage): boolean {
  const { rest } = removeAll(callerWords(sentence, language), rules.polite)
  if (rest.some((word) => rules.trouble.has(word) || (rules.weights.get(word) ?? 0) < 0)) return true
  // A statement about the other side is seldom a plain fact: "You took two days", "Your driver threw it over the fence".
  const isStatement = !sentence.endsWith('?')
  return isStatement && sentence.split(/[,;]\s/).some((clause) => isAboutOther(callerWords(clause, language), rules))
}

function isAboutOther(words: readonly string[], rules: Rules): boolean {
  const first = words.find((word) => !rules.agreement.has(word))
  return first !== undefined && rules.others.has(first)
}

function addClause(weights: Weights, words: readonly string[], rules: Rules): void {
  const impolite = removeAll(words, rules.polite).rest
  if (impolite.every((word) => word === gone || rules.agreement.has(word))) return
  const isNegation = (word: string) => rules.negations.has(word)
  const { found, rest } = removeAll(impolite, rules.praise)
  for (const before of found) weights[before.some(isNegation) ? 'bad' : 'good'] += 2
  rest.forEach((word, place) => {
    const weight = rules.weights.get(word) ?? 0
    if (weight === 0) return
    const before = rest.slice(Math.max(0, place - reach), place)
    const isNegated = before.some(isNegation)
    const size = Math.abs(weight) * (before.some((other) => rules.intensifiers.has(other)) ? 1.5 : 1)
    if (weight < 0 && !isNegated) weights.bad += size
    // "Not happy" is a complaint; "not bad" says nothing.
    if (weight > 0) weights[isNegated ? 'bad' : 'good'] += isNegated ? Math.max(size, decided) : size
  })
}

const reach = 3

/** Keeps the words around a match apart. */
const gone = '·'

/** The words without the matches, and the words before each of them. */
function removeAll(words: readonly string[], patterns: readonly WordPattern[], onlyFirm = false) {
  let rest = words
  const all: string[][] = []
  for (let found = firstMatch(rest, patterns, onlyFirm); found; found = firstMatch(rest, patterns, onlyFirm)) {
    all.push(rest.slice(Math.max(0, found.at - reach), found.at))
    rest = [...rest.slice(0, found.at), gone, ...rest.slice(found.end)]
  }
  return { rest, found: all }
}
