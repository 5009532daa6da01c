import { expect, test } from 'vitest'
import { limitConcurrency, Overloaded } from './limit-concurrency.ts'
import { hashPassword, isPassword } from './passwords.ts'

test('a password verifies against its hash, and no two hashes are equal', async () => {
  const [one, two] = [await hashPassword('correct horse'), await hashPassword('correct horse')]

  expect(one).not.toBe(two)
  expect(one).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$/)
  expect([await isPassword(one, 'correct horse'), await isPassword(one, 'correct house')]).toEqual([true, false])
})

test('at most two hashes run concurrently', async () => {
  const inTurn = limitConcurrency(2, 100)
  const seen = { running: 0, max: 0, all: 0 }
  const work = async () => {
    seen.max = Math.max(seen.max, ++seen.running)
    seen.all++
    for (let i = 0; i < seen.all % 7; i++) await Promise.resolve()
    seen.running--
    if (seen.all % 5 === 0) throw new Error('some fail')
  }
  // Each completed hash starts another one at the moment a slot becomes free.
  const chain = async (length: number): Promise<void> => {
    await inTurn(work).catch(() => {})
    if (length > 1) await chain(length - 1)
  }

  await Promise.all(Array.from({ length: 8 }, () => chain(50)))

  expect(seen).toEqual({ running: 0, max: 2, all: 400 })
})

test('the last waiting request runs next, and the oldest one is rejected when too many wait', async () => {
  const inTurn = limitConcurrency(1, 3)
  const order: number[] = []
  const work = (n: number) =>
    inTurn(async () => {
      order.push(n)
    })

  const results = await Promise.allSettled([1, 2, 3, 4, 5, 6].map(work))

  expect(order).toEqual([1, 6, 5, 4])
  expect(results.map((result) => result.status === 'rejected' && result.reason instanceof Overloaded)).toEqual([
    false,
    true,
    true,
    false,
    false,
    false,
  ])
})
