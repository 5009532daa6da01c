import type { Db } from '../db/database.ts'
import type { CompanyId } from '../db/tables.ts'
import { callsById } from '../features/calls/calls/store.ts'
import type { CallAtPhone } from './protocol.ts'

/** Calls the user is on, then those that ring on the user's phone. */
export async function callsAt(db: Db, companyId: CompanyId, userId: number): Promise<CallAtPhone[]> {
  const on = await keysOf(db, companyId, userId, 'live_party')
  const rings = await keysOf(db, companyId, userId, 'ring_reservation')
  if (on.length + rings.length === 0) return []
  const rows = await db
    .selectFrom('live_call')
    .select(['key', 'call_id'])
    .where('company_id', '=', companyId)
    .where('key', 'in', [...on, ...rings])
    .execute()
  const ids = new Map(rows.map(({ key, call_id }) => [key, call_id]))
  const calls = await callsById(
    db,
    companyId,
    rows.flatMap(({ call_id }) => call_id ?? []),
  )
  const shown = (state: CallAtPhone['state']) => (key: string) => {
    const call_id = ids.get(key) ?? null
    const call = call_id === null ? undefined : calls.get(call_id)
    const { direction = null, external = null, numberId: number_id = null } = call ?? {}
    return { key, call_id, state, direction, external, number_id }
  }
  return [...on.map(shown('on_call')), ...rings.map(shown('ringing'))]
}

async function keysOf(db: Db, companyId: CompanyId, userId: number, table: 'live_party' | 'ring_reservation') {
  const rows = await db
    .selectFrom(table)
    .select('key')
    .where('company_id', '=', companyId)
    .where('user_id', '=', userId)
    .orderBy('key')
    .execute()
  return rows.map(({ key }) => key)
}

/** Saved states of active calls by key. */
export async function savedCallStates(
  db: Db,
  companyId: CompanyId,
  keys: readonly string[],
): Promise<Map<string, string>> {
  const rows = await db
    .selectFrom('live_call')
    .select(['key', 'state'])
    .where('company_id', '=', companyId)
    .where('key', 'in', [...keys])
    .execute()
  return new Map(rows.map(({ key, state }) => [key, state]))
}

/** The callback request that rings, if any. */
export async function callbackAt(
  db: Db,
  companyId: CompanyId,
  key: string,
): Promise<{ phone: string; number_id: number; entered_at: number } | undefined> {
  return db
    .selectFrom('callback_request')
    .select(['phone', 'number_id', 'entered_at'])
    .where('company_id', '=', companyId)
    .where('id', '=', key)
    .executeTakeFirst()
}

export interface SocketSession {
  name: string
  kind: 'socket' | 'supervision'
  owner: string
  activeAt: number
}

const socketKinds = ['socket', 'supervision'] as const

/** Phone apps and supervision windows of a user in all processes. */
export async function phoneSessions(db: Db, companyId: CompanyId, userId: number): Promise<SocketSession[]> {
  const rows = await db
    .selectFrom('phone_session')
    .select(['name', 'kind', 'owner', 'active_at'])
    .where('company_id', '=', companyId)
    .where('user_id', '=', userId)
    .where('kind', 'in', socketKinds)
    .execute()
  return rows.map(({ name, kind, owner, active_at }) => ({
    name,
    kind: kind === 'supervision' ? kind : 'socket',
    owner,
    activeAt: active_at,
  }))
}

/** Moves a session to the process it has reconnected to. False when the previous owner has changed. */
export async function takeSession(
  db: Db,
  companyId: CompanyId,
  userId: number,
  name: string,
  from: string,
  to: string,
): Promise<boolean> {
  const row = await db
    .updateTable('phone_session')
    .set({ owner: to })
    .where('company_id', '=', companyId)
    .where('user_id', '=', userId)
    .where('name', '=', name)
    .where('kind', 'in', socketKinds)
    .where('owner', '=', from)
    .returning('id')
    .executeTakeFirst()
  return row !== undefined
}

export async function markActive(
  db: Db,
  companyId: CompanyId,
  userId: number,
  name: string,
  at: number,
): Promise<void> {
  await db
    .updateTable('phone_session')
    .set({ active_at: at })
    .where('company_id', '=', companyId)
    .where('user_id', '=', userId)
    .where('name', '=', name)
    .where('kind', 'in', socketKinds)
    .execute()
}

export interface StoredMessage {
  id: string
  /** The recipient process. */
  owner: string
  content: string
  /** Messages to one process are read in this order. */
  at: number
}

const relayKey = 'live'

/** Shares the table of the engine's commands; the owner names are used by this folder only. */
export async function insertRelayedMessage(
  db: Db,
  companyId: CompanyId,
  { id, owner, content, at }: StoredMessage,
): Promise<void> {
  await db
    .insertInto('call_command')
    .values({ id, company_id: companyId, owner, key: relayKey, command: content, answer: null, created_at: at })
    .execute()
}

/** Removes and returns all messages to the process, of all companies. */
export async function takeRelayedMessages(db: Db, owner: string): Promise<{ companyId: CompanyId; content: string }[]> {
  const rows = await db
    .deleteFrom('call_command')
    .where('owner', '=', owner)
    .returning(['company_id', 'command', 'created_at'])
    .execute()
  return rows
    .sort((a, b) => a.created_at - b.created_at)
    .map(({ company_id, command }) => ({ companyId: company_id, content: command }))
}

/** Messages to processes that have ended. */
export async function deleteRelayedMessages(db: Db, before: number): Promise<void> {
  await db.deleteFrom('call_command').where('key', '=', relayKey).where('created_at', '<', before).execute()
}

/** An integration restricted to some Numbers. */
export async function isRestricted(db: Db, companyId: CompanyId, tokenId: number): Promise<boolean> {
  const row = await db
    .selectFrom('oauth_token')
    .select('restricted')
    .where('company_id', '=', companyId)
    .where('id', '=', tokenId)
    .executeTakeFirst()
  return row?.restricted === 1
}
