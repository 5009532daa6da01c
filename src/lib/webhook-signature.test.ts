import { Webhook } from 'standardwebhooks'
import { describe, expect, test } from 'vitest'
import { newSigningSecret, sign, signingKey } from './webhook-signature.ts'

const id = 'msg_01JXS'
const timestamp = Math.floor(Date.now() / 1_000)
const body = '{"event":"call.created","data":{"name":"Zoë 📞"}}'

function accepts(secret: string, signature: string, sent: { id?: string; timestamp?: number; body?: string } = {}) {
  const headers = {
    'webhook-id': sent.id ?? id,
    'webhook-timestamp': String(sent.timestamp ?? timestamp),
    'webhook-signature': signature,
  }
  try {
    new Webhook(secret).verify(sent.body ?? body, headers)
    return true
  } catch {
    return false
  }
}

describe('a signing secret', () => {
  test('holds 32 bytes, never the same', () => {
    const secrets = Array.from({ length: 100 }, newSigningSecret)

    expect(new Set(secrets).size).toBe(100)
    for (const secret of secrets) {
      expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/)
      expect(signingKey(secret)).toHaveLength(32)
    }
  })

  test.each(['', 'whsec_', 'c2VjcmV0', 'WHSEC_c2VjcmV0'])('is not %j', (text) => {
    expect(() => signingKey(text)).toThrow('not a signing secret')
  })
})

describe('a signature', () => {
  const secret = newSigningSecret()
  const signature = sign([signingKey(secret)], id, timestamp, body)

  test('is accepted by a receiver that uses the library of Standard Webhooks', () => {
    expect(accepts(secret, signature)).toBe(true)
    expect(sign([signingKey(secret)], id, timestamp, Buffer.from(body))).toBe(signature)
  })

  test('is the one of the published example', () => {
    const key = signingKey('whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw')

    expect(sign([key], 'msg_p5jXN8AQM9LWM0D4loKWxJek', 1614265330, '{"test": 2432232314}')).toBe(
      'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
    )
  })

  test.each([
    ['body', { body: `${body} ` }],
    ['id', { id: 'msg_01JXT' }],
    ['timestamp', { timestamp: timestamp - 1 }],
  ])('is refused with another %s', (_, sent) => {
    expect(accepts(secret, signature, sent)).toBe(false)
  })

  test('is refused with another key', () => {
    expect(accepts(newSigningSecret(), signature)).toBe(false)
  })

  test('during a rotation is accepted with either key, the newest first', () => {
    const next = newSigningSecret()

    const both = sign([signingKey(next), signingKey(secret)], id, timestamp, body)

    expect(accepts(next, both)).toBe(true)
    expect(accepts(secret, both)).toBe(true)
    expect(accepts(newSigningSecret(), both)).toBe(false)
    expect(both).toBe(`${sign([signingKey(next)], id, timestamp, body)} ${signature}`)
  })
})
