import { type Static, Type } from 'typebox'
import { transaction } from '../../../db/database.ts'
import { isE164 } from '../../../domain/phone-number.ts'
import { badRequest, unprocessable } from '../../../http/errors.ts'
import { route } from '../../../http/route.ts'
import { Id, nullable, oneOf, text } from '../../../http/schemas.ts'
import type { Services } from '../../../services.ts'
import { actorOf, audit } from '../audit/record.ts'
import { anyRole } from '../credentials/roles.ts'
import { disconnectUser } from '../presence/actions.ts'
import type { User } from '../users/store.ts'
import { loadUserToManageDevices, loadUserToReadDevices } from './access.ts'
import { type CallForwarding, deleteForwarding, findForwarding, saveForwarding } from './forwarding-store.ts'
import { connectMobile, mobileSession } from './presence.ts'

// Forwarding to a mobile number. While it is on, the user is reachable without phone app or device.

const tag = 'Devices'
const params = Type.Object({ id: Id })
const modes = ['off', 'offline', 'always'] as const

const ForwardingView = Type.Object({
  mode: oneOf(modes, {
    description: '`offline`: while no phone app is open and no device is registered; `always`: together with them',
  }),
  phone: nullable(Type.String({ description: 'E.164', examples: ['+14155550123'] })),
})
const OneForwarding = Type.Object({ call_forwarding: ForwardingView })

const forwardingView = (found: CallForwarding | undefined): Static<typeof ForwardingView> =>
  found ?? { mode: 'off', phone: null }

const getForwarding = route({
  method: 'GET',
  path: '/v1/users/:id/call_forwarding',
  summary: 'Retrieve the forwarding of a user’s calls to a mobile number',
  tag,
  access: 'app',
  roles: anyRole,
  params,
  load: loadUserToReadDevices,
  reply: { status: 200, body: OneForwarding },
  async handle({ loaded, caller, services }) {
    return { call_forwarding: forwardingView(await findForwarding(services.db, caller.companyId, loaded.id)) }
  },
})

const putForwarding = route({
  method: 'PUT',
  path: '/v1/users/:id/call_forwarding',
  summary: 'Forward the calls of a user to a mobile number, where the user presses 1 to accept them',
  tag,
  access: 'app',
  roles: anyRole,
  params,
  load: loadUserToManageDevices,
  edits: {
    object: 'call_forwarding',
    view: async ({ loaded, caller, services }) =>
      forwardingView(await findForwarding(services.db, caller.companyId, loaded.id)),
  },
  body: Type.Object({
    mode: oneOf(modes),
    phone: Type.Optional(nullable(text(16, { description: 'E.164', examples: ['+14155550123'] }))),
  }),
  errors: [
    { status: 400, when: 'phone is not in E.164' },
    { status: 422, when: 'the mode needs a phone' },
  ],
  reply: { status: 200, body: OneForwarding },
  async handle({ body, loaded, caller, services, address }) {
    const { companyId } = caller
    const { mode } = body
    const phone = body.phone ?? (await findForwarding(services.db, companyId, loaded.id))?.phone
    if (body.phone && !isE164(body.phone)) throw badRequest('`phone` must be E.164, such as +14155550123')
    if (mode !== 'off' && !phone) throw unprocessable('`phone` is missing')
    const forwarding = mode === 'off' || !phone ? undefined : { mode, phone }
    await transaction(services.db, async (tx) => {
      if (forwarding) await saveForwarding(tx, companyId, loaded.id, forwarding, services.clock.now())
      else await deleteForwarding(tx, companyId, loaded.id)
      await audit(services, tx, companyId, {
        actor: actorOf(caller),
        action: 'user.call_forwarding_changed',
        target: `user:${loaded.id}`,
        details: { mode },
        address,
      })
    })
    await changeSession(services, companyId, loaded, forwarding !== undefined)
    return { call_forwarding: forwardingView(forwarding) }
  },
})

/** A session of the user, like an open phone app; a deactivated user has none. */
async function changeSession(services: Services, companyId: number, user: User, isOn: boolean): Promise<void> {
  const { id: userId } = user
  if (!isOn) return void (await disconnectUser(services, companyId, userId, mobileSession(userId)))
  if (user.active) await connectMobile(services, companyId, userId)
}

export const forwardingRoutes = [getForwarding, putForwarding]
