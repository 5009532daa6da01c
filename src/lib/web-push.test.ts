import { createPublicKey, verify } from 'node:crypto'
import { expect, test } from 'vitest'
import { encryptPush, newVapidKeys, pushKeyProblem, vapidHeader } from './web-push.ts'

// RFC 8291 §5 and appendix A.
const example = {
  text: 'When I grow up, I want to be a watermelon',
  serverKey: 'yfWPiYE-n46HLnH0KqZOF1fJJU3MYrct3AELtAQ-oRw',
  salt: 'DGv6ra1nlYgDCS1FRnbzlw',
  browser: {
    p256dh: 'BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4',
    auth: 'BTBZMqHH6r4Tts7J_aSIgg',
  },
  body:
    'DGv6ra1nlYgDCS1FRnbzlwAAEABBBP4z9KsN6nGRTbVYI_c7VJSPQTBtkgcy27mlmlMoZIIgDll6e3vCYLocInmYWAmS6TlzAC8wEqKK6PBru3jl7A_' +
    'yl95bQpu6cVPTpK4Mqgkf1CXztLVBSt2Ks3oZwbuwXPXLWyouBWLVWGNWQexSgSxsj_Qulcy4a-fN',
}
const bytes = (text: string) => Buffer.from(text, 'base64url')

test('the example of RFC 8291 is encrypted to the bytes of the RFC', () => {
  const fixed = { privateKey: bytes(example.serverKey), salt: bytes(example.salt) }

  expect(encryptPush(example.text, example.browser, fixed).toString('base64url')).toBe(example.body)
})

test('the same message is encrypted differently each time', () => {
  const [one, two] = [encryptPush('hello', example.browser), encryptPush('hello', example.browser)]

  expect(one.equals(two)).toBe(false)
})

test('a push service can verify the header with the public key in it', () => {
  const keys = newVapidKeys()
  const header = vapidHeader(keys, {
    endpoint: 'https://push.example.test/send/abc',
    subject: 'mailto:ops@example.test',
    expires: 1_700_000_000,
  })

  const [, token = '', key = ''] = /^vapid t=([^,]+), k=(.+)$/.exec(header) ?? []
  const [head = '', claims = '', signature = ''] = token.split('.')
  const point = bytes(key)
  const jwk = {
    kty: 'EC',
    crv: 'P-256',
    x: point.subarray(1, 33).toString('base64url'),
    y: point.subarray(33).toString('base64url'),
  }
  const publicKey = { key: createPublicKey({ key: jwk, format: 'jwk' }), dsaEncoding: 'ieee-p1363' } as const
  expect(key).toBe(keys.publicKey)
  expect(verify('sha256', Buffer.from(`${head}.${claims}`), publicKey, bytes(signature))).toBe(true)
  expect(JSON.parse(bytes(claims).toString())).toEqual({
    aud: 'https://push.example.test',
    exp: 1_700_000_000,
    sub: 'mailto:ops@example.test',
  })
})

test('keys that no browser sends are refused', () => {
  const { p256dh, auth } = example.browser
  const offCurve = Buffer.concat([Buffer.of(4), Buffer.alloc(64, 1)]).toString('base64url')

  expect(pushKeyProblem(example.browser)).toBeUndefined()
  expect(pushKeyProblem({ p256dh, auth: 'short' })).toContain('`auth`')
  expect(pushKeyProblem({ p256dh: offCurve, auth })).toContain('`p256dh`')
  expect(pushKeyProblem({ p256dh: 'AAAA', auth })).toContain('`p256dh`')
})
