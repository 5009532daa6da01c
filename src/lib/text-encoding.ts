/** Text of a file of unknown origin: with a byte order mark, UTF-8, or as spreadsheets for Windows save it. */
export const decodeText = (bytes: Uint8Array): string => utf16(bytes) ?? utf8(bytes) ?? windows1252(bytes)

// Node.js 20 decodes Windows-1252 as Latin-1, which has control characters in these places.
const from0x80 = '€\u0081‚ƒ„…†‡ˆ‰Š‹Œ\u008dŽ\u008f\u0090‘’“”•–—˜™š›œ\u009džŸ'

const windows1252 = (bytes: Uint8Array): string =>
  new TextDecoder('windows-1252')
    .decode(bytes)
    .replace(/[\u0080-\u009f]/g, (sign) => from0x80[sign.charCodeAt(0) - 0x80] ?? sign)

/** Undefined without a byte order mark. */
function utf16(bytes: Uint8Array): string | undefined {
  const mark = (bytes[0] ?? 0) * 256 + (bytes[1] ?? 0)
  const encoding = mark === 0xfffe ? 'utf-16le' : mark === 0xfeff ? 'utf-16be' : undefined
  return encoding && new TextDecoder(encoding).decode(bytes)
}

function utf8(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    return undefined
  }
}
