import { type Static, Type } from 'typebox'
import { availableFlag, isOpenForCalls, substatusOf } from '../../../domain/availability.ts'
import { nullable, oneOf, Timestamp } from '../../../http/schemas.ts'
import type { ViewContext } from '../../../http/view-context.ts'
import { isoSeconds } from '../../../lib/time-format.ts'
import type { User } from './store.ts'

// Users as they appear inside other objects.

export const NestedUser = Type.Object({
  id: Type.Integer(),
  direct_link: Type.String(),
  name: Type.String(),
  email: Type.String(),
  available: Type.Boolean({ description: 'Connected, and available or inside working hours' }),
  availability_status: oneOf(['available', 'custom', 'unavailable'], { description: 'custom: by working hours' }),
  substatus: Type.String({ description: 'always_open, always_closed, or the reason for being away' }),
  state: Type.String({ description: 'The same value as substatus' }),
  created_at: Timestamp,
  time_zone: Type.String(),
  language: Type.String(),
  wrap_up_time: Type.Integer({ description: 'Seconds after a call without a new one' }),
  extension: Type.String({ description: 'Three digits, counted up per company' }),
  default_number_id: nullable(Type.Integer()),
})

export function nestedUser(context: ViewContext, user: User, version: 'v1' | 'v2' = 'v1'): Static<typeof NestedUser> {
  const substatus = substatusOf(user.status, user.reason)
  return {
    id: user.id,
    direct_link: `${context.links.api}/${version}/users/${user.id}`,
    name: `${user.firstName} ${user.lastName}`,
    email: user.email,
    available: availableFlag({ ...user, openForCalls: isOpenForCalls(user, context.at) }),
    availability_status: user.status,
    substatus,
    state: substatus,
    created_at: isoSeconds(user.createdAt),
    time_zone: user.timeZone,
    language: user.language,
    wrap_up_time: user.wrapUpTime,
    extension: user.extension,
    default_number_id: user.defaultNumberId,
  }
}
