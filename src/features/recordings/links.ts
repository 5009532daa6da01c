import { createHmac } from 'node:crypto'
import path from 'node:path'
import type { CompanyId } from '../../db/tables.ts'
import { day, hour, minute } from '../../lib/clock.ts'
import { sameHash, type Vault } from '../../lib/secrets.ts'
import type { Links } from '../../services.ts'

export type SoundKind = 'recording' | 'voicemail'

export interface SoundLink {
  companyId: CompanyId
  callId: number
  kind: SoundKind
  /** The key in the file store; an address shows the last part of it. */
  file: string
}

const lifeMs = hour
// Long enough that no link sees more than one change, short enough that a key once read out is soon worth nothing.
const periodMs = 30 * day
// Processes do not agree on the time to the millisecond.
const skewMs = minute

/** The mp3 itself, for whoever has the address, for one hour. */
export function signedUrl(vault: Vault, links: Links, { at, ...link }: SoundLink & { at: number }): string {
  const { companyId, kind, callId, file } = link
  const place = `/media/${companyId}/${kind}/${callId}/${path.basename(file)}`
  const period = Math.floor(at / periodMs)
  const query = `expires=${at + lifeMs}&key=${period}`
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

const form =
  /^\/media\/([1-9]\d{0,15})\/(recording|voicemail)\/([1-9]\d{0,15})\/([a-z0-9._-]{1,100})\?expires=(\d{1,15})&key=\d{1,6}&signature=[0-9a-f]{64}$/

/**
 * What the link leads to; undefined unless it is still, to the letter, what we would make: the key that signs is the one of
 * the time it was made, so an old key is good for as long as its last link. `file` is only the last part of the key.
 */
export function verifySignedUrl(vault: Vault, links: Links, followed: Followed, now: number): SoundLink | undefined {
  const [, company, kind, call, file = '', expires] = form.exec(followed.url) ?? []
  const at = Number(expires) - lifeMs
  const link: SoundLink = {
    companyId: Number(company),
    callId: Number(call),
    kind: kind === 'voicemail' ? 'voicemail' : 'recording',
    file,
  }
  const isReading = followed.method === 'GET' || followed.method === 'HEAD'
  if (!kind || !isReading || followed.host !== new URL(links.assets).host) return undefined
  if (!sameHash(signedUrl(vault, links, { ...link, at }), links.assets + followed.url)) return undefined
  return isAlive(now, at, lifeMs) ? link : undefined
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
