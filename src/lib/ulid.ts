import { randomFillSync } from 'node:crypto'

// Crockford's alphabet: no I, L, O, U.
const alphabet = '0123456789ABCDEFGHJKMNPQRSTVWXYZ'

/** A name for a row: time in front, chance behind. It names, it does not order. */
export function ulid(machineMs: number): string {
  let time = ''
  for (let rest = machineMs, i = 0; i < 10; i++) {
    time = alphabet[rest % 32] + time
    rest = Math.floor(rest / 32)
  }
  let chance = ''
  for (const byte of randomFillSync(new Uint8Array(16))) chance += alphabet[byte & 31]
  return time + chance
}
