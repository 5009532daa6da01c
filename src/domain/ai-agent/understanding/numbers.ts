import type { AgentLanguage } from '../plan.ts'
import { callerWords } from './clauses.ts'
import { type NumberWords, numberWords } from './number-words.ts'

// Spoken and written numbers. Every number word or group of digits becomes one spoken number; a code or phone number is
// the sequence of their digits, so that "forty-seven twenty-nine" is 4729 and leading zeros are kept.

export interface SpokenNumber {
  /** Position in the words, and after the last one. */
  at: number
  end: number
  digits: string
  value: number
  isOrdinal: boolean
  /** A word that may be an article: "un", "ein". */
  isArticle: boolean
}

type Atom =
  | { kind: 'unit' | 'tens' | 'hundreds'; value: number; article?: boolean }
  | { kind: 'hundred' | 'thousand' | 'and' }

/** All numbers in the words, in order. */
export function numbersIn(words: readonly string[], language: AgentLanguage): SpokenNumber[] {
  const found: SpokenNumber[] = []
  for (let at = 0; at < words.length; ) {
    const number = numberAt(words, at, language)
    if (number) found.push(number)
    at = number?.end ?? at + 1
  }
  return found
}

export function numberAt(words: readonly string[], at: number, language: AgentLanguage): SpokenNumber | undefined {
  const table = numberWords[language]
  const word = words[at] ?? ''
  const written = /^\+?(\d{1,20})(st|nd|rd|th|er|e|eme|ste|de|te|ten)?$/.exec(word)
  if (written?.[1] !== undefined) {
    return { at, end: at + 1, ...digitsOf(written[1]), isOrdinal: written[2] !== undefined, isArticle: false }
  }
  return repeatedAt(words, at, language, table) ?? cardinalAt(words, at, table)
}

const digitsOf = (digits: string) => ({ digits, value: Number(digits) })

/** "Double four", "triple seven". */
function repeatedAt(words: readonly string[], at: number, language: AgentLanguage, table: NumberWords) {
  for (const [phrases, times] of [
    [table.double, 2],
    [table.triple, 3],
  ] as const) {
    const phrase = phrases.map((one) => one.split(' ')).find((one) => one.every((w, n) => words[at + n] === w))
    if (!phrase) continue
    const skip = ['die', 'the', 'le', 'el', 'il', 'de', 'la', 'een'].includes(words[at + phrase.length] ?? '') ? 1 : 0
    const next = words.slice(at + phrase.length + skip, at + phrase.length + skip + 1)
    const one = numberAt(next, 0, language)
    if (one && one.digits.length <= 2 && !one.isOrdinal)
      return {
        at,
        end: at + phrase.length + skip + 1,
        ...digitsOf(one.digits.repeat(times)),
        isOrdinal: false,
        isArticle: false,
      }
  }
  // "Doppelnull", "dubbelnul"
  const word = words[at] ?? ''
  const prefix = table.double.find((one) => table.compounds && one.length > 4 && word.startsWith(one) && word !== one)
  const rest = prefix === undefined ? undefined : table.units.get(word.slice(prefix.length))
  if (rest !== undefined && rest < 10)
    return { at, end: at + 1, ...digitsOf(String(rest).repeat(2)), isOrdinal: false, isArticle: false }
  return undefined
}

function cardinalAt(words: readonly string[], at: number, table: NumberWords): SpokenNumber | undefined {
  const atoms: { atom: Atom; word: number }[] = []
  let ordinal: { word: number } | undefined
  for (let nth = at; nth < words.length && !ordinal; nth++) {
    const word = words[nth] ?? ''
    const cardinal = atomsOf(word, table)
    const inOrder = cardinal ?? ordinalAtoms(word, table)
    if (!inOrder) break
    if (!cardinal) ordinal = { word: nth }
    atoms.push(...inOrder.map((atom) => ({ atom, word: nth })))
    if (atoms.length > 24) break
  }
  const taken = longest(
    atoms.map(({ atom }) => atom),
    table,
  )
  if (!taken) return undefined
  // A number ends with a whole word.
  let { length } = taken
  const cut = atoms[length]?.word
  if (cut !== undefined && cut === atoms[length - 1]?.word) {
    const whole = atoms.findIndex(({ word }) => word === cut)
    const shorter =
      whole > 0
        ? longest(
            atoms.slice(0, whole).map(({ atom }) => atom),
            table,
          )
        : undefined
    if (!shorter)
      return severalInOne(
        words,
        at,
        atoms.filter(({ word }) => word === cut).map(({ atom }) => atom),
        table,
      )
    taken.value = shorter.value
    length = shorter.length
  }
  const end = (atoms[length - 1]?.word ?? at) + 1
  const first = atoms[0]?.atom
  const isArticle = end === at + 1 && table.articles.includes(words[at] ?? '')
  return {
    at,
    end,
    ...digitsOf(String(taken.value)),
    isOrdinal: ordinal !== undefined && ordinal.word === end - 1,
    isArticle: isArticle && first?.kind === 'unit',
  }
}

