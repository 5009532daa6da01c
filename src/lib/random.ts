import { randomInt } from 'node:crypto'

/** Deterministic for a seed: for demo data and simulations, never for secrets. */
export interface Random {
  /** 0 ≤ n < 1 */
  next(): number
  integer(from: number, to: number): number
  pick<T>(list: readonly T[]): T
}

// mulberry32: small, fast and sufficiently uniform for demo data.
export function seededRandom(seed: number): Random {
  let state = seed >>> 0
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0
    let t = state
    t = Math.imul(t ^ (t >>> 15), t | 1)
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61)
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32
  }
  const integer = (from: number, to: number) => from + Math.floor(next() * (to - from + 1))
  return {
    next,
    integer,
    pick<T>(list: readonly T[]): T {
      const item = list[integer(0, list.length - 1)]
      if (item === undefined) throw new Error('cannot pick from an empty list')
      return item
    },
  }
}

/** Unpredictable; 0 ≤ n < 1. */
export const secureRandom = () => randomInt(2 ** 32) / 2 ** 32

/** Deterministic hash of the text to 0 ≤ n < 1, independent of earlier calls. */
export function fractionOf(words: string): number {
  let hash = 0x811c9dc5
  for (let i = 0; i < words.length; i++) hash = Math.imul(hash ^ words.charCodeAt(i), 0x01000193)
  return seededRandom(hash).next()
}
