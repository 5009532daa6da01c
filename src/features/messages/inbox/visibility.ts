import type { Db } from '../../../db/database.ts'
import type { CompanyId } from '../../../db/tables.ts'
import type { Caller } from '../../../http/caller.ts'
import { linkedNumberIds, linkedUserIds, mayChangeAll, maySeeAll, userIdOf } from '../../accounts/index.ts'
import type { Conversation } from './conversations-store.ts'
import type { Visibility } from './store.ts'

// Agents see conversations of their Numbers and those assigned to them. Supervisors read all, admins change all.

export async function ownVisibility(db: Db, companyId: CompanyId, userId: number): Promise<Exclude<Visibility, 'all'>> {
  return { userId, numberIds: (await linkedNumberIds(db, companyId, [userId])).get(userId) ?? [] }
}

/** Conversations the caller may see; API keys of the company see all. */
export async function visibilityOf(db: Db, caller: Caller, onlyMine = false): Promise<Visibility> {
  const userId = userIdOf(caller)
  if (userId === null || (maySeeAll(caller) && !onlyMine)) return 'all'
  return ownVisibility(db, caller.companyId, userId)
}

const isWithin = (
  visibility: Visibility,
  { numberId, assignedUserId }: Pick<Conversation, 'numberId' | 'assignedUserId'>,
) => visibility === 'all' || visibility.numberIds.includes(numberId) || assignedUserId === visibility.userId

export interface Rights {
  maySee(conversation: Pick<Conversation, 'numberId' | 'assignedUserId'>): boolean
  mayWrite(conversation: Pick<Conversation, 'numberId' | 'assignedUserId'>): boolean
}

export async function rightsOf(db: Db, caller: Caller): Promise<Rights> {
  const userId = userIdOf(caller)
  if (userId === null || mayChangeAll(caller)) return { maySee: () => true, mayWrite: () => true }
  const own = await ownVisibility(db, caller.companyId, userId)
  const mayWrite: Rights['mayWrite'] = (conversation) => isWithin(own, conversation)
  return { maySee: maySeeAll(caller) ? () => true : mayWrite, mayWrite }
}

/** Users whose apps announce an inbound message. */
export async function usersToNotify(
  db: Db,
  companyId: CompanyId,
  { numberId, assignedUserId }: Pick<Conversation, 'numberId' | 'assignedUserId'>,
): Promise<ReadonlySet<number>> {
  const linked = (await linkedUserIds(db, companyId, [numberId])).get(numberId) ?? []
  return new Set(assignedUserId === null ? linked : [...linked, assignedUserId])
}
