/** Number format of a carrier, inbound and outbound. */
export interface NumberFormat {
  /** Such as `33`; without it only international formats are recognized. */
  countryCode?: string
  /** Trunk prefix of national numbers: '0' in most countries, '' where there is none. */
  nationalPrefix?: string
  /** Prefix of international numbers, as an alternative to the plus sign. */
  internationalPrefix?: string
  /** How digits without a prefix are interpreted. */
  bare?: 'international' | 'national'
  /** Format of outbound numbers. */
  out?: 'e164' | 'digits' | 'prefixed' | 'national'
}

/** The minimum length of an international number; shorter ones are service numbers of the carrier. */
const minLength = 7

/** undefined if the text is not a number; a short number stays as it is. */
export function fromTrunk(text: string, format: NumberFormat): string | undefined {
  const plain = text.replace(/[\s\-.()/]/g, '')
  if (!/^\+?\d{1,20}$/.test(plain)) return undefined
  const { countryCode, nationalPrefix = '0', internationalPrefix = '00' } = format
  if (plain.startsWith('+')) return plain
  if (plain.length < minLength) return plain
  if (internationalPrefix !== '' && plain.startsWith(internationalPrefix)) {
    return `+${plain.slice(internationalPrefix.length)}`
  }
  if (countryCode && nationalPrefix !== '' && plain.startsWith(nationalPrefix)) {
    return `+${countryCode}${plain.slice(nationalPrefix.length)}`
  }
  if (countryCode && format.bare === 'national') return `+${countryCode}${plain}`
  return plain.startsWith('0') ? plain : `+${plain}`
}

/** `+33…` in the carrier's format; emergency and service numbers are sent as dialled. */
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
