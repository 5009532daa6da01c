// How many parts a text message takes: carriers charge for each. GSM 03.38 §6.2.1 for the signs, 3GPP TS 23.040
// §9.2.3.24.1 for the parts.

const basic =
  '@£$¥èéùìòÇ\nØø\rÅåΔ_ΦΓΛΩΠΨΣΘΞÆæßÉ !"#¤%&\'()*+,-./0123456789:;<=>?¡ABCDEFGHIJKLMNOPQRSTUVWXYZÄÖÑÜ§¿' +
  'abcdefghijklmnopqrstuvwxyzäöñüà'
const extended = '\f^{}\\[~]|€'
const plain = new Set(basic)
const escaped = new Set(extended)

export interface Extent {
  characters: number
  parts: number
  alphabet: 'GSM-7' | 'UCS-2'
  /** What still fits into the last part. */
  left: number
}

export function extentOf(text: string): Extent {
  const signs = [...text]
  const isGsm = signs.every((sign) => plain.has(sign) || escaped.has(sign))
  const units = isGsm ? signs.map((sign) => (escaped.has(sign) ? 2 : 1)) : signs.map((sign) => sign.length)
  const [alone, each] = isGsm ? [160, 153] : [70, 67]
  const { parts, left } = filled(units, alone, each)
  return { characters: signs.length, parts, alphabet: isGsm ? 'GSM-7' : 'UCS-2', left }
}

/** A sign is never cut in two, so a part may stay short of its last place. */
function filled(units: readonly number[], alone: number, each: number): { parts: number; left: number } {
  const all = units.reduce((sum, unit) => sum + unit, 0)
  if (all <= alone) return { parts: all === 0 ? 0 : 1, left: alone - all }
  let parts = 1
  let room = each
  for (const unit of units) {
    if (unit > room) {
      parts++
      room = each
    }
    room -= unit
  }
  return { parts, left: room }
}