/** Two numbers in one word, as in Dutch years: "negentienvierentachtig". */
function severalInOne(words: readonly string[], at: number, atoms: readonly Atom[], table: NumberWords) {
  let digits = ''
  for (let from = 0; from < atoms.length; ) {
    const part = longest(atoms.slice(from), table)
    if (!part) return undefined
    digits += String(part.value)
    from += part.length
  }
  return words[at] === undefined
    ? undefined
    : { at, end: at + 1, ...digitsOf(digits), isOrdinal: false, isArticle: false }
}

function atomsOf(word: string, table: NumberWords): Atom[] | undefined {
  const one = atomOf(word, table)
  if (one) return [one]
  return table.compounds ? split(word, table) : undefined
}

function atomOf(word: string, table: NumberWords): Atom | undefined {
  const unit = table.units.get(word)
  if (unit !== undefined) return { kind: 'unit', value: unit }
  const tens = table.tens.get(word)
  if (tens !== undefined) return { kind: 'tens', value: tens }
  const hundreds = table.hundreds.get(word)
  if (hundreds !== undefined) return { kind: 'hundreds', value: hundreds }
  if (table.hundred.includes(word)) return { kind: 'hundred' }
  if (table.thousand.includes(word)) return { kind: 'thousand' }
  return table.and.includes(word) ? { kind: 'and' } : undefined
}

/** A compound as its parts; longer parts are tried first. */
function split(word: string, table: NumberWords): Atom[] | undefined {
  if (word === '') return []
  if (word.length > 60) return undefined
  for (let length = Math.min(word.length, 12); length >= 1; length--) {
    const atom = atomOf(word.slice(0, length), table)
    if (!atom || (atom.kind === 'and' && length < 2 && !table.unitsFirst)) continue
    const rest = split(word.slice(length), table)
    if (rest && !(rest.length === 0 && atom.kind === 'and')) return [atom, ...rest]
  }
  return undefined
}

function ordinalAtoms(word: string, table: NumberWords): Atom[] | undefined {
  const irregular = table.ordinals.get(word)
  if (irregular !== undefined)
    return [{ kind: irregular % 10 === 0 && irregular >= 20 ? 'tens' : 'unit', value: irregular }]
  for (const ending of table.ordinalEndings) {
    if (!word.endsWith(ending)) continue
    const stem = word.slice(0, -ending.length)
    for (const candidate of [stem, `${stem}e`, stem.replace(/v$/, 'f'), stem.replace(/u$/, '')]) {
      const atoms = candidate.length > 1 ? atomsOf(candidate, table) : undefined
      if (atoms && atoms.at(-1)?.kind !== 'and') return atoms
    }
  }
  if (!table.compounds) return undefined
  // "Einundzwanzigste" is covered by the ending; "hundertdritte" by its irregular last part.
  for (const [last, value] of table.ordinals) {
    const atoms = word.endsWith(last) ? split(word.slice(0, -last.length), table) : undefined
    if (atoms && atoms.length > 0) return [...atoms, { kind: 'unit', value }]
  }
  return undefined
}

/** The longest prefix that is one number. */
function longest(atoms: readonly Atom[], table: NumberWords): { value: number; length: number } | undefined {
  const small = belowThousand(atoms, 0, table)
  const thousands = small?.length ?? 0
  if (atoms[thousands]?.kind === 'thousand' && (!small || small.value > 0)) {
    const base = (small?.value ?? 1) * 1_000
    const skip = thousands + 1 + (atoms[thousands + 1]?.kind === 'and' ? 1 : 0)
    const rest = belowThousand(atoms, skip, table) ?? belowThousand(atoms, thousands + 1, table)
    if (rest && rest.value > 0) return { value: base + rest.value, length: rest.length }
    return { value: base, length: thousands + 1 }
  }
  return small
}

/** `length` counts from the start of the atoms. */
function belowThousand(atoms: readonly Atom[], from: number, table: NumberWords) {
  const first = atoms[from]
  if (first?.kind === 'hundreds') return withRest(atoms, from + 1, first.value, table)
  if (first?.kind === 'hundred') return withRest(atoms, from + 1, 100, table)
  const small = belowHundred(atoms, from, table)
  if (!small) return undefined
  if (atoms[small.length]?.kind !== 'hundred' || small.value === 0 || small.value > table.maxHundreds) return small
  return withRest(atoms, small.length + 1, small.value * 100, table)
}

