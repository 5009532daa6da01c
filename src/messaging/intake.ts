import { createHmac, timingSafeEqual } from 'node:crypto'
import type { Arrived, DeliveryReport } from './carrier.ts'

/** An inbound HTTP request of a provider. */
export type Intake =
  | { kind: 'refused'; status: 400 | 401 | 403 | 404 | 405; why: string }
  | { kind: 'challenge'; text: string }
  | {
      kind: 'received'
      arrived: Arrived[]
      reports: DeliveryReport[] /** Other data has changed at the provider. */
      isNews?: boolean
    }

export const refusedIntake = (status: 400 | 401 | 403 | 404 | 405, why: string): Intake => ({
  kind: 'refused',
  status,
  why,
})

/** HMAC-SHA256 of the bytes; compared in constant time. */
export function isSignedBy(
  secret: string,
  body: Buffer,
  given: string | undefined,
  { prefix, encoding }: { prefix: string; encoding: 'hex' | 'base64' },
): boolean {
  if (given === undefined || secret === '' || !given.startsWith(prefix)) return false
  const signature = Buffer.from(given.slice(prefix.length).trim(), encoding)
  const expected = createHmac('sha256', secret).update(body).digest()
  return signature.length === expected.length && timingSafeEqual(signature, expected)
}

export function isSameSecret(secret: string, given: string | undefined): boolean {
  if (given === undefined || secret === '') return false
  const hashed = (text: string) => createHmac('sha256', 'compare').update(text).digest()
  return timingSafeEqual(hashed(secret), hashed(given))
}

/** Normalizes a number to E.164: accepts spaces, a missing plus sign and a leading 00. */
export function e164In(text: string): string {
  const digits = text.replace(/^(whatsapp|sms|tel):/i, '').replace(/[\s().-]/g, '')
  if (/^\+[1-9]\d{6,14}$/.test(digits)) return digits
  if (/^00[1-9]\d{6,14}$/.test(digits)) return `+${digits.slice(2)}`
  return /^[1-9]\d{6,14}$/.test(digits) ? `+${digits}` : text
}
