import type { Tx } from '../../../db/database.ts'
import { cancelJob, enqueue } from '../../../jobs/queue.ts'
import type { UserInput } from './change.ts'
import type { User, UserChange } from './store.ts'

// Do not disturb with an end: the server ends it, whether or not the phone app is open.

/** A new status has no end, unless one is given; a client that repeats the present status changes nothing. */
export function endOfAbsence(before: User, { status, until }: UserInput): UserChange {
  if (status === before.status && until === undefined) return {}
  if (status !== 'unavailable' || typeof until !== 'number') return { unavailable_until: null, resume_status: null }
  const resume = before.status === 'unavailable' ? (before.resumeStatus ?? 'available') : before.status
  return { unavailable_until: until, resume_status: resume }
}

export async function scheduleEndOfAbsence(tx: Tx, { id, companyId, unavailableUntil: until }: User): Promise<void> {
  const key = `user-absence:${id}`
  if (until === null) return cancelJob(tx, key)
  await enqueue(tx, 'user.absence_end', { companyId, userId: id, until }, until, key)
}
