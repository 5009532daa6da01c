import { expect } from 'vitest'

/** The first result that is not undefined. */
export async function eventually<T>(look: () => Promise<T | undefined>): Promise<T> {
  let found: T | undefined
  await expect
    .poll(
      async () => {
        found = await look()
        return found !== undefined
      },
      { interval: 10 },
    )
    .toBe(true)
  return found as T
}
