import { hashOf } from '../../../lib/secrets.ts'
import { type Fields, isFields } from './requests.ts'

/** A stored secret, which can be compared with another one, but not read. */
const mark = 'secret-hash'

export const storedSecret = (value: string | null | undefined): Fields | null =>
  value === null || value === undefined ? null : { [mark]: hashOf(value) }

export const isSecret = (value: unknown): boolean => isFields(value) && mark in value

/** `${TRUNK_PASSWORD}`: a value that the document does not contain. */
export const isPlaceholder = (value: unknown): value is string =>
  typeof value === 'string' && /^\$\{[A-Z][A-Z0-9_]{0,127}\}$/.test(value)

/** trunks, Main carrier, password → ${TRUNKS_MAIN_CARRIER_PASSWORD} */
export const placeholderFor = (...words: string[]): string =>
  `\${${words
    .join('_')
    .toUpperCase()
    .replace(/[^A-Z0-9]+/g, '_')
    .slice(0, 120)}}`
