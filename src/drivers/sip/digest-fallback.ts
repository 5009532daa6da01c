import type { Algorithm } from './digest.ts'

/**
 * RFC 8760 §2.3: a phone skips challenges with algorithms that it does not know. Some give up instead: a device that did
 * not answer a challenge is offered MD5 alone from then on.
 */
export interface DigestFallback {
  /** The algorithms of the next challenge. */
  offerTo(source: string): readonly Algorithm[]
  succeeded(source: string): void
}

const all: readonly Algorithm[] = ['SHA-256', 'MD5']
const weakest: readonly Algorithm[] = ['MD5']
const maxRemembered = 10_000

export function createDigestFallback(): DigestFallback {
  const offered = new Map<string, readonly Algorithm[]>()
  return {
    offerTo(source) {
      const next = offered.has(source) ? weakest : all
      offered.set(source, next)
      const [oldest] = offered.keys()
      if (offered.size > maxRemembered && oldest !== undefined) offered.delete(oldest)
      return next
    },
    succeeded(source) {
      if (offered.get(source) === all) offered.delete(source)
    },
  }
}
