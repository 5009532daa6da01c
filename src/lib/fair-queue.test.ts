import { expect, test } from 'vitest'
import { createFairQueue } from './fair-queue.ts'

test('owners take turns, one task at a time, also after a failed task', async () => {
  const queue = createFairQueue()
  const done: string[] = []
  const add = (owner: number, name: string) =>
    queue.run(owner, async () => {
      done.push(name)
      await Promise.resolve()
      if (name === 'a2') throw new Error('failed')
      return name
    })
  const first = ['a1', 'a2', 'a3', 'a4'].map((name) => add(1, name))
  const second = ['b1', 'b2'].map((name) => add(2, name))
  expect(queue.size).toBe(6)

  expect((await Promise.allSettled([...first, ...second])).map(({ status }) => status)).toEqual([
    'fulfilled',
    'rejected',
    ...Array(4).fill('fulfilled'),
  ])
  expect(done).toEqual(['a1', 'a2', 'b1', 'a3', 'b2', 'a4'])
  expect(queue.size).toBe(0)
  expect(await add(1, 'a5')).toBe('a5')
})
