import { type Static, Type } from 'typebox'
import { availabilityStatuses } from '../../../domain/availability.ts'
import { isEmail } from '../../../domain/email.ts'
import type { Caller } from '../../../http/caller.ts'
import { unprocessable } from '../../../http/errors.ts'
import { readInner } from '../../../http/request-input.ts'
import { Json, nameText, oneOf, text } from '../../../http/schemas.ts'
import type { Services } from '../../../services.ts'
import { actorOf } from '../audit/record.ts'
import { addDeactivatedUser, type Invitation, inviteUser } from './actions.ts'
import type { User } from './store.ts'

// What a request says about a new user.

export const RoleIds = Type.Array(oneOf(['owner', 'supervisor', 'admin', 'agent']), {
  minItems: 1,
  maxItems: 20,
  description: 'Defaults to agent',
})
export const maxUserNameLength = 255
export const UserName = nameText(maxUserNameLength)
export const WrapUpTime = Type.Integer({
  minimum: 0,
  maximum: 2_147_483_647,
  description: 'Seconds; for users with role agent',
})
export const InvitedStatus = oneOf(availabilityStatuses, { description: 'Defaults to available' })

export const InvitedUser = Type.Object({
  email: text(254, { description: 'Unique in the company, case-insensitive' }),
  first_name: UserName,
  last_name: UserName,
  availability_status: Type.Optional(InvitedStatus),
  role_ids: Type.Optional(RoleIds),
  wrap_up_time: Type.Optional(WrapUpTime),
  inviter_user_id: Type.Optional(Json),
})

export interface NewUserRequest {
  body: Static<typeof InvitedUser>
  caller: Caller
  services: Services
  /** IP address of the client. */
  address: string
}

function invitationIn(body: NewUserRequest['body']): Invitation {
  if (!isEmail(body.email)) throw unprocessable('`email` must be a valid email address')
  return {
    email: body.email,
    firstName: body.first_name,
    lastName: body.last_name,
    status: body.availability_status ?? 'available',
    roles: body.role_ids ?? ['agent'],
    wrapUpTime: body.wrap_up_time ?? 0,
  }
}

export async function invite({ body, caller, services, address }: NewUserRequest) {
  const by = { actor: actorOf(caller), address }
  const { user } = await inviteUser(services, caller.companyId, invitationIn(body), by)
  return user
}

/** As an invitation, of which nothing is sent: the configuration of another company can contain deactivated users. */
export function createDeactivatedUser(
  fields: Record<string, unknown>,
  as: Omit<NewUserRequest, 'body'>,
): Promise<User> {
  const { body } = readInner({ body: InvitedUser, unprocessable: ['email'] }, {}, fields)
  const by = { actor: actorOf(as.caller), address: as.address }
  return addDeactivatedUser(as.services, as.caller.companyId, invitationIn(body as NewUserRequest['body']), by)
}
