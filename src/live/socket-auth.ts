import type { IncomingHttpHeaders } from 'node:http'
import { noteSessionUsed } from '../features/accounts/credentials/store.ts'
import { findUser } from '../features/accounts/users/store.ts'
import { isWelcome } from '../features/integrations/events/store.ts'
import type { Caller } from '../http/caller.ts'
import { badRequest, forbidden, notFound, tooManyRequests, unprocessable } from '../http/errors.ts'
import { idFromText, isCleanText } from '../http/input.ts'
import { requireCompany } from '../http/route.ts'
import { randomId } from '../lib/secrets.ts'
import type { Services } from '../services.ts'
import type { SocketHub } from './hub.ts'
import type { SocketRef } from './phone-sessions.ts'
import { isRestricted } from './store.ts'

/** Headers and query of the request that opens a socket. */
export interface Handshake {
  headers: IncomingHttpHeaders
  query: Record<string, unknown>
}

export interface SocketIdentity extends SocketRef {
  after: number | undefined
  via: Caller['via']
}

const tokenFields = ['token', 'access_token', 'api_token']
const maxPerUser = 10

/** URLs end up in logs and browser histories, and other sites must not open sockets on behalf of their visitors. */
export function requireSafeAddress({ headers, query }: Handshake, ownOrigins: readonly string[]): void {
  if (tokenFields.some((field) => Object.hasOwn(query, field))) {
    throw forbidden('Never send a token in the address; use the Authorization header')
  }
  const { origin } = headers
  if (origin !== undefined && !ownOrigins.includes(origin)) {
    throw forbidden('This request did not come from our own pages')
  }
  if (headers.upgrade?.toLowerCase() === 'websocket') requireHandshake(headers)
}

/** RFC 6455 §4.2.1; the library's own refusal would not have our error format. */
function requireHandshake(headers: IncomingHttpHeaders): void {
  const key = headers['sec-websocket-key']
  if (headers['sec-websocket-version'] !== '13') throw badRequest('Sec-WebSocket-Version must be 13')
  if (!key || !/^[+/0-9A-Za-z]{22}==$/.test(key)) throw badRequest('Sec-WebSocket-Key must be 16 bytes in base64')
  const protocol = headers['sec-websocket-protocol']
  if (protocol !== undefined) throw badRequest('Sec-WebSocket-Protocol is not used here; leave it out')
}

export async function phoneIdentity(
  services: Services,
  hub: SocketHub,
  caller: Caller,
  handshake: Handshake,
): Promise<SocketIdentity> {
  const { companyId, via } = caller
  requireCompany(caller)
  if (via.kind === 'token' && (await isRestricted(services.db, companyId, via.id))) {
    throw forbidden('A token for some Numbers only opens no phone app, which sees all calls of its user')
  }
  const userId =
    via.kind === 'session' ? ownUserId(via.userId, handshake) : await requestedUserId(services, companyId, handshake)
  const session = sessionName(handshake)
  const others = hub.localPhones(companyId, userId).filter((phone) => phone.session !== session)
  if (others.length >= maxPerUser) {
    throw tooManyRequests(`A user has at most ${maxPerUser} phone apps open; close one first`, 10)
  }
  const isSupervision = supervises(handshake)
  return { companyId, userId, session, isSupervision, after: resumePosition(handshake), via }
}

/** Checked repeatedly while the socket is open: a key may be revoked, a session ended, a user deleted or deactivated. */
export async function isStillAuthorized(
  { db, clock }: Services,
  { companyId, userId, via }: SocketIdentity,
): Promise<boolean> {
  if (!(await isWelcome(db, companyId, via, clock.machineNow()))) return false
  return (await findUser(db, companyId, userId))?.active === true
}

/** Agents on the phone load no pages: activity in the phone app also keeps the session alive. */
export async function touchSession({ db, clock }: Services, { companyId, via }: SocketIdentity): Promise<void> {
  if (via.kind === 'session') await noteSessionUsed(db, companyId, via.session, clock.machineNow())
}

/** A session can only open the phone of its own user. */
function ownUserId(userId: number, { headers, query }: Handshake): number {
  const named = headers['x-user-id'] ?? query.user_id
  if (named !== undefined && named !== String(userId)) throw forbidden('A session opens the phone of its own user only')
  return userId
}

async function requestedUserId({ db }: Services, companyId: number, { headers, query }: Handshake): Promise<number> {
  const given = textOf(headers['x-user-id']) ?? textOf(query.user_id)
  if (!given) throw unprocessable('`user_id` is mandatory: the id or e-mail address of the user whose phone this is')
  const ref = idFromText(given) ?? (given.includes('@') && isCleanText(given) ? given : undefined)
  const user = ref === undefined ? undefined : await findUser(db, companyId, ref)
  if (!user?.active) throw notFound()
  return user.id
}

function sessionName({ query }: Handshake): string {
  if (query.session === undefined) return randomId()
  const name = textOf(query.session)
  if (name && /^[\w-]{1,64}$/.test(name)) return name
  throw badRequest('`session` must be 1 to 64 letters, digits, - or _')
}

/** A window that only supervises: its user does not become available, and no call rings there. */
function supervises({ query }: Handshake): boolean {
  const { supervision } = query
  if (supervision !== undefined && supervision !== '1') throw badRequest('`supervision` must be 1, or left out')
  return supervision === '1'
}

function resumePosition({ headers, query }: Handshake): number | undefined {
  const given = headers['last-event-id'] ?? query.after
  if (given === undefined) return undefined
  const position = textOf(given)
  if (position && /^\d{1,15}$/.test(position)) return Number(position)
  throw badRequest('`after` must be a position of the log')
}

const textOf = (value: unknown) => (typeof value === 'string' ? value : undefined)
