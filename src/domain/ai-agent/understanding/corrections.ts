import type { AgentLanguage, Answers, IntakeAnswer, IntakeQuestion } from '../plan.ts'
import { plain } from '../words.ts'
import { answerInWords, type Hearing, hasStructure } from './answers.ts'
import { callerWords } from './clauses.ts'
import { nameIn } from './names.ts'
import { spokenDigits } from './numbers.ts'
import { isCorrection } from './repairs.ts'
import { yesOrNo } from './yes-no.ts'

// What a caller says instead of confirming ("no, it ends in nine", "no, four seven two eight"), and corrections of
// earlier answers ("actually, make it the sixteenth").

/** Words that introduce the end of a number. */
const endings: Record<AgentLanguage, readonly string[]> = {
  en: ['ends in', 'ends with', 'ending in', 'ending with', 'end in', 'last digit is', 'last digits are', 'at the end'],
  fr: ['finit par', 'termine par', 'se termine par', 'a la fin', 'dernier chiffre est', 'derniers chiffres sont'],
  de: ['endet auf', 'endet mit', 'am ende', 'hinten', 'letzte ziffer ist', 'zum schluss'],
  es: ['termina en', 'acaba en', 'termina con', 'al final', 'ultima cifra es', 'ultimo numero es'],
  it: ['finisce con', 'finisce in', 'termina con', 'finisce per', 'alla fine', 'ultima cifra e'],
  nl: ['eindigt op', 'eindigt met', 'op het eind', 'aan het eind', 'laatste cijfer is', 'op het einde'],
}

/** The value in a caller's response to a value that was read back; undefined if there is none. */
export function correctedValue(
  hearing: Hearing,
  question: IntakeQuestion,
  candidate: IntakeAnswer,
  text: string,
): IntakeAnswer | undefined {
  const { kind } = question
  // Words without a structure are a correction only within a "no".
  if (kind === 'name') return yesOrNo(text, hearing.language) === false ? nameIn(text, hearing.language) : undefined
  if (!hasStructure(question)) return undefined
  if (kind === 'number' || kind === 'phone') {
    const tail = tailIn(hearing.language, text)
    if (tail !== undefined) return withTail(question, candidate, tail)
  }
  return answerInWords(question, text, hearing, candidate)?.value
}

/** The earlier question that the caller corrects, with the new answer. */
export function earlierCorrection(
  hearing: Hearing,
  questions: readonly IntakeQuestion[],
  { question, answers }: { question: number; answers: Answers },
  text: string,
): { question: number; value: IntakeAnswer } | undefined {
  if (!isCorrection(text, hearing.language)) return undefined
  const open = questions[question]
  const fitsOpen = open && hasStructure(open) && answerInWords(open, text, hearing) !== undefined
  for (let at = question - 1; at >= 0; at--) {
    const earlier = questions[at]
    const before = earlier && answers[earlier.key]
    if (!earlier || before === undefined || !hasStructure(earlier)) continue
    // An answer to the open question, unless the caller names the earlier one.
    if (fitsOpen && !isNamed(earlier, text)) continue
    const value = correctedValue(hearing, earlier, before, text)
    if (value !== undefined && value !== before) return { question: at, value }
  }
  return undefined
}

/** "Change the date": a word of the key is in the text. */
const isNamed = ({ key }: IntakeQuestion, text: string) => {
  const words = plain(text).split(' ')
  return key.split('_').some((part) => part.length > 2 && words.includes(part))
}

function tailIn(language: AgentLanguage, text: string): string | undefined {
  const words = callerWords(text, language).join(' ')
  const cue = endings[language].find((one) => ` ${words} `.includes(` ${one} `))
  if (cue === undefined) return undefined
  const at = ` ${words} `.indexOf(` ${cue} `)
  const rest = words.slice(at + cue.length).trim()
  // "Nine at the end"
  return spokenDigits(rest === '' ? words.slice(0, at) : rest, language)?.digits
}

function withTail({ kind }: IntakeQuestion, candidate: IntakeAnswer, tail: string): IntakeAnswer | undefined {
  const before = String(candidate)
  if (tail.length >= before.length) return undefined
  const after = before.slice(0, -tail.length) + tail
  return kind === 'number' && !after.startsWith('0') ? Number(after) : after
}
