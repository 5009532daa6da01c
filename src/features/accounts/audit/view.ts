import { type Static, Type } from 'typebox'
import type { AuditTable } from '../../../db/tables.ts'
import { Json, nullable, oneOf, Timestamp } from '../../../http/schemas.ts'
import { isoSeconds } from '../../../lib/time-format.ts'
import type { AuditTarget } from './target-names-store.ts'

export const EntryView = Type.Object({
  id: Type.Integer({ description: 'Sequential per company, without gaps' }),
  at: Timestamp,
  actor: Type.Object({
    kind: oneOf(['user', 'key', 'token', 'operator', 'unknown'], {
      description: 'key: API key · token: integration · operator: command line · unknown: not signed in',
    }),
    id: nullable(Type.Integer()),
    name: nullable(Type.String({ description: 'Current name; null if the user or key no longer exists' })),
  }),
  action: Type.String({ examples: ['sign_in'] }),
  target: nullable(Type.String({ description: 'Object of the action', examples: ['user:5'] })),
  target_name: nullable(Type.String({ description: 'Its current or last known name; null if none is known' })),
  target_exists: Type.Boolean({ description: 'False if it was deleted, or is of a kind without names' }),
  details: Json,
  address: nullable(Type.String({ description: 'IP address of the request' })),
})

export interface AuditNames {
  /** Of existing users and keys. */
  actor: (kind: string, id: number) => string | undefined
  target: (target: string) => AuditTarget | undefined
}

export const entryView = (entry: AuditTable, names: AuditNames): Static<typeof EntryView> => ({
  id: entry.n,
  at: isoSeconds(entry.at),
  actor: {
    kind: entry.actor_kind,
    id: entry.actor_id,
    name: entry.actor_id === null ? null : (names.actor(entry.actor_kind, entry.actor_id) ?? null),
  },
  action: entry.action,
  target: entry.target,
  target_name: (entry.target !== null && names.target(entry.target)?.name) || null,
  target_exists: (entry.target !== null && names.target(entry.target)?.exists) || false,
  details: entry.details === null ? null : JSON.parse(entry.details),
  address: entry.address,
})
