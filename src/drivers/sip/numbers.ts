/** How a carrier writes numbers, in what it sends and in what it wants. */
export interface NumberFormat {
  /** `33`: what national numbers belong to; without one only international forms are understood. */
  countryCode?: string
  /** What stands before a national number; '0' in most countries, '' where nothing does. */
  nationalPrefix?: string
  /** What stands before a foreign number, beside the plus sign. */
  internationalPrefix?: string
  /** Digits without any prefix are taken for this. */
  bare?: 'international' | 'national'
  /** What we send. */
  out?: 'e164' | 'digits' | 'prefixed' | 'national'
}

/** The shortest number that can be international; below it, it is a service number of the carrier's own. */
const shortest = 7

/** undefined for what is no number at all; a short number stays as it is. */
export function fromTrunk(text: string, format: NumberFormat): string | undefined {
  const plain = text.replace(/[\s\-.()/]/g, '')
  if (!/^\+?\d{1,20}$/.test(plain)) return undefined
  const { countryCode, nationalPrefix = '0', internationalPrefix = '00' } = format
  if (plain.startsWith('+')) return plain
  if (plain.length < shortest) return plain
  if (internationalPrefix !== '' && plain.startsWith(internationalPrefix)) {
    return `+${plain.slice(internationalPrefix.length)}`
  }
  if (countryCode && nationalPrefix !== '' && plain.startsWith(nationalPrefix)) {
    return `+${countryCode}${plain.slice(nationalPrefix.length)}`
  }
  if (countryCode && format.bare === 'national') return `+${countryCode}${plain}`
  return plain.startsWith('0') ? plain : `+${plain}`
}

/** `+33…` in the carrier's own form; emergency and service numbers go out as dialled. */
export function toTrunk(number: string, format: NumberFormat): string {
  if (!number.startsWith('+')) return number
  const digits = number.slice(1)
  const { countryCode, nationalPrefix = '0', internationalPrefix = '00' } = format
  switch (format.out ?? 'e164') {
    case 'e164':
      return number
    case 'digits':
      return digits
    case 'prefixed':
      return `${internationalPrefix}${digits}`
    case 'national':
      return countryCode && digits.startsWith(countryCode)
        ? `${nationalPrefix}${digits.slice(countryCode.length)}`
        : `${internationalPrefix}${digits}`
  }
}
