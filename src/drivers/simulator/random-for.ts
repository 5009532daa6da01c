import { createHash } from 'node:crypto'
import { type Random, seededRandom } from '../../lib/random.ts'

/** Chance that depends on what it is about, and on nothing that happened before: calls cannot change each other's luck. */
export function randomFor(...about: readonly (string | number)[]): Random {
  const seed = createHash('sha256').update(JSON.stringify(about)).digest().readUInt32BE(0)
  return seededRandom(seed)
}