function withRest(atoms: readonly Atom[], from: number, base: number, table: NumberWords) {
  const skip = atoms[from]?.kind === 'and' ? 1 : 0
  const rest = belowHundred(atoms, from + skip, table)
  // "Nine hundred, one two three": single digits follow.
  if (rest && skip === 0 && rest.value < 10 && isDigit(atoms[rest.length])) return { value: base, length: from }
  if (rest && atoms[rest.length]?.kind === 'hundred') return { value: base, length: from }
  return rest && rest.value > 0 ? { value: base + rest.value, length: rest.length } : { value: base, length: from }
}

const isDigit = (atom: Atom | undefined) => atom?.kind === 'unit' && atom.value < 10

function belowHundred(
  atoms: readonly Atom[],
  from: number,
  table: NumberWords,
): { value: number; length: number } | undefined {
  const first = atoms[from]
  const second = atoms[from + 1]
  if (first?.kind === 'unit') {
    const third = atoms[from + 2]
    if (table.unitsFirst && first.value > 0 && first.value < 10 && second?.kind === 'and' && third?.kind === 'tens')
      return { value: third.value + first.value, length: from + 3 }
    // French: quatre-vingts
    if (first.value === 4 && second?.kind === 'tens' && second.value === 20 && table.units.has('quatre')) {
      const rest = joined(atoms, from + 2, 80, 19)
      return rest ?? { value: 80, length: from + 2 }
    }
    // French: dix-sept
    if (
      first.value === 10 &&
      table.units.has('quatre') &&
      second?.kind === 'unit' &&
      second.value >= 7 &&
      second.value <= 9
    )
      return { value: 10 + second.value, length: from + 2 }
    return { value: first.value, length: from + 1 }
  }
  if (first?.kind !== 'tens') return undefined
  if (table.unitsFirst) return { value: first.value, length: from + 1 }
  // French: soixante et onze, soixante-dix-sept
  const reach = first.value === 60 && table.units.has('quatre') ? 19 : 9
  return joined(atoms, from + 1, first.value, reach) ?? { value: first.value, length: from + 1 }
}

function joined(atoms: readonly Atom[], from: number, base: number, reach: number) {
  const skip = atoms[from]?.kind === 'and' ? 1 : 0
  const unit = atoms[from + skip]
  if (unit?.kind !== 'unit' || unit.value === 0 || unit.value > reach) return undefined
  const next = atoms[from + skip + 1]
  if (unit.value === 10 && next?.kind === 'unit' && next.value >= 7 && next.value <= 9)
    return { value: base + 10 + next.value, length: from + skip + 2 }
  return { value: base + unit.value, length: from + skip + 1 }
}

export interface DigitGroup {
  digits: string
  hasPlus: boolean
  at: number
  end: number
}

/** Groups of digits that belong together; fillers such as "then" and "dash" do not separate them. */
export function digitGroups(words: readonly string[], language: AgentLanguage): DigitGroup[] {
  const { fillers, plus } = numberWords[language]
  const groups: (DigitGroup & { article: boolean })[] = []
  let isOpen = false
  for (let at = 0; at < words.length; ) {
    const number = numberAt(words, at, language)
    const last = groups.at(-1)
    if (number && !number.isOrdinal) {
      const before = words[at - 1] ?? ''
      const hasPlus = (words[at] ?? '').startsWith('+') || plus.includes(before)
      if (isOpen && last && !hasPlus) {
        last.digits += number.digits
        last.end = number.end
        last.article = false
      } else
        groups.push({
          digits: number.digits,
          hasPlus,
          at,
          end: number.end,
          article: number.isArticle || isPronoun(words, at),
        })
      isOpen = true
      at = number.end
      continue
    }
    if (!isFiller(words, at, fillers) && !plus.includes(words[at] ?? '')) isOpen = false
    at++
  }
  const alone = groups.length === 1 && words.every((_, at) => groups[0]?.at === at || isFiller(words, at, fillers))
  return groups.filter(({ article }) => !article || alone)
}

/** "This one", "the one": no number. */
const isPronoun = (words: readonly string[], at: number) =>
  words[at] === 'one' && ['this', 'that', 'the', 'which', 'no', 'any', 'another'].includes(words[at - 1] ?? '')

const isFiller = (words: readonly string[], at: number, fillers: readonly string[]) =>
  words[at] === pause || fillers.some((filler) => filler.split(' ').includes(words[at] ?? ''))

/** Stands for punctuation between words: numbers do not continue across it, groups of digits do. */
const pause = 'pausemark'

export const withPauses = (text: string): string => text.replace(/[,;.](?=\s)/g, ` ${pause} `)

/** The longest group of digits in the text; the last one of equal length. */
export function spokenDigits(text: string, language: AgentLanguage): DigitGroup | undefined {
  const groups = digitGroups(callerWords(withPauses(text), language), language)
  const length = Math.max(0, ...groups.map(({ digits }) => digits.length))
  return groups.findLast(({ digits }) => digits.length === length)
}
