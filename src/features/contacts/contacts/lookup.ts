import { isInternationalForm } from '../../../domain/phone-number.ts'
import { callingCodeOf, type NationalForm, nationalFormOf } from '../../../lib/phone-format.ts'
import type { Contact, ContactPhone } from './store.ts'

// Finds the contact of an external phone number. A contact stores its numbers as entered; a national number matches
// callers from the country of the company's number, or of the company.

/** E.164 digits with their national formats. */
export type PhoneForms = ReadonlyMap<string, NationalForm | null>

export async function formsOf(digits: Iterable<string>): Promise<PhoneForms> {
  return new Map(await Promise.all([...digits].map(async (one) => [one, await nationalFormOf(one)] as const)))
}

/** All digits under which the numbers may be stored. */
export const storedDigits = (forms: PhoneForms): Set<string> =>
  new Set([...forms].flatMap(([digits, national]) => (national ? [digits, national.digits] : [digits])))

/** The contact of a number, given its E.164 digits and the country of the number it called. */
export type ContactLookup = (digits: string, numberCountry: string | undefined) => Contact | undefined

export async function contactLookup(
  phones: readonly ContactPhone[],
  forms: PhoneForms,
  { companyCountry, numberCountries }: { companyCountry: string | null; numberCountries: readonly string[] },
): Promise<ContactLookup> {
  // The contact saved first is last in the list, so that it wins.
  const byDigits = new Map(phones.map(({ digits, contact }) => [digits, contact]))
  const byNational = new Map(
    phones.flatMap(({ digits, value, contact }) => (isInternationalForm(value) ? [] : [[digits, contact] as const])),
  )
  const countries = [...new Set([...numberCountries, ...(companyCountry === null ? [] : [companyCountry])])]
  const codes = new Map(await Promise.all(countries.map(async (one) => [one, await callingCodeOf(one)] as const)))
  return (digits, numberCountry) => {
    const exact = byDigits.get(digits)
    if (exact) return exact
    const form = forms.get(digits)
    if (!form) return undefined
    const isNational = [numberCountry, companyCountry].some((one) => one && codes.get(one) === form.callingCode)
    return isNational ? byNational.get(form.digits) : undefined
  }
}
