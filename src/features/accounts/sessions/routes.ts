import { type Static, Type } from 'typebox'
import { transaction } from '../../../db/database.ts'
import { browserName } from '../../../domain/browser-name.ts'
import { type Route, route } from '../../../http/route.ts'
import { nullable, Timestamp } from '../../../http/schemas.ts'
import { hashOf } from '../../../lib/secrets.ts'
import { isoSeconds } from '../../../lib/time-format.ts'
import { audit, userActor } from '../audit/record.ts'
import { anyRole, userIdOf } from '../credentials/roles.ts'
import { signedIn } from '../sign-in/signed-in.ts'
import { deleteSession, deleteSessionsOf } from '../sign-in/store.ts'
import { type OpenSession, openSessionsOf } from './store.ts'

// The sessions of the signed-in user. Those of other users are unknown here.

const tag = 'Sign-in'

const OpenSessionView = Type.Object({
  id: Type.String(),
  current: Type.Boolean({ description: 'The session of this request' }),
  browser: Type.String({ examples: ['Chrome on Windows'] }),
  address: nullable(Type.String({ description: 'IP address of the sign-in' })),
  signed_in_at: Timestamp,
  last_used_at: Type.String({ format: 'date-time', description: 'Stored every five minutes' }),
})

/** Part of the hash: it identifies the session and opens nothing. */
const publicId = ({ idHash }: OpenSession) => idHash.slice(0, 32)

const openSessionView = (session: OpenSession, currentHash: string): Static<typeof OpenSessionView> => ({
  id: publicId(session),
  current: session.idHash === currentHash,
  browser: browserName(session.userAgent),
  address: session.address,
  signed_in_at: isoSeconds(session.createdAt),
  last_used_at: isoSeconds(session.seenAt),
})

const listSessions = route({
  method: 'GET',
  path: '/v1/sessions',
  summary: 'List your sessions',
  tag,
  access: 'app',
  roles: anyRole,
  reply: { status: 200, body: Type.Object({ sessions: Type.Array(OpenSessionView) }) },
  async handle({ caller, services: { db, clock }, session, address }) {
    const { companyId, userId, sessionId } = signedIn({ caller, session, address })
    const sessions = await openSessionsOf(db, companyId, userId, clock.machineNow())
    return { sessions: sessions.map((one) => openSessionView(one, hashOf(sessionId))) }
  },
})

const endOthers = route({
  method: 'DELETE',
  path: '/v1/sessions/others',
  summary: 'Sign out of all other sessions',
  tag,
  access: 'app',
  roles: anyRole,
  reply: { status: 204 },
  async handle({ caller, services, session, address }) {
    const { companyId, userId, sessionId } = signedIn({ caller, session, address })
    await transaction(services.db, async (tx) => {
      await deleteSessionsOf(tx, companyId, userId, hashOf(sessionId))
      await audit(services, tx, companyId, { actor: userActor(userId), action: 'sign_out.others', address })
    })
    return {}
  },
})

const endSession = route({
  method: 'DELETE',
  path: '/v1/sessions/:session_id',
  summary: 'Sign out of one of your sessions',
  tag,
  access: 'app',
  roles: anyRole,
  params: Type.Object({
    session_id: Type.String({ pattern: '^[0-9a-f]{32}$', examples: ['0f8e7d6c5b4a39281706f5e4d3c2b1a0'] }),
  }),
  async load({ params, caller, services: { db, clock } }) {
    const userId = userIdOf(caller)
    const mine = userId === null ? [] : await openSessionsOf(db, caller.companyId, userId, clock.machineNow())
    return mine.find((one) => publicId(one) === params.session_id)
  },
  reply: { status: 204 },
  async handle({ loaded, caller, services, session, address }) {
    const { companyId, userId, sessionId } = signedIn({ caller, session, address })
    await transaction(services.db, async (tx) => {
      await deleteSession(tx, companyId, loaded.idHash)
      await audit(services, tx, companyId, { actor: userActor(userId), action: 'session.revoked', address })
    })
    if (loaded.idHash === hashOf(sessionId)) session.change(null)
    return {}
  },
})

export const sessionRoutes: Route[] = [listSessions, endOthers, endSession]
