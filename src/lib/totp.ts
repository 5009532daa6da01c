import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'

// Time-based one-time passwords, RFC 6238, with what every authenticator app supports: SHA-1, 30 seconds, 6 digits.

const stepMs = 30_000
const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'

/** 160 bits in base32 (RFC 4648 §6), as RFC 4226 §4 recommends. */
export const newTotpSecret = (): string => toBase32(randomBytes(20))

export const totpStep = (now: number): number => Math.floor(now / stepMs)

/** RFC 4226 §5.3. */
export function totpCode(secret: string, step: number): string {
  const counter = Buffer.alloc(8)
  counter.writeBigUInt64BE(BigInt(step))
  const mac = createHmac('sha1', fromBase32(secret)).update(counter).digest()
  const offset = (mac[mac.length - 1] ?? 0) & 0xf
  return String((mac.readUInt32BE(offset) & 0x7fffffff) % 1_000_000).padStart(6, '0')
}

/** The time step a code belongs to: the current one, or a neighbour for clocks that differ. */
export function stepOfCode(secret: string, code: string, now: number): number | undefined {
  const current = totpStep(now)
  const given = Buffer.from(code)
  return [current, current - 1, current + 1].find((step) => {
    const expected = Buffer.from(totpCode(secret, step))
    return expected.length === given.length && timingSafeEqual(expected, given)
  })
}

/** What the QR code contains. */
export function totpUri(secret: string, { issuer, account }: { issuer: string; account: string }): string {
  const label = `${encodeURIComponent(issuer)}:${encodeURIComponent(account)}`
  return `otpauth://totp/${label}?secret=${secret}&issuer=${encodeURIComponent(issuer)}&algorithm=SHA1&digits=6&period=30`
}

export function toBase32(bytes: Uint8Array): string {
  let text = ''
  let held = 0
  let bits = 0
  for (const byte of bytes) {
    held = (held << 8) | byte
    bits += 8
    while (bits >= 5) {
      bits -= 5
      text += alphabet[(held >>> bits) & 31]
    }
    held &= (1 << bits) - 1
  }
  return bits > 0 ? text + alphabet[(held << (5 - bits)) & 31] : text
}

function fromBase32(text: string): Buffer {
  const bytes: number[] = []
  let held = 0
  let bits = 0
  for (const letter of text) {
    held = (held << 5) | alphabet.indexOf(letter)
    bits += 5
    if (bits >= 8) {
      bits -= 8
      bytes.push((held >>> bits) & 255)
      held &= (1 << bits) - 1
    }
  }
  return Buffer.from(bytes)
}
