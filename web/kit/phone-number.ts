import { isE164, isInternationalForm, normaliseForSearch } from '../../src/domain/phone-number.ts'

// How phone numbers are shown and read in both apps. The numbering plans are loaded together with the session.

let plans: typeof import('./numbering-plans.ts') | undefined
let companyCountry: string | null = null

/** Without the chunk, for example after a release, numbers are shown as the server returns them. */
export async function loadNumberingPlans(): Promise<void> {
  if (plans) return
  try {
    plans = await import('./numbering-plans.ts')
  } catch {}
}

/** The country of numbers without a country code; set from every response that describes the session. */
export function setCompanyCountry(country: string | null): void {
  companyCountry = country
}

/** `+33 1 99 55 44 33`, as the server shows the numbers of calls. Text that is no E.164 number stays as it is. */
export function displayNumber(text: string): string {
  const e164 = isInternationalForm(text) ? `+${normaliseForSearch(text)}` : text
  if (!plans || !isE164(e164)) return text
  const international = plans.parsedE164(e164)?.formatInternational()
  return international?.replace(/^\+1 (\d{3}) (\d{3}) (\d{4})$/, '+1 $1-$2-$3') ?? e164
}

/**
 * E.164 for any notation: with + or 00, or as dialled in the country of the company or of the browser. Undefined for anything
 * else, such as an extension.
 */
export function readNumber(text: string): string | undefined {
  if (/\p{L}/u.test(text)) return undefined
  if (isInternationalForm(text)) {
    const e164 = `+${normaliseForSearch(text)}`
    return isE164(e164) ? e164 : undefined
  }
  const country = numberCountry()
  const digits = text.replace(/\D/g, '')
  // Shorter ones are extensions, short codes and emergency numbers.
  if (!plans || !country || digits.length < 7) return undefined
  const parsed = plans.parsedNational(text, country)
  if (!parsed?.isValid()) return undefined
  // The library also accepts numbers without the trunk prefix of their country, which cannot be dialled there.
  const national = parsed.formatNational().replace(/\D/g, '')
  const isDialled = digits === national || (parsed.countryCallingCode === '1' && digits === `1${national}`)
  return isDialled ? parsed.number : undefined
}

/** ISO 3166-1 code of the country in which national numbers are read. */
export function numberCountry(): string | undefined {
  return companyCountry ?? browserCountry()
}

function browserCountry(): string | undefined {
  try {
    return new Intl.Locale(globalThis.navigator?.language ?? '').region
  } catch {
    return undefined
  }
}

/** A number of that country, as an example in an input. */
export const numberExample = () => (numberCountry() === 'FR' ? '01 99 00 04 04' : '+33 1 99 00 04 04')

/** For the field of a number that cannot be read. */
export const numberProblem = () =>
  numberCountry()
    ? 'Enter a phone number, with its country code if it is not from your country'
    : 'Enter the number with + and the country code, for example +33 6 12 34 56 78'
