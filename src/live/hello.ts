import { granular, isOpenForCalls } from '../domain/availability.ts'
import { findUser } from '../features/accounts/users/store.ts'
import { usableTrunks } from '../features/trunks/trunks/store.ts'
import { unixSeconds } from '../lib/time-format.ts'
import type { Services } from '../services.ts'
import { callsShown } from './call-views.ts'
import type { SocketRef } from './phone-sessions.ts'
import type { IceServer, ServerMessage } from './protocol.ts'

/** STUN and TURN servers with credentials for this user. */
export type IceServers = (userId: number) => IceServer[]

/** The first message to a phone app; undefined if the user does not exist. */
export async function helloFor(
  { db, clock, rules }: Services,
  { companyId, userId, session, isSupervision }: SocketRef,
  position: number,
  iceServers: IceServers | undefined,
): Promise<ServerMessage | undefined> {
  const user = await findUser(db, companyId, userId)
  if (!user) return undefined
  const presence = granular({ ...user, openForCalls: isOpenForCalls(user, clock.now()) })
  const calls = await callsShown(db, companyId, userId, { isSupervision })
  const now = unixSeconds(clock.now())
  const ice_servers = iceServers?.(userId) ?? []
  const trunks = (await usableTrunks(db, companyId)).filter(({ enabled }) => enabled)
  const voice = rules.sandbox && trunks.length === 0 ? 'simulated' : 'real'
  const emergency = !rules.refusesEmergency && trunks.some((trunk) => trunk.emergency)
  return { type: 'hello', session, user_id: userId, position, presence, now, calls, ice_servers, voice, emergency }
}
