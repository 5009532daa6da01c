type Library = typeof import('libphonenumber-js/max')

let loading: Promise<Library> | undefined

/** Loaded on first use: the tables are large and most commands never need them. Cached, because every call does. */
function library(): Promise<Library> {
  loading ??= import('libphonenumber-js/max')
  return loading
}

// Toll-free codes belong to no single country of +1; the library would name an arbitrary one.
const tollFree = /^\+1(800|833|844|855|866|877|888)/

/** `+33 1 76 36 06 95`, `+1 800-123-4567`: international format with national grouping, and the country. */
export async function describeNumber(e164: string): Promise<{ display: string; country: string }> {
  const { parsePhoneNumberFromString } = await library()
  const parsed = parsePhoneNumberFromString(e164)
  const international = parsed?.formatInternational() ?? e164
  const display = e164.startsWith('+1') ? withHyphens(international) : international
  const country = tollFree.test(e164) ? 'US' : (parsed?.country ?? (e164.startsWith('+1') ? 'US' : 'ZZ'))
  return { display, country }
}

/** National format for numbers of the country, international format for all others. */
export async function displayIn(country: string, e164: string): Promise<string> {
  const { parsePhoneNumberFromString } = await library()
  const parsed = parsePhoneNumberFromString(e164)
  return parsed?.country === country ? parsed.formatNational() : (await describeNumber(e164)).display
}

const withHyphens = (text: string) => text.replace(/^\+1 (\d{3}) (\d{3}) (\d{4})$/, '+1 $1-$2-$3')

/** Cost category by numbering plan; `unknown` numbers may be new allocations or test numbers. */
export async function kindOfNumber(e164: string): Promise<'ordinary' | 'premium' | 'shared_cost' | 'unknown'> {
  const { parsePhoneNumberFromString } = await library()
  const type = parsePhoneNumberFromString(e164)?.getType()
  if (type === 'PREMIUM_RATE') return 'premium'
  if (type === 'SHARED_COST') return 'shared_cost'
  return type === undefined ? 'unknown' : 'ordinary'
}

/**
 * `+33612345678` for `+330612345678`: some people write the trunk prefix after the country code, and both reach the same
 * phone. Other numbers are returned as they are.
 */
export async function withoutTrunkZero(e164: string): Promise<string> {
  const { parsePhoneNumberFromString } = await library()
  const parsed = parsePhoneNumberFromString(e164)
  return parsed?.isPossible() ? parsed.number : e164
}

/** Fewer digits than any number of its country: a short code prefixed with a country code. */
export async function isTooShort(e164: string): Promise<boolean> {
  const { validatePhoneNumberLength } = await library()
  return validatePhoneNumberLength(e164) === 'TOO_SHORT'
}

/** Main country of calling codes shared by several countries. */
const mainCountries = ['US', 'GB', 'RU', 'IT', 'NO', 'FI', 'AU', 'MA', 'RE', 'SH', 'GP', 'CW'] as const

/** Also for numbers outside their numbering plan: plans change, and test numbers are in none. */
export async function countryOfNumber(e164: string): Promise<string> {
  const { parsePhoneNumberFromString, getCountries, getCountryCallingCode } = await library()
  const parsed = parsePhoneNumberFromString(e164)
  if (parsed?.country) return parsed.country
  const code = parsed?.countryCallingCode
  const found = [...mainCountries, ...getCountries()].find((country) => getCountryCallingCode(country) === code)
  return found ?? 'ZZ'
}

/** `33` for FR; null for an unknown country. */
export async function callingCodeOf(country: string): Promise<string | null> {
  const { isSupportedCountry, getCountryCallingCode } = await library()
  return isSupportedCountry(country) ? getCountryCallingCode(country) : null
}

/** National significant form, digits only, and the calling code it omits. */
export interface NationalForm {
  callingCode: string
  digits: string
}

const nationalForms = new Map<string, NationalForm | null>()
// Parsing takes about 50 µs, and a call needs the same number for each of its events.
const maxNationalForms = 5_000

/** `0199554433` for 33199554433; null for digits outside all numbering plans. */
export async function nationalFormOf(e164Digits: string): Promise<NationalForm | null> {
  const known = nationalForms.get(e164Digits)
  if (known !== undefined) return known
  const { parsePhoneNumberFromString } = await library()
  const parsed = parsePhoneNumberFromString(`+${e164Digits}`)
  const form = parsed
    ? { callingCode: parsed.countryCallingCode, digits: parsed.formatNational().replace(/\D/g, '') }
    : null
  if (nationalForms.size >= maxNationalForms) nationalForms.clear()
  nationalForms.set(e164Digits, form)
  return form
}

/**
 * E.164 digits of a national number: 33199554433 for `01 99 55 44 33` in FR; null if it is not valid in that country.
 */
export async function readNational(text: string, country: string): Promise<string | null> {
  const { parsePhoneNumberFromString, isSupportedCountry } = await library()
  if (!isSupportedCountry(country)) return null
  const parsed = parsePhoneNumberFromString(text, country)
  if (!parsed?.isPossible()) return null
  const digits = parsed.number.slice(1)
  // The library also accepts numbers without the trunk prefix of their country, which cannot be dialled there.
  const form = await nationalFormOf(digits)
  return form?.digits === text.replace(/\D/g, '') ? digits : null
}

/**
 * For search while typing: the same beginning in the other form, `331995` for `01995` and `01995` for `+331995` in FR.
 * Null when no number of that country begins like this.
 */
export async function otherBeginning(text: string, country: string): Promise<string | null> {
  const callingCode = await callingCodeOf(country)
  if (callingCode === null) return null
  const digits = text.replace(/\D/g, '').replace(/^00/, '')
  const trunk = callingCode === '1' || withoutTrunkPrefix.has(country) ? '' : (trunkPrefixes[country] ?? '0')
  if (/^\D*(\+|00)/.test(text)) return digits.startsWith(callingCode) ? trunk + digits.slice(callingCode.length) : null
  return digits.startsWith(trunk) ? callingCode + digits.slice(trunk.length) : null
}

/** Countries whose trunk prefix is not 0. */
const trunkPrefixes: Readonly<Record<string, string>> = { RU: '8', KZ: '8', BY: '8', HU: '06' }

/** Countries without a trunk prefix. */
const withoutTrunkPrefix = new Set('IT SM VA ES PT DK NO PL CZ GR LU MT CY EE LV IS SG HK MO MX BR CL CO PE'.split(' '))
