import { type CountryCode, isSupportedCountry, parsePhoneNumberFromString } from 'libphonenumber-js/core'
import metadata from 'libphonenumber-js/min/metadata'

// A chunk of its own: the numbering plans of all countries.

export const parsedE164 = (e164: string) => parsePhoneNumberFromString(e164, metadata)

/** Undefined for text that is no number of the country, or an unknown country. */
export const parsedNational = (text: string, country: string) =>
  isSupportedCountry(country as CountryCode, metadata)
    ? parsePhoneNumberFromString(text, country as CountryCode, metadata)
    : undefined
