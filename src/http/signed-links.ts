import { createHmac } from 'node:crypto'
import { day, hour, minute } from '../lib/clock.ts'
import { sameHash, type Vault } from '../lib/secrets.ts'
import type { Links } from '../services.ts'

// URLs that need no credentials: they grant access to one resource for one hour.

export const signedLinkMs = hour
// Long enough that a link spans at most one key change, short enough that a leaked key soon becomes useless.
const periodMs = 30 * day
// Clocks of processes may differ slightly.
const skewMs = minute

/** `place` is the path of the URL. */
export function signedAddress(vault: Vault, links: Links, place: string, at: number): string {
  const period = Math.floor(at / periodMs)
  const query = `expires=${at + signedLinkMs}&key=${period}`
  const { host } = new URL(links.assets)
  const signature = createHmac('sha256', keyOf(vault, period)).update(`GET ${host}${place}?${query}`).digest('hex')
  return `${links.assets}${place}?${query}&signature=${signature}`
}

/** The request for a link. */
export interface Followed {
  method: string
  host: string
  /** As sent, including the query. */
  url: string
}

const form = /^(\/[A-Za-z0-9/._-]{1,300})\?expires=(\d{1,15})&key=\d{1,6}&signature=[0-9a-f]{64}$/

/**
 * The path that the link leads to; undefined unless the URL is exactly the one we would generate. The signing key is
 * the one of its creation time, so an old key is valid for as long as its last link.
 */
export function verifySignedAddress(vault: Vault, links: Links, followed: Followed, now: number): string | undefined {
  const [, place, expires] = form.exec(followed.url) ?? []
  const at = Number(expires) - signedLinkMs
  const isReading = followed.method === 'GET' || followed.method === 'HEAD'
  if (!place || !isReading || followed.host !== new URL(links.assets).host) return undefined
  if (!sameHash(signedAddress(vault, links, place, at), links.assets + followed.url)) return undefined
  return isAlive(now, at, signedLinkMs) ? place : undefined
}

/** Setting the clock back must not revive expired links. */
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
