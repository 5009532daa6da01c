import type { IntakeAnswer, IntakeQuestion } from './plan.ts'
import { isPhone } from './understanding/answers.ts'
import { dayOf, isoDay } from './understanding/days.ts'

// Answers by keys. Keys are never ambiguous.

export function fromKeys(question: IntakeQuestion, keys: string): IntakeAnswer | undefined {
  switch (question.kind) {
    case 'yes_no':
      return keys === '1' ? true : keys === '2' ? false : undefined
    case 'choice':
      return question.options[Number(keys) - 1]
    case 'number':
      if (keys.length > 15) return undefined
      return keys.length > 1 && keys.startsWith('0') ? keys : Number(keys)
    case 'phone':
      return isPhone(keys) ? keys : undefined
    case 'date': {
      const day = dayOf(Number(keys.slice(4)), Number(keys.slice(2, 4)), Number(keys.slice(0, 2)))
      return day && isoDay(day)
    }
    case 'time':
      return timeOfKeys(keys)
    case 'postcode':
      return /^\d{4,9}$/.test(keys) ? keys : undefined
    case 'email':
      return undefined
    case 'text':
    case 'name':
      return keys
  }
}

/** 930 and 1530 are times, and so is 9. */
function timeOfKeys(keys: string): string | undefined {
  const full = keys.length <= 2 ? `${keys.padStart(2, '0')}00` : keys.padStart(4, '0')
  return /^(?:[01]\d|2[0-3])[0-5]\d$/.test(full) ? `${full.slice(0, 2)}:${full.slice(2)}` : undefined
}

/** A single key is a complete answer. */
export const takesOneKey = ({ kind, options }: IntakeQuestion): boolean =>
  kind === 'yes_no' || (kind === 'choice' && options.length < 10)
