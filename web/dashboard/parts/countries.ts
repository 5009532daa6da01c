const codes =
  'AD AE AF AG AL AM AO AR AT AU AZ BA BB BD BE BF BG BH BI BJ BN BO BR BS BT BW BY BZ CA CD CF CG CH CI CL CM CN CO CR CU CV CY CZ DE DJ DK DM DO DZ EC EE EG ER ES ET FI FJ FM FR GA GB GD GE GH GM GN GQ GR GT GW GY HK HN HR HT HU ID IE IL IN IQ IR IS IT JM JO JP KE KG KH KI KM KN KR KW KZ LA LB LC LI LK LR LS LT LU LV LY MA MC MD ME MG MH MK ML MM MN MO MR MT MU MV MW MX MY MZ NA NE NG NI NL NO NP NR NZ OM PA PE PG PH PK PL PR PS PT PW PY QA RO RS RU RW SA SB SC SD SE SG SI SK SL SM SN SO SR SS ST SV SY SZ TD TG TH TJ TL TM TN TO TR TT TV TW TZ UA UG US UY UZ VA VC VE VN VU WS XK YE ZA ZM ZW'.split(
    ' ',
  )
const nameOfCountry = new Intl.DisplayNames(undefined, { type: 'region' })

/** All countries by name, plus any codes selected before. */
export const countryChoices = (chosen: readonly string[]) =>
  [...new Set([...codes, ...chosen])]
    .map((code) => ({ value: code, label: nameOf(code) }))
    .sort((a, b) => a.label.localeCompare(b.label))

/** 001 stands for satellite networks. */
const nameOf = (code: string) => (code === '001' ? 'Satellite networks' : (nameOfCountry.of(code) ?? code))

/** The country of the browser by its time zone, otherwise by its language. */
export function likelyCountry(zone: string, language: string): string | undefined {
  const ofLanguage = new Intl.Locale(language).region
  const ofZone = codes.filter((code) => zonesOf(code).includes(zone))
  const isBoth = ofLanguage !== undefined && ofZone.includes(ofLanguage)
  return isBoth || ofZone.length === 0 ? ofLanguage : ofZone[0]
}

/** Empty in browsers without this list. */
function zonesOf(country: string): readonly string[] {
  const locale: Intl.Locale & { getTimeZones?: () => string[]; timeZones?: string[] } = new Intl.Locale(
    `und-${country}`,
  )
  return locale.getTimeZones?.() ?? locale.timeZones ?? []
}
