import { Type } from 'typebox'
import type { CompanyId } from '../db/tables.ts'
import { findUser, type User } from '../features/accounts/users/store.ts'
import { UserRef } from '../http/schemas.ts'
import { day, second } from '../lib/clock.ts'
import type { Sandbox, Services } from '../services.ts'

// Shared by the sandbox routes.

export const sandboxTag = 'Sandbox'
const maxSeconds = day / second
export const seconds = (description: string) => Type.Number({ minimum: 0, maximum: maxSeconds, description })
export const rate = (description: string) => Type.Number({ minimum: 0, maximum: 1, description })
export const Seed = Type.Integer({ minimum: 0, maximum: 999_999_999 })

export const UserParams = Type.Object({ id: UserRef })
type Loading = { params: { id: number | string }; caller: { companyId: CompanyId }; services: Services }
export const loadUser = ({ params, caller, services }: Loading): Promise<User | undefined> =>
  findUser(services.db, caller.companyId, params.id)

export function sandboxOf({ sandbox }: Services): Sandbox {
  if (!sandbox) throw new Error('the routes of the sandbox are registered in sandbox mode only')
  return sandbox
}
