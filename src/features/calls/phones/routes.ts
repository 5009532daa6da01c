// Requests of an integration to a user's phone. The user must be available, with the phone app open.
import { Type } from 'typebox'
import { afterCommit } from '../../../db/database.ts'
import { granular, isOpenForCalls } from '../../../domain/availability.ts'
import type { Caller } from '../../../http/caller.ts'
import { ApiError } from '../../../http/errors.ts'
import { route } from '../../../http/route.ts'
import { Id, UserRef } from '../../../http/schemas.ts'
import type { Services } from '../../../services.ts'
import { anyRole, findUser, requireOwn, type User } from '../../accounts/index.ts'
import { mustBeDiallable, mustBeLinked } from '../../trunks/index.ts'
import { refusal } from '../calls/change.ts'

const tag = 'Users'
const Params = Type.Object({ id: UserRef })
type Loading = { params: { id: number | string }; caller: Caller; services: Services }

/** Users start their own calls; admins, API keys and integrations those of any user. */
async function load({ params, caller, services }: Loading): Promise<User | undefined> {
  const user = await findUser(services.db, caller.companyId, params.id)
  if (user) requireOwn(caller, user.id)
  return user
}

const To = Type.String({ maxLength: 64, description: 'E.164', examples: ['+33123456789'] })
const unavailable = () => new ApiError(405, 'The user is currently unavailable', { allow: 'POST' })

const errors = [
  { status: 400 as const, when: 'the number to dial is not E.164' },
  { status: 405 as const, when: 'the user is not available, or is on a call' },
]

const startCall = route({
  method: 'POST',
  path: '/v1/users/:id/calls',
  summary: 'Start an outbound call for a user',
  description: 'The call starts immediately in the phone app session that was active last. Emits call.created.',
  tag,
  roles: anyRole,
  params: Params,
  load,
  body: Type.Object({ number_id: Id, to: To }),
  errors: [
    { status: 400, when: 'the Number is unknown, not validated or not linked to the user' },
    ...errors,
    { status: 403, when: 'the outbound calling rules do not allow the number' },
  ],
  reply: { status: 204 },
  changesOutside: true,
  async handle({ loaded: user, body, caller: { companyId }, services, claim }) {
    await mustBeLinked(services, companyId, user.id, body.number_id)
    mustBeDiallable(body.to)
    mustBeFree(services, user)
    const started = await services.calls.start(companyId, {
      userId: user.id,
      numberId: body.number_id,
      to: body.to,
      origin: 'api',
      ...(claim && { claim }),
    })
    if (started.ok) return {}
    // Another call was faster, or the outbound calling rules do not allow the call.
    throw started.refused === 'state' || started.refused === 'gone' ? unavailable() : refusal(started)
  },
})

const dial = route({
  method: 'POST',
  path: '/v1/users/:id/dial',
  summary: 'Fill in the dialpad of a user',
  description: 'Nothing is dialed: the user selects the Number and starts the call. Emits no event.',
  tag,
  roles: anyRole,
  params: Params,
  load,
  body: Type.Object({ to: To }),
  errors,
  reply: { status: 204 },
  async handle({ loaded: user, body, caller: { companyId }, services }) {
    mustBeDiallable(body.to)
    mustBeFree(services, user)
    afterCommit(services.db, () => services.liveHub.send(companyId, user.id, { kind: 'dial', to: body.to }, 'latest'))
    return {}
  },
})

function mustBeFree({ clock }: Services, user: User): void {
  const now = granular({ ...user, openForCalls: isOpenForCalls(user, clock.now()) })
  if (now !== 'available') throw unavailable()
}

export const phoneRoutes = [startCall, dial]
