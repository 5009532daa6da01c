import { createHmac } from 'node:crypto'
import { day, hour, minute } from '../lib/clock.ts'
import { sameHash, type Vault } from '../lib/secrets.ts'
import type { Links } from '../services.ts'

// Addresses that need no credentials: whoever has one reads what it names, for one hour.

export const signedLinkMs = hour
// Long enough that no link sees more than one change, short enough that a key once read out is soon worth nothing.
const periodMs = 30 * day
// Processes do not agree on the time to the millisecond.
const skewMs = minute

/** `place` is the path of the address. */
export function signedAddress(vault: Vault, links: Links, place: string, at: number): string {
  const period = Math.floor(at / periodMs)
  const query = `expires=${at + signedLinkMs}&key=${period}`
  const { host } = new URL(links.assets)
  const signature = createHmac('sha256', keyOf(vault, period)).update(`GET ${host}${place}?${query}`).digest('hex')
  return `${links.assets}${place}?${query}&signature=${signature}`
}

/** How a link was followed. */
export interface Followed {
  method: string
  host: string
  /** As it was sent, with its query. */
  url: string
}

const form = /^(\/[A-Za-z0-9/._-]{1,300})\?expires=(\d{1,15})&key=\d{1,6}&signature=[0-9a-f]{64}$/

/**
 * The place that the link leads to; undefined unless it is still, to the letter, what we would make: the key that signs is
 * the one of the time it was made, so an old key is good for as long as its last link.
 */
export function verifySignedAddress(vault: Vault, links: Links, followed: Followed, now: number): string | undefined {
  const [, place, expires] = form.exec(followed.url) ?? []
  const at = Number(expires) - signedLinkMs
  const isReading = followed.method === 'GET' || followed.method === 'HEAD'
  if (!place || !isReading || followed.host !== new URL(links.assets).host) return undefined
  if (!sameHash(signedAddress(vault, links, place, at), links.assets + followed.url)) return undefined
  return isAlive(now, at, signedLinkMs) ? place : undefined
}

/** A clock that was set back brings nothing to life again. */
export const isAlive = (now: number, madeAt: number, lifetimeMs: number) =>
  now < madeAt + lifetimeMs && now >= madeAt - skewMs

const keys = new WeakMap<Vault, { period: number; key: Buffer }>()

/** A page of calls signs a hundred times with one key. */
function keyOf(vault: Vault, period: number): Buffer {
  const known = keys.get(vault)
  if (known?.period === period) return known.key
  const key = vault.derive(`asset links ${period}`)
  keys.set(vault, { period, key })
  return key
}
