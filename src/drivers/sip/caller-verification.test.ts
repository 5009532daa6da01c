import { expect, test } from 'vitest'
import { callerVerificationOf } from './caller-verification.ts'
import type { Header, SipRequest } from './message.ts'

const invite = (...headers: [name: string, value: string][]): SipRequest => ({
  kind: 'request',
  method: 'INVITE',
  uri: 'sip:+14155550150@example.test',
  headers: headers.map(([name, value]): Header => ({ name, value })),
  body: '',
})

const part = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url')
const token = (claims: unknown) => `${part({ alg: 'ES256', ppt: 'shaken', typ: 'passport' })}.${part(claims)}.c2ln`
const signed = (attest: unknown) =>
  `${token({ attest, dest: { tn: ['14155550150'] }, iat: 1_700_000_000, orig: { tn: '14155550199' } })};info=<https://cert.example.test/a.pem>;alg=ES256;ppt=shaken`

test.each([
  [[['from', '<sip:+14155550199;verstat=TN-Validation-Passed@c.test;user=phone>;tag=1']], 'passed', null],
  [[['p-asserted-identity', '<tel:+14155550199;verstat=TN-Validation-Passed-A>']], 'passed', 'A'],
  [[['p-asserted-identity', '"A" <sip:+14155550199@c.test;verstat=TN-Validation-Failed>']], 'failed', null],
  [[['from', '<sip:+14155550199@c.test>;tag=1;verstat=No-TN-Validation']], 'none', null],
  [
    [
      ['p-asserted-identity', '<sip:+14155550199;verstat=tn-validation-passed@c.test>'],
      ['identity', signed('B')],
    ],
    'passed',
    'B',
  ],
  [
    [
      ['from', '<sip:+14155550199;verstat=TN-Validation-Passed@c.test>;tag=1'],
      ['p-attestation-indicator', 'C'],
    ],
    'passed',
    'C',
  ],
  [[['identity', signed('A')]], 'none', 'A'],
  [[['identity', '..c2ln;info=<https://cert.example.test/a.pem>']], 'none', null],
  [[['identity', signed('X')]], 'none', null],
  [[['identity', 'a.bm90IGpzb24.c;info=<x>']], 'none', null],
] as const)('%j', (headers, verification, attestation) => {
  expect(callerVerificationOf(invite(...(headers as unknown as [string, string][])))).toEqual({
    verification,
    attestation,
  })
})

test('a call without any of these headers has no verification, and an unknown result counts as none', () => {
  expect(callerVerificationOf(invite(['from', '<sip:+14155550199@c.test>;tag=1']))).toBeUndefined()
  expect(callerVerificationOf(invite(['from', '<sip:+1;verstat=Something-Else@c.test>;tag=1']))).toBeUndefined()
})
