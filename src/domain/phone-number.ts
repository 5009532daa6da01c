/** The normalized form of a number that is called, transferred to or messaged. */
export function isE164(text: string): boolean {
  return /^\+[1-9]\d{6,14}$/.test(text)
}

/** A contact keeps its number as entered, so this only requires digits and no letters. */
export function isPhoneValue(text: string): boolean {
  return text.length <= maxPhoneValueLength && /\d/.test(text) && !/\p{L}/u.test(text)
}

export function digitsOnly(text: string): string {
  return text.replace(/\D/g, '')
}

/** `+33 (0)1 76 36 06 95`, `0033176360695` and `33176360695` are the same number in a search. */
export function normaliseForSearch(text: string): string {
  // A zero in brackets after the country code is the national trunk prefix; E.164 has none.
  const international = text.replace(/^(\D*\d+\D*)\(0\)/, '$1')
  return digitsOnly(international).replace(/^00/, '')
}

/** Has a country code: `+33 …` or `0033 …`. Other forms may be national. */
export function isInternationalForm(text: string): boolean {
  return /^\D*(\+|00)/.test(text)
}

const maxPhoneValueLength = 64
