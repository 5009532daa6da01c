import { transaction } from '../../../db/database.ts'
import { forgetDeleted } from '../../../db/dialect.ts'
import type { CompanyId } from '../../../db/tables.ts'
import { mentionedIds, redactedUser, tracesOf, withoutUser } from '../../../domain/redaction.ts'
import { eraseDeletionEvents, eraseFromEvents, keptUndeliveredMs, type Trace } from '../../../events/erasure.ts'
import { enqueue } from '../../../jobs/queue.ts'
import { minute } from '../../../lib/clock.ts'
import type { Services } from '../../../services.ts'
import { eraseDirectMessagesOf } from '../direct-messages/store.ts'
import { eraseUsers } from './store.ts'

// After a deletion, jobs erase the rows of users and their data in earlier events. user.deleted keeps its payload until
// it is delivered.

const keyOf = (userId: number) => `user:${userId}`
const idOf = (resourceKey: string) => Number(resourceKey.slice('user:'.length))

/** One search for one user; many are found in a single pass over all payloads. */
function traceOf(userIds: readonly number[]): Trace {
  const [only, ...others] = userIds
  const wanted = new Set(userIds)
  return {
    resourceKeys: userIds.map(keyOf),
    deletionEvents: ['user.deleted', 'user.deleted.v2'],
    holding: only !== undefined && others.length === 0 ? tracesOf({ kind: 'users', id: only }) : null,
    redacted: (data, resourceKey) => redactedUser(data, idOf(resourceKey)),
    without: (data) => withoutUsers(data, wanted),
  }
}

/** Undefined when none of them is mentioned. */
function withoutUsers(data: string, wanted: ReadonlySet<number>): string | undefined {
  let rest: string | undefined
  for (const id of mentionedIds(data, 'users', wanted)) rest = withoutUser(rest ?? data, id) ?? rest
  return rest
}

interface Erased {
  companyId: CompanyId
  userId?: number
  userIds?: number[]
}

const idsIn = ({ userId, userIds }: Erased) => userIds ?? (userId === undefined ? [] : [userId])

export function userEraser(services: Services) {
  return async (job: Erased) => {
    const { companyId } = job
    const userIds = idsIn(job)
    await eraseFromEvents(services, companyId, traceOf(userIds))
    await transaction(services.db, async (tx) => {
      const at = services.clock.now()
      await eraseUsers(tx, companyId, userIds)
      await eraseDirectMessagesOf(tx, companyId, userIds)
      await enqueue(tx, 'user.farewell', { companyId, userIds, until: at + keptUndeliveredMs }, at + minute)
    })
    await forgetDeleted(services.db)
  }
}

export function deletionEventEraser(services: Services) {
  return async ({ until = 0, ...job }: Erased & { until?: number }) => {
    const { companyId } = job
    const left = await eraseDeletionEvents(services, companyId, traceOf(idsIn(job)), until)
    if (!left) return
    await enqueue(services.db, 'user.farewell', { companyId, userIds: left.awaited.map(idOf), until }, left.next)
  }
}
