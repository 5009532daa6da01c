import type { Role } from '../../../db/tables.ts'
import type { Caller } from '../../../http/caller.ts'
import { forbidden } from '../../../http/errors.ts'

// Permissions under /app. The credential check verifies the role; the functions here verify ownership.

export const anyRole = ['owner', 'admin', 'supervisor', 'agent'] as const satisfies readonly Role[]
export const admins = ['owner', 'admin'] as const satisfies readonly Role[]

/** The signed-in user; null for API keys and integrations. */
export const userIdOf = ({ via }: Caller) => (via.kind === 'session' ? via.userId : null)

const hasRole = ({ via }: Caller, ...roles: readonly Role[]) =>
  via.kind !== 'session' || via.roles.some((role) => roles.includes(role))

/** API keys, integrations, owners and admins may change everything in the company. */
export const mayChangeAll = (caller: Caller) => hasRole(caller, ...admins)

/** The same, and supervisors: they may read everything. */
export const maySeeAll = (caller: Caller) => hasRole(caller, ...admins, 'supervisor')

/** For objects of one user: the user or an admin may change them. */
export function requireOwn(caller: Caller, userId: number): void {
  if (!mayChangeAll(caller) && userIdOf(caller) !== userId)
    throw forbidden('This belongs to another user; ask an admin')
}
