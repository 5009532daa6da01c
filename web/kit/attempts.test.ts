import { expect, test } from 'vitest'
import { createAttempts } from './attempts.ts'

function world() {
  let now = 0
  const attempts = createAttempts(() => now)
  return { attempts, pass: (ms: number) => (now += ms) }
}

test('a repetition of a failed request has the same key, until it succeeds', () => {
  const { attempts } = world()
  const first = attempts.begin('/app/v1/tags {"name":"VIP"}')
  first.failed()
  const second = attempts.begin('/app/v1/tags {"name":"VIP"}')
  expect(second.key).toBe(first.key)

  // It succeeded.
  expect(attempts.begin('/app/v1/tags {"name":"VIP"}').key).not.toBe(first.key)
})

test('another body, another path and a later request have keys of their own', () => {
  const { attempts, pass } = world()
  const { key, failed } = attempts.begin('/app/v1/tags {"name":"VIP"}')
  failed()
  expect(attempts.begin('/app/v1/tags {"name":"Sales"}').key).not.toBe(key)
  expect(attempts.begin('/app/v1/teams {"name":"VIP"}').key).not.toBe(key)
  pass(11 * 60_000)
  expect(attempts.begin('/app/v1/tags {"name":"VIP"}').key).not.toBe(key)
})
