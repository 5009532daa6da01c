import { expect, test } from 'vitest'
import { newTotpSecret, stepOfCode, toBase32, totpCode, totpStep, totpUri } from './totp.ts'

const secret = toBase32(Buffer.from('12345678901234567890'))

// RFC 6238, Appendix B, shortened to six digits.
test.each([
  [59, '287082'],
  [1_111_111_109, '081804'],
  [1_111_111_111, '050471'],
  [1_234_567_890, '005924'],
  [2_000_000_000, '279037'],
  [20_000_000_000, '353130'],
])('the code at %d s is %s', (seconds, code) => {
  expect(totpCode(secret, totpStep(seconds * 1_000))).toBe(code)
})

test('a code is accepted one step early or late, and no further', () => {
  const now = 1_111_111_109_000
  const at = (steps: number) => stepOfCode(secret, totpCode(secret, totpStep(now) + steps), now)

  expect([at(-2), at(2)]).toEqual([undefined, undefined])
  expect([at(-1), at(0), at(1)]).toEqual([-1, 0, 1].map((steps) => totpStep(now) + steps))
  for (const wrong of ['', '08180', '0818040', '08180x', '０８１８０４'])
    expect(stepOfCode(secret, wrong, now)).toBe(undefined)
})

test('a new secret has 160 bits, and its URI names company and account', () => {
  expect(newTotpSecret()).toMatch(/^[A-Z2-7]{32}$/)
  expect(totpUri('ABC', { issuer: 'Acme & Co', account: 'ada@example.test' })).toBe(
    'otpauth://totp/Acme%20%26%20Co:ada%40example.test?secret=ABC&issuer=Acme%20%26%20Co&algorithm=SHA1&digits=6&period=30',
  )
})
