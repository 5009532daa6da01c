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
