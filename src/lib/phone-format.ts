type Library = typeof import('libphonenumber-js/max')

let loading: Promise<Library> | undefined

/** At the first need: its tables are large, and most starts never ask. Kept, because every call asks. */
function library(): Promise<Library> {
  loading ??= import('libphonenumber-js/max')
  return loading
}

// Codes that belong to no single country of +1; the library would name an arbitrary one.
const tollFree = /^\+1(800|833|844|855|866|877|888)/

/** `+33 1 76 36 06 95`, `+1 800-123-4567`: international form with national grouping, and the country. */
export async function describeNumber(e164: string): Promise<{ display: string; country: string }> {
  const { parsePhoneNumberFromString } = await library()
  const parsed = parsePhoneNumberFromString(e164)
  const international = parsed?.formatInternational() ?? e164
  const display = e164.startsWith('+1') ? withHyphens(international) : international
  const country = tollFree.test(e164) ? 'US' : (parsed?.country ?? (e164.startsWith('+1') ? 'US' : 'ZZ'))
  return { display, country }
}

const withHyphens = (text: string) => text.replace(/^\+1 (\d{3}) (\d{3}) (\d{4})$/, '+1 $1-$2-$3')

/** What calling it costs, as far as the numbering plans tell; a number that no plan knows may be a new one, or a test's. */
export async function kindOfNumber(e164: string): Promise<'ordinary' | 'premium' | 'shared_cost' | 'unknown'> {
  const { parsePhoneNumberFromString } = await library()
  const type = parsePhoneNumberFromString(e164)?.getType()
  if (type === 'PREMIUM_RATE') return 'premium'
  if (type === 'SHARED_COST') return 'shared_cost'
  return type === undefined ? 'unknown' : 'ordinary'
}

/** Where several countries share a code, the one whose numbers most are. */
const mainCountries = ['US', 'GB', 'RU', 'IT', 'NO', 'FI', 'AU', 'MA', 'RE', 'SH', 'GP', 'CW'] as const

/** Also of numbers that their plan does not know: plans change, and numbers for tests are in none. */
export async function countryOfNumber(e164: string): Promise<string> {
  const { parsePhoneNumberFromString, getCountries, getCountryCallingCode } = await library()
  const parsed = parsePhoneNumberFromString(e164)
  if (parsed?.country) return parsed.country
  const code = parsed?.countryCallingCode
  const found = [...mainCountries, ...getCountries()].find((country) => getCountryCallingCode(country) === code)
  return found ?? 'ZZ'
}

/** `33` for FR; null for a country that there is not. */
export async function callingCodeOf(country: string): Promise<string | null> {
  const { isSupportedCountry, getCountryCallingCode } = await library()
  return isSupportedCountry(country) ? getCountryCallingCode(country) : null
}
