import { hash, verify } from '@node-rs/argon2'
import { limitConcurrency } from './limit-concurrency.ts'

// argon2id with the parameters recommended by OWASP. One hash takes 19 MB and about 30 ms of a shared thread, so at
// most two run concurrently.
const cost = { memoryCost: 19_456, timeCost: 2, parallelism: 1 }
const inTurn = limitConcurrency(2, 500)

export const hashPassword = (password: string): Promise<string> => inTurn(() => hash(password, cost))

export const isPassword = (hashed: string, password: string): Promise<boolean> => inTurn(() => verify(hashed, password))
