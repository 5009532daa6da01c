import { type Static, Type } from 'typebox'
import type { AuditTable } from '../../../db/tables.ts'
import { Json, nullable, oneOf, Timestamp } from '../../../http/schemas.ts'
import { isoSeconds } from '../../../lib/time-format.ts'

export const EntryView = Type.Object({
  id: Type.Integer({ description: 'Counted up in the company: none is missing' }),
  at: Timestamp,
  actor: Type.Object({
    kind: oneOf(['user', 'key', 'token', 'operator', 'unknown'], {
      description: 'key: an API key · token: an integration · operator: the command line · unknown: not signed in',
    }),
    id: nullable(Type.Integer()),
    name: nullable(Type.String({ description: 'As it is now; null when the user or key is gone' })),
  }),
  action: Type.String({ examples: ['sign_in'] }),
  target: nullable(Type.String({ description: 'What it was done to', examples: ['user:5'] })),
  details: Json,
  address: nullable(Type.String({ description: 'Where the request came from' })),
})

/** `nameOf` knows people and keys that are still there. */
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
