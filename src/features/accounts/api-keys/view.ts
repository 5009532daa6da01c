import { type Static, Type } from 'typebox'
import { apiScopes } from '../../../domain/api-scopes.ts'
import { nullable, oneOf, Timestamp } from '../../../http/schemas.ts'
import { isoSeconds } from '../../../lib/time-format.ts'
import type { ApiKey } from './store.ts'

export const Scope = oneOf(apiScopes)

const time = (description: string) => nullable(Type.String({ format: 'date-time', description }))

export const KeyView = Type.Object({
  id: Type.Integer(),
  api_id: Type.String(),
  name: Type.String(),
  created_by: nullable(Type.Integer()),
  created_at: Timestamp,
  scopes: nullable(Type.Array(Scope, { description: 'Null: all scopes' })),
  allowed_ips: nullable(Type.Array(Type.String(), { description: 'Addresses and CIDR ranges; null: all addresses' })),
  expires_at: time('Null: the key does not expire'),
  last_used_at: time('Accurate to five minutes; null: not used yet'),
  rotated_at: time('When its token was last replaced'),
  previous_token_expires_at: time('Until when the previous token is accepted'),
})

/** The token is returned only by the request that created it. */
export const NewKeyView = Type.Object({ ...KeyView.properties, api_token: Type.String() })

const iso = (at: number | null) => (at === null ? null : isoSeconds(at))

export const keyView = (key: ApiKey, now: number): Static<typeof KeyView> => ({
  id: key.id,
  api_id: key.apiId,
  name: key.name,
  created_by: key.createdBy,
  created_at: isoSeconds(key.createdAt),
  scopes: key.scopes,
  allowed_ips: key.allowedIps,
  expires_at: iso(key.expiresAt),
  last_used_at: iso(key.lastUsedAt),
  rotated_at: iso(key.rotatedAt),
  previous_token_expires_at:
    key.previousExpiresAt !== null && key.previousExpiresAt > now ? iso(key.previousExpiresAt) : null,
})
