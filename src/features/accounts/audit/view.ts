import { type Static, Type } from 'typebox'
import type { AuditTable } from '../../../db/tables.ts'
import { Json, nullable, oneOf, Timestamp } from '../../../http/schemas.ts'
import { isoSeconds } from '../../../lib/time-format.ts'

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
  details: Json,
  address: nullable(Type.String({ description: 'IP address of the request' })),
})

/** `nameOf` returns the names of existing users and keys. */
export const entryView = (
  entry: AuditTable,
  nameOf: (kind: string, id: number) => string | undefined,
): Static<typeof EntryView> => ({
  id: entry.n,
  at: isoSeconds(entry.at),
  actor: {
    kind: entry.actor_kind,
    id: entry.actor_id,
    name: entry.actor_id === null ? null : (nameOf(entry.actor_kind, entry.actor_id) ?? null),
  },
  action: entry.action,
  target: entry.target,
  details: entry.details === null ? null : JSON.parse(entry.details),
  address: entry.address,
})
