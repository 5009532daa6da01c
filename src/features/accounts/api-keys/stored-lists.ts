import { type ApiScope, isApiScope } from '../../../domain/api-scopes.ts'

/** Scopes of a later release are ignored. */
export function scopesIn(text: string | null): ApiScope[] | null {
  if (text === null) return null
  const stored: unknown = JSON.parse(text)
  return Array.isArray(stored) ? stored.filter(isApiScope) : []
}

export function addressesIn(text: string | null): string[] | null {
  if (text === null) return null
  const stored: unknown = JSON.parse(text)
  return Array.isArray(stored) ? stored.filter((one) => typeof one === 'string') : []
}
