import { randomFillSync } from 'node:crypto'

// Crockford's alphabet: no I, L, O, U.
const alphabet = '0123456789ABCDEFGHJKMNPQRSTVWXYZ'

// Random bytes are fetched in bulk: the system call costs more than the bytes.
const pool = new Uint8Array(16 * 256)
let used = pool.length

/** Unique id of a row: time, then random bits. It does not define an order. */
export function ulid(machineMs: number): string {
  let time = ''
  for (let rest = machineMs, i = 0; i < 10; i++) {
    time = alphabet[rest % 32] + time
    rest = Math.floor(rest / 32)
  }
  if (used === pool.length) {
    randomFillSync(pool)
    used = 0
  }
  let random = ''
  for (const end = used + 16; used < end; used++) random += alphabet[(pool[used] ?? 0) & 31]
  return time + random
}
