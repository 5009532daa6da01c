import type { AgentLanguage } from '../plan.ts'
import { type Clause, clausesIn, type PhraseIndex, phraseAt, phraseIndex, phraseList } from './clauses.ts'
import { yesNoWords } from './yes-no-words.ts'

// Agreement or refusal. Every clause becomes a sequence of marks; a negation applies to the statement that follows or,
// as in German and Dutch, precedes it; the last decisive mark wins. Uncertainty is neither.

type Label = 'yes' | 'right' | 'fine' | 'no' | 'wrong' | 'not' | 'unsure' | 'certain' | 'question'

interface Mark {
  kind: Label
  at: number
  end: number
}

/** Words between a negation and the statement that it negates: "not at all what I would call right". */
const maxReach = 4

const indexes = new Map<AgentLanguage, PhraseIndex<Label>>()

function indexOf(language: AgentLanguage): PhraseIndex<Label> {
  const known = indexes.get(language)
  if (known) return known
  const { alone: _alone, ...lists } = yesNoWords[language]
  const made = phraseIndex(Object.entries(lists) as [Label, string][])
  indexes.set(language, made)
  return made
}

export function yesOrNo(text: string, language: AgentLanguage): boolean | undefined {
  const clauses = clausesIn(text, language)
  const found = clauses.flatMap((clause, at) => decisive(clause, language).map((mark) => ({ ...mark, clause: at })))
  const strong = found.filter(({ kind }) => kind !== 'fine')
  const last = strong.at(-1)
  if (!last) {
    if (found.length > 0) return true
    return isAlone(clauses, language) ? true : undefined
  }
  if (last.kind === 'unsure') return undefined
  const before = strong.at(-2)
  // "Maybe yes" is no agreement.
  if (before?.kind === 'unsure' && before.clause === last.clause && before.end === last.at) return undefined
  return last.kind === 'yes'
}

type Decision = { kind: 'yes' | 'no' | 'fine' | 'unsure'; at: number; end: number }

function decisive({ words, isAsked }: Clause, language: AgentLanguage): Decision[] {
  const marks = marksIn(words, indexOf(language))
  const asks = isAsked || marks[0]?.kind === 'question'
  const decisions: Decision[] = []
  for (let nth = 0; nth < marks.length; nth++) {
    const mark = marks[nth]
    if (!mark) break
    const { kind, at, end } = mark
    const next = marks[nth + 1]
    if (kind === 'not' || (kind === 'no' && isNegator(words[at], end - at, language))) {
      if (next && next.at - end <= maxReach && isNegatable(next, words, language)) {
        // "Non è esattamente così": one negation of two adjacent words.
        const further = marks[nth + 2]
        const isOne = further && further.at - next.end <= 1 && isNegatable(further, words, language)
        decisions.push({ kind: negated(next.kind), at, end: isOne ? further.end : next.end })
        nth += isOne ? 2 : 1
        continue
      }
      const before = decisions.at(-1)
      if (kind === 'not' && before && at - before.end <= 1 && (before.kind === 'fine' || before.kind === 'yes'))
        decisions.pop()
      decisions.push({ kind: 'no', at, end })
    } else if (kind === 'no' && end - at > 1 && next && next.at - end <= 1 && isNegatable(next, words, language)) {
      // "Not quite right", "not really sure"
      decisions.push({ kind: next.kind === 'certain' ? 'unsure' : 'no', at, end: next.end })
      nth++
    } else if (kind === 'wrong') decisions.push({ kind: 'no', at, end })
    else if (kind === 'right' || kind === 'certain') {
      // "It", "that" and the like are statements only when negated.
      if (!asks && !isPronoun(words[at], end - at, language))
        decisions.push({ kind: kind === 'right' ? 'yes' : 'fine', at, end })
    } else if (kind === 'fine') {
      if (!asks) decisions.push({ kind, at, end })
    } else if (kind !== 'question') decisions.push({ kind, at, end })
  }
  return decisions
}

const isStatement = (kind: Label) => kind === 'right' || kind === 'fine' || kind === 'wrong' || kind === 'certain'

/** Agreement can be negated ("not exactly"), except a plain yes. */
const isNegatable = ({ kind, at, end }: Mark, words: readonly string[], language: AgentLanguage) =>
  isStatement(kind) || (kind === 'yes' && !(end - at === 1 && plainYes[language].includes(words[at] ?? '')))

const plainYes: Record<AgentLanguage, readonly string[]> = {
  en: ['yes', 'yeah', 'yea', 'yep', 'yup', 'mhm'],
  fr: ['oui', 'ouais', 'si', 'voila'],
  de: ['ja', 'jo', 'jep', 'doch', 'jawohl'],
  es: ['si', 'claro', 'sip'],
  it: ['si', 'certo'],
  nl: ['ja', 'jawel', 'jazeker'],
}

const negated = (kind: Label): Decision['kind'] => (kind === 'wrong' ? 'yes' : kind === 'certain' ? 'unsure' : 'no')

/** Spanish uses one word for "no" and "not". */
const isNegator = (word: string | undefined, length: number, language: AgentLanguage) =>
  language === 'es' && word === 'no' && length === 1

const pronouns: Record<AgentLanguage, readonly string[]> = {
  en: ['it'],
  fr: ['ca', 'cela'],
  de: ['das', 'so'],
  es: ['eso', 'asi', 'verdad'],
  it: ['quello', 'questo'],
  nl: ['dat', 'zo', 'waar'],
}

const isPronoun = (word: string | undefined, length: number, language: AgentLanguage) =>
  length === 1 && pronouns[language].includes(word ?? '')

function marksIn(words: readonly string[], index: PhraseIndex<Label>): Mark[] {
  const marks: Mark[] = []
  for (let at = 0; at < words.length; ) {
    const phrase = phraseAt(index, words, at)
    if (!phrase || (phrase.label === 'question' && at > 0)) {
      at++
      continue
    }
    marks.push({ kind: phrase.label, at, end: at + phrase.words.length })
    at += phrase.words.length
  }
  return marks
}

/** The whole turn is a short answer such as "it is". */
function isAlone(clauses: readonly Clause[], language: AgentLanguage): boolean {
  const [only] = clauses
  if (clauses.length !== 1 || !only || only.isAsked) return false
  return phraseList(yesNoWords[language].alone).some((words) => words.join(' ') === only.words.join(' '))
}
