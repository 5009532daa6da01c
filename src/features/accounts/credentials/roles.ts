import type { Role } from '../../../db/tables.ts'
import type { Caller } from '../../../http/caller.ts'
import { forbidden } from '../../../http/errors.ts'

// Who may what under /app. The doors check the role; what is left to look at here is whose thing it is.

export const anyRole = ['owner', 'admin', 'supervisor', 'agent'] as const satisfies readonly Role[]
export const admins = ['owner', 'admin'] as const satisfies readonly Role[]

/** The person; nobody for the company's own software. */
export const userIdOf = ({ via }: Caller) => (via.kind === 'session' ? via.userId : null)

const hasRole = ({ via }: Caller, ...roles: readonly Role[]) =>
  via.kind !== 'session' || via.roles.some((role) => roles.includes(role))

/** The company's software, owners and admins: nothing in the company is closed to them. */
export const mayChangeAll = (caller: Caller) => hasRole(caller, ...admins)

/** They, and supervisors: whoever reads the dashboard. */
export const maySeeAll = (caller: Caller) => hasRole(caller, ...admins, 'supervisor')

/** What belongs to one user: theirs, or an admin's to change. */
export function requireOwn(caller: Caller, userId: number): void {
  if (!mayChangeAll(caller) && userIdOf(caller) !== userId) throw forbidden('This is somebody else’s; ask an admin')
}
