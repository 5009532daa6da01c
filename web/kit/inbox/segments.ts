import { segmentsOf } from '../../../src/domain/sms-text.ts'

export interface Extent {
  characters: number
  parts: number
  alphabet: 'GSM-7' | 'UCS-2'
  /** Characters that still fit into the last part. */
  left: number
}

/** Units of a message that is one part, and of each part of a longer one (3GPP TS 23.040 §9.2.3.24.1). */
const capacity = { gsm7: { single: 160, several: 153 }, ucs2: { single: 70, several: 67 } }

/** The length of a text message: carriers charge for each part. */
export function extentOf(text: string): Extent {
  const { alphabet, parts } = segmentsOf(text)
  const used = (parts.at(-1)?.length ?? 0) / (alphabet === 'gsm7' ? 1 : 2)
  const { single, several } = capacity[alphabet]
  return {
    characters: [...text].length,
    parts: text === '' ? 0 : parts.length,
    alphabet: alphabet === 'gsm7' ? 'GSM-7' : 'UCS-2',
    left: (parts.length > 1 ? several : single) - used,
  }
}
