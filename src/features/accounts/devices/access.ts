import type { Caller } from '../../../http/caller.ts'
import type { Services } from '../../../services.ts'
import { maySeeAll, requireOwn } from '../credentials/roles.ts'
import { findUser, type User } from '../users/store.ts'

// Who may see and change the devices and the forwarding of a user.

export interface UserRequest {
  params: { id: number }
  caller: Caller
  services: Services
}

export async function loadUserToManageDevices({ params, caller, services }: UserRequest): Promise<User | undefined> {
  const user = await findUser(services.db, caller.companyId, params.id)
  if (user) requireOwn(caller, user.id)
  return user
}

export async function loadUserToReadDevices(request: UserRequest): Promise<User | undefined> {
  const { params, caller, services } = request
  return maySeeAll(caller) ? findUser(services.db, caller.companyId, params.id) : loadUserToManageDevices(request)
}
