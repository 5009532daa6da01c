import { createHash } from 'node:crypto'
import { type Random, seededRandom } from '../../lib/random.ts'

/** A random source derived from the values given, and from nothing else: calls do not affect each other's outcome. */
export function randomFor(...values: readonly (string | number)[]): Random {
  const seed = createHash('sha256').update(JSON.stringify(values)).digest().readUInt32BE(0)
  return seededRandom(seed)
}
