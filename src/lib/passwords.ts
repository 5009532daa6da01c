import { hash, verify } from '@node-rs/argon2'
import { atMost } from './at-most.ts'

// argon2id as OWASP asks for it. One takes 19 MB and some thirty milliseconds of a thread that others need as well:
// at most two are made at a time, the rest waits.
const cost = { memoryCost: 19_456, timeCost: 2, parallelism: 1 }
const inTurn = atMost(2, 500)

export const hashPassword = (password: string): Promise<string> => inTurn(() => hash(password, cost))

export const isPassword = (hashed: string, password: string): Promise<boolean> => inTurn(() => verify(hashed, password))
