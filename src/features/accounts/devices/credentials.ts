import { createHash, randomInt } from 'node:crypto'
import { deviceRealm } from '../../../domain/device.ts'
import { hour } from '../../../lib/clock.ts'
import { hashOf, randomToken, type Vault } from '../../../lib/secrets.ts'
import type { DeviceSetup } from './store.ts'

/** Without characters that look alike: they are typed at a desk phone. */
const characters = 'abcdefghjkmnpqrstuvwxyz23456789'
const usernameLength = 10
const passwordLength = 20
/** A phone loads its settings more than once while it starts. */
const setupLoads = 10
const setupMs = 24 * hour

const random = (length: number) => Array.from({ length }, () => characters[randomInt(characters.length)] ?? '').join('')

/** Random, so that account names cannot be guessed by scanners. */
export const newUsername = () => random(usernameLength)

export const newPassword = () => random(passwordLength)

/** RFC 7616 §3.4.2: the password itself is not needed to authenticate a device. */
export function ha1Of(username: string, password: string): { sha256: string; md5: string } {
  const text = `${username}:${deviceRealm}:${password}`
  const hash = (name: 'sha256' | 'md5') => createHash(name).update(text).digest('hex')
  return { sha256: hash('sha256'), md5: hash('md5') }
}

export const sealedHa1 = (vault: Vault, username: string, password: string) =>
  vault.seal(JSON.stringify(ha1Of(username, password)))

export function openHa1(vault: Vault, sealed: string): { sha256: string; md5: string } {
  const { sha256, md5 } = JSON.parse(vault.open(sealed))
  return { sha256: String(sha256), md5: String(md5) }
}

export function newSetup(vault: Vault, password: string, at: number): { setup: DeviceSetup; token: string } {
  const token = randomToken()
  const setup = { hash: hashOf(token), passwordSealed: vault.seal(password), until: at + setupMs, left: setupLoads }
  return { setup, token }
}
