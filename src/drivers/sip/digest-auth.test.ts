import { expect, test } from 'vitest'
import { heldClock } from '../../../test/kit/clocks.ts'
import { type Algorithm, digestOf } from './digest.ts'
import { createDigestAuth } from './digest-auth.ts'
import type { SipRequest } from './message.ts'

const account = { username: 'carrier', password: 'secret', algorithms: ['SHA-256', 'MD5'] } as const
const realm = 'us.test'
const uri = 'sip:0155509876@127.0.0.1'

type Outcome = 'ok' | 'stale' | 'wrong'

function opened() {
  const clock = heldClock(0)
  const digestAuth = createDigestAuth(clock)
  const request = (authorization?: string): SipRequest => ({
    kind: 'request',
    method: 'INVITE',
    uri,
    headers: authorization === undefined ? [] : [{ name: 'authorization', value: authorization }],
    body: '',
  })
  const newNonce = (algorithm: Algorithm = 'SHA-256') => {
    const challenges = digestAuth.challengesFor(request(), realm, account)
    const challenge = challenges.find((one) => one.includes(`algorithm=${algorithm},`))
    return /nonce="([^"]+)"/.exec(challenge ?? '')?.[1] ?? ''
  }
  /** `shown` is the count in the header, `hashed` the one in the response. */
  function use(nonce: string, shown: string, hashed = shown, algorithm: Algorithm = 'SHA-256'): Outcome {
    const input = { ...account, algorithm, realm, nonce, nc: hashed, cnonce: 'abc', qop: 'auth' } as const
    const response = digestOf({ ...input, method: 'INVITE', uri })
    const names = `username="carrier", realm="${realm}", nonce="${nonce}", uri="${uri}", response="${response}"`
    const challenges = digestAuth.challengesFor(
      request(`Digest ${names}, algorithm=${algorithm}, qop=auth, nc=${shown}, cnonce="abc"`),
      realm,
      account,
    )
    if (challenges.length === 0) return 'ok'
    return challenges.every((one) => one.includes('stale=true')) ? 'stale' : 'wrong'
  }
  return { clock, newNonce, use }
}

test('every nonce count is accepted once, and only above all that were used before', () => {
  const { newNonce, use } = opened()
  const nonce = newNonce()

  const outcomes = ['00000001', '00000001', '00000005', '00000003', '00000005', '00000006'].map((nc) => use(nonce, nc))

  expect(outcomes).toEqual(['ok', 'stale', 'ok', 'stale', 'stale', 'ok'])
})

test('a nonce count of zero is refused', () => {
  const { newNonce, use } = opened()

  expect(use(newNonce(), '00000000')).toBe('stale')
})

test('a captured response cannot be replayed with a higher nonce count', () => {
  const { newNonce, use } = opened()
  const nonce = newNonce()
  expect(use(nonce, '00000001')).toBe('ok')

  expect(use(nonce, '00000002', '00000001')).toBe('wrong')
})

test('each nonce has a count of its own', () => {
  const { newNonce, use } = opened()
  const [first, second] = [newNonce(), newNonce()]

  expect([use(first, '00000007'), use(second, '00000001')]).toEqual(['ok', 'ok'])
})

test('a nonce is stale after a minute, and one that we did not issue is wrong', () => {
  const { clock, newNonce, use } = opened()
  const nonce = newNonce()
  clock.advanceMachine(60_001)

  expect([use(nonce, '00000001'), use(`${nonce}0`, '00000001')]).toEqual(['stale', 'wrong'])
})

test('MD5 is accepted with its own nonce and its own counts, and a nonce of one algorithm is wrong with the other', () => {
  const { newNonce, use } = opened()
  const [strong, weak] = [newNonce(), newNonce('MD5')]
  const md5 = (nonce: string, nc: string, hashed = nc) => use(nonce, nc, hashed, 'MD5')

  expect([md5(weak, '00000001'), md5(weak, '00000001'), md5(weak, '00000002', '00000001')]).toEqual([
    'ok',
    'stale',
    'wrong',
  ])
  expect([md5(strong, '00000001'), use(weak, '00000003')]).toEqual(['wrong', 'wrong'])
  expect(use(strong, '00000001')).toBe('ok')
})

test('algorithms that were not offered are refused', () => {
  const { newNonce, use } = opened()

  expect(use(newNonce(), '00000001', '00000001', 'SHA-512-256')).toBe('wrong')
})
