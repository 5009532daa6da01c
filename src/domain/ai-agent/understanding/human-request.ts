import type { AgentLanguage } from '../plan.ts'
import { clausesIn, phraseAt, phraseIndex } from './clauses.ts'
import { type HumanRequestWords, humanRequestWords } from './human-request-words.ts'

// Whether the caller asks to be connected to a human: a verb of asking and a human in one clause, without a negation;
// a complete request such as "put me through"; a bare "operator, please"; or the refusal to talk to a machine.

/** Words between the verb and the human: "speak to the person who is in charge". */
const maxDistance = 7

interface Found {
  at: number
  end: number
}

type Finder = (words: readonly string[]) => Found[]
type Finders = Record<keyof HumanRequestWords, Finder>

const finders = new Map<AgentLanguage, Finders>()

function findersOf(language: AgentLanguage): Finders {
  const known = finders.get(language)
  if (known) return known
  const made = Object.fromEntries(
    Object.entries(humanRequestWords[language]).map(([key, list]) => [key, finder(list)]),
  ) as Finders
  finders.set(language, made)
  return made
}

function finder(list: string): Finder {
  const index = phraseIndex([[true, list]])
  return (words) => {
    const found: Found[] = []
    for (let at = 0; at < words.length; ) {
      const phrase = phraseAt(index, words, at)
      if (phrase) found.push({ at, end: at + phrase.words.length })
      at += phrase?.words.length ?? 1
    }
    return found
  }
}

export function asksForHuman(text: string, language: AgentLanguage): boolean {
  return clausesIn(text, language).some(({ words }) => isRequest(words, language))
}

function isRequest(words: readonly string[], language: AgentLanguage): boolean {
  const find = findersOf(language)
  const machines = find.machine(words)
  const talks = find.talk(words)
  const wants = find.want(words)
  // "I do not want to talk to a machine", "no more robots"
  if (machines.length > 0) return refusesMachine(words, find, machines, language)
  if (find.about(words).some(({ at }) => at <= 1)) return false
  const humans = find.human(words)
  const pairs = [
    ...pairsOf(talks, [...humans, ...find.anyone(words)], language),
    ...pairsOf(wants, humans, language),
    ...find.through(words),
  ]
  if (pairs.length > 0) return find.why(words).length > 0 || pairs.some((pair) => !isNegated(words, pair, find))
  return humans.length > 0 && isBare(words, humans, find)
}

function refusesMachine(words: readonly string[], find: Finders, machines: readonly Found[], language: AgentLanguage) {
  const isAbout = find.about(words).some(({ at }) => at <= 1)
  const refusals = find.refusal(words)
  const talks = find.converse(words).length > 0
  const refuses = ({ at, end }: Found) =>
    machines.some((machine) =>
      talks ? at < machine.at || language === 'de' : at < machine.at && machine.at - end <= 1,
    )
  if (!isAbout && refusals.some(refuses)) return true
  // "Let me talk to a human, you stupid machine", but not "are you a human or a machine?"
  return (
    !isAbout &&
    pairsOf([...find.talk(words), ...find.want(words)], find.human(words), language).some(
      (pair) => !isNegated(words, pair, find),
    )
  )
}

/** German and Dutch put the verb last, and so do relative clauses: "a person I can talk to". */
function pairsOf(verbs: readonly Found[], humans: readonly Found[], language: AgentLanguage): Found[] {
  const verbLast = language === 'de' || language === 'nl'
  return verbs.flatMap((verb) =>
    humans
      .filter(({ at, end }) => {
        if (at >= verb.end) return at - verb.end <= maxDistance
        return (verbLast || verb.end - verb.at > 2) && verb.at - end <= maxDistance
      })
      .map(({ at, end }) => ({ at: Math.min(at, verb.at), end: Math.max(end, verb.end) })),
  )
}

/** A negation before the end of the request: "I do not want to talk to a human". */
const isNegated = (words: readonly string[], { end }: Found, find: Finders) =>
  find.not(words).some(({ at }) => at < end) || (find.not(words).length > 0 && end === words.length)

function isBare(words: readonly string[], humans: readonly Found[], find: Finders): boolean {
  const polite = find.polite(words)
  return words.every(
    (_, at) =>
      humans.some((human) => human.at <= at && at < human.end) || polite.some((one) => one.at <= at && at < one.end),
  )
}
