/** The one form of a number that is dialled, transferred to or written to. */
export function isE164(text: string): boolean {
  return /^\+[1-9]\d{6,14}$/.test(text)
}

/** A contact keeps its number in the form given, so this asks only for digits and no letters. */
export function isPhoneValue(text: string): boolean {
  return text.length <= maxPhoneValueLength && /\d/.test(text) && !/\p{L}/u.test(text)
}

export function digitsOnly(text: string): string {
  return text.replace(/\D/g, '')
}

/** `+33 (0)1 76 36 06 95`, `0033176360695` and `33176360695` are one number to somebody who searches. */
export function normaliseForSearch(text: string): string {
  // A zero in brackets behind the country code is for callers from inside the country; E.164 has none.
  const international = text.replace(/^(\D*\d+\D*)\(0\)/, '$1')
  return digitsOnly(international).replace(/^00/, '')
}

/** Written with its country code: `+33 …` or `0033 …`. Anything else may be a national form. */
export function isInternationalForm(text: string): boolean {
  return /^\D*(\+|00)/.test(text)
}

const maxPhoneValueLength = 64
