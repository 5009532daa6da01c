// Web Push of the phone app: the browser subscribes while the user is signed in.
import { Type } from 'typebox'
import { transaction } from '../../../db/database.ts'
import { badRequest, forbidden } from '../../../http/errors.ts'
import { type Input, type Route, route } from '../../../http/route.ts'
import { text } from '../../../http/schemas.ts'
import { ulid } from '../../../lib/ulid.ts'
import { pushKeyProblem } from '../../../lib/web-push.ts'
import { anyRole } from '../credentials/roles.ts'
import { deletePushEndpoint, savePushSubscription, vapidKeys } from './store.ts'

const tag = 'Me'

const Endpoint = text(2_048, {
  description: 'URL of the push service, as given by the browser',
  examples: ['https://push.example.com/send/3kf9s'],
})

function signedIn({ caller }: Pick<Input<never, never, never, never>, 'caller'>) {
  const { companyId, via } = caller
  if (via.kind !== 'session') throw forbidden('Sign in first')
  return { companyId, userId: via.userId, sessionHash: via.session }
}

const getPushKey = route({
  method: 'GET',
  path: '/v1/me/push_key',
  summary: 'Retrieve the public key for Web Push',
  tag,
  access: 'app',
  roles: anyRole,
  reply: { status: 200, body: Type.Object({ public_key: Type.String({ description: 'VAPID key, base64url' }) }) },
  async handle({ services: { db, vault } }) {
    return { public_key: (await vapidKeys(db, vault)).publicKey }
  },
})

const putPushSubscription = route({
  method: 'PUT',
  path: '/v1/me/push_subscription',
  summary: 'Send notifications to this browser while the phone app is closed',
  description: 'Until the browser signs out or its session ends. The push service cannot read the notifications.',
  tag,
  access: 'app',
  roles: anyRole,
  body: Type.Object({
    endpoint: Endpoint,
    p256dh: text(100, { description: 'Public key of the browser, base64url' }),
    auth: text(40, { description: 'Authentication secret of the browser, base64url' }),
  }),
  errors: [{ status: 400, when: 'the endpoint is not a public https URL, or the keys are invalid' }],
  reply: { status: 204 },
  async handle({ body, caller, services }) {
    const { companyId, userId, sessionHash } = signedIn({ caller })
    const { db, vault, clock, outbound } = services
    const problem = outbound.urlProblem(body.endpoint)
    if (problem) throw badRequest(`\`endpoint\` ${problem}`)
    const keyProblem = pushKeyProblem(body)
    if (keyProblem) throw badRequest(keyProblem)
    const id = ulid(clock.machineNow())
    await transaction(db, (tx) =>
      savePushSubscription(tx, companyId, vault, { id, userId, sessionHash, ...body, at: clock.now() }),
    )
    return {}
  },
})

const deletePush = route({
  method: 'POST',
  path: '/v1/me/push_subscription/remove',
  summary: 'Stop notifications to this browser',
  tag,
  access: 'app',
  roles: anyRole,
  body: Type.Object({ endpoint: Endpoint }),
  reply: { status: 204 },
  async handle({ body, caller, services }) {
    const { companyId, userId } = signedIn({ caller })
    await deletePushEndpoint(services.db, companyId, userId, body.endpoint)
    return {}
  },
})

const declineRing = route({
  method: 'POST',
  path: '/v1/me/calls/decline',
  summary: 'Decline a call that rings',
  description: 'For the notification of a call, without the phone app.',
  tag,
  access: 'app',
  roles: anyRole,
  body: Type.Object({ key: text(64, { description: 'Key of the call, as in the notification' }) }),
  errors: [{ status: 400, when: 'the call does not ring on your phone' }],
  reply: { status: 204 },
  async handle({ body, caller, services }) {
    const { companyId, userId } = signedIn({ caller })
    const isOwn = (await services.calls.ofUser(companyId, userId)) === body.key
    const reply = isOwn ? await services.calls.send(body.key, { kind: 'decline', by: userId }) : undefined
    if (!reply?.ok) throw badRequest('The call no longer rings')
    return {}
  },
})

export const pushRoutes: Route[] = [getPushKey, putPushSubscription, deletePush, declineRing]
