import { Type } from 'typebox'
import { transaction } from '../../../db/database.ts'
import type { CompanyId } from '../../../db/tables.ts'
import { absenceDurations, absenceEndsAt } from '../../../domain/absence.ts'
import { availabilityStatuses, awayReasons } from '../../../domain/availability.ts'
import type { Caller } from '../../../http/caller.ts'
import { forbidden } from '../../../http/errors.ts'
import { type Route, route } from '../../../http/route.ts'
import { Id, oneOf } from '../../../http/schemas.ts'
import type { Services } from '../../../services.ts'
import { actorOf, audit, auditAlone } from '../audit/record.ts'
import { mayChangeAll } from '../credentials/roles.ts'
import { deleteSessionsOf } from '../sign-in/store.ts'
import { changeUser } from '../users/change.ts'
import { findUser, rolesOf } from '../users/store.ts'

// What supervisors do with agents on the live page.

const tag = 'Live'
const supervisors = ['owner', 'admin', 'supervisor'] as const

type Loading = { params: { id: number }; caller: { companyId: CompanyId }; services: Services }
const load = ({ params, caller, services }: Loading) => findUser(services.db, caller.companyId, params.id)

const putStatus = route({
  method: 'PUT',
  path: '/v1/users/:id/status',
  summary: 'Set the availability of an agent',
  description:
    '`substatus` is the reason for being unavailable, `duration` is when the agent becomes available again; both are ' +
    'used with `unavailable` only. A call in progress continues.',
  tag,
  access: 'app',
  roles: supervisors,
  params: Type.Object({ id: Id }),
  load,
  body: Type.Object({
    availability_status: oneOf(availabilityStatuses),
    substatus: Type.Optional(oneOf(awayReasons)),
    duration: Type.Optional(
      oneOf(absenceDurations, { description: '`until_tomorrow`: until 08:00 of the next day for the agent' }),
    ),
  }),
  reply: { status: 204 },
  async handle({ body, loaded, caller, services, address }) {
    const { companyId } = caller
    const { availability_status: status, substatus, duration } = body
    const isAway = status === 'unavailable'
    const until = isAway && duration ? absenceEndsAt(duration, loaded.timeZone, services.clock.now()) : null
    await changeUser(services, companyId, loaded.id, { status, reason: isAway ? substatus : undefined, until })
    await auditAlone(services, companyId, {
      actor: actorOf(caller),
      action: 'user.status_set',
      target: `user:${loaded.id}`,
      details: { status },
      address,
    })
    return {}
  },
})

const signOutUser = route({
  method: 'POST',
  path: '/v1/users/:id/sign_out',
  summary: 'Sign an agent out of all browsers',
  description:
    'The phone app of the agent closes and calls no longer ring there; a call in progress continues. Desk phones stay ' +
    'registered. Owners and admins are signed out by owners and admins only.',
  tag,
  access: 'app',
  roles: supervisors,
  params: Type.Object({ id: Id }),
  load,
  errors: [{ status: 403, when: 'a supervisor signs out an owner or admin' }],
  reply: { status: 204 },
  async handle({ loaded, caller, services, address }) {
    const { companyId } = caller
    await requireRank(services, caller, loaded.id)
    await transaction(services.db, async (tx) => {
      await deleteSessionsOf(tx, companyId, loaded.id)
      const entry = { actor: actorOf(caller), action: 'user.signed_out', target: `user:${loaded.id}`, address }
      await audit(services, tx, companyId, entry)
    })
    return {}
  },
})

async function requireRank({ db }: Services, caller: Caller, userId: number): Promise<void> {
  if (mayChangeAll(caller)) return
  const held = await rolesOf(db, caller.companyId, userId)
  if (held.includes('owner') || held.includes('admin'))
    throw forbidden('Only owners and admins sign out an owner or admin')
}

export const agentActionRoutes: Route[] = [putStatus, signOutUser]
