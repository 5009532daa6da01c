import { callerWords } from '../ai-agent/understanding/clauses.ts'
import { type ActionWords, actionWords } from './action-words.ts'
import { type DueContext, type DueTime, dueIn, resolveDue } from './due-time.ts'
import { sentencesOf } from './sentences.ts'
import { ruleLanguage, type Transcript } from './transcript.ts'
import { firstMatch, patternsOf, type WordPattern } from './word-patterns.ts'

const maxItems = 20

/** A request or promise, verbatim. */
export interface FoundAction {
  text: string
  /** The side that is to act. */
  owner: 'agent' | 'customer'
  due: DueTime | null
}

/** Text of an action item: the side that acts, its words, and the due day where the words name one. */
export function actionItemText({ text, owner, due }: FoundAction, language: string, context: DueContext): string {
  const known = ruleLanguage({ language })
  const words = known && actionWords[known]
  if (!known || !words) return text
  const { labels } = words
  const until = due && resolveDue(due, known, context)
  const suffix = until ? ` (${labels.due} ${[until.date, until.time].filter(Boolean).join(' ')})` : ''
  return `${labels[owner]}: ${text}${suffix}`
}

/** Requests and promises of both sides; null when there are none or the language is not covered. */
export function actionItemsOf(transcript: Transcript): FoundAction[] | null {
  const language = ruleLanguage(transcript)
  const words = language && actionWords[language]
  if (!language || !words) return null
  const rules = rulesFor(words)
  const found: FoundAction[] = []
  let asked: Asked | undefined
  for (const { text, speaker } of transcript.utterances) {
    const side = speaker.side === 'internal' ? 'agent' : 'customer'
    let asks: Asked | undefined
    for (const sentence of sentencesOf(text)) {
      const said = callerWords(sentence, language)
      const due = dueIn(said, words.due)
      const owner = ownerOf(said, side, due !== null, rules)
      const isConsent = owner === side && asked?.of === side && due === null && repeats(said, asked, words)
      if (owner === undefined || isConsent) continue
      found.push({ text: sentence, owner, due })
      if (owner !== side) asks = { of: owner, words: [...(asks?.words ?? []), ...said] }
    }
    asked = asks
  }
  const texts = new Set<string>()
  const once = found.filter(({ text }) => !texts.has(text) && texts.add(text))
  return once.length === 0 ? null : once.slice(0, maxItems)
}

/** What one side has just asked of the other. */
interface Asked {
  of: FoundAction['owner']
  words: readonly string[]
}

const maxConsent = 6
const minShared = 4

/** "Yes, I'll do it" and "I'll call you back" add nothing to the request before them; "I'll send you new ones" may. */
const repeats = (said: readonly string[], asked: Asked, { asAsked }: ActionWords) =>
  said.length <= maxConsent &&
  said.some((word) => asAsked.includes(word) || (word.length >= minShared && asked.words.includes(word)))

interface Rules {
  promises: WordPattern[]
  datedPromises: WordPattern[]
  requests: WordPattern[]
  immediate: WordPattern[]
  hedges: WordPattern[]
}

const known = new WeakMap<ActionWords, Rules>()

function rulesFor(words: ActionWords): Rules {
  const before = known.get(words)
  if (before) return before
  const { classes } = words
  const made = {
    promises: patternsOf(words.promises, classes),
    datedPromises: patternsOf(words.datedPromises, classes),
    requests: patternsOf(words.requests, classes),
    immediate: patternsOf(words.immediate, classes),
    hedges: patternsOf(words.hedges, classes),
  }
  known.set(words, made)
  return made
}

/** Undefined if nothing is to be done after the call. */
function ownerOf(words: readonly string[], side: FoundAction['owner'], isDated: boolean, rules: Rules) {
  if (firstMatch(words, rules.immediate)) return undefined
  const request = firstMatch(words, rules.requests)
  const promise = firstMatch(words, rules.promises)
  // "Make sure" asks; "I'll make sure" promises.
  const isPromised = request && promise && promise.at < request.at && request.at < promise.end
  if (request && !isPromised) return side === 'agent' ? 'customer' : 'agent'
  if (firstMatch(words, rules.hedges)) return undefined
  if (promise) return side
  return isDated && firstMatch(words, rules.datedPromises) ? side : undefined
}
