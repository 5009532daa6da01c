import { type Tx, transaction } from '../../../db/database.ts'
import type { CompanyId } from '../../../db/tables.ts'
import { badRequest, notFound } from '../../../http/errors.ts'
import { enqueue } from '../../../jobs/queue.ts'
import { inBatches } from '../../../lib/in-batches.ts'
import type { Services } from '../../../services.ts'
import {
  addDone,
  type BulkChange,
  findBulkChange,
  findNumber,
  insertBulkChange,
  insertUsers,
  lockUsers,
  markUndone,
  markWritten,
  moveBulkChange,
  newInvitation,
  nextRows,
  removeUsersIn,
  rolesOfUsers,
  sendInvitation,
  usersById,
  writtenRows,
} from '../../accounts/index.ts'
import { publish } from '../../publishing/index.ts'
import { changeLinkedUsers } from '../numbers/actions.ts'
import type { UserToImport } from './check-rows.ts'

// An import of users is complete or undone: a job writes the rows, links the Numbers, and only then sends invitations.

export const userImports = ['user_import'] as const

interface ImportRow extends UserToImport {
  /** An email with a link is sent when all rows are written. */
  invite: boolean
}

export function startUserImport(
  services: Services,
  companyId: CompanyId,
  { userId, users, invite }: { userId: number | null; users: readonly UserToImport[]; invite: boolean },
): Promise<BulkChange> {
  return transaction(services.db, async (tx) => {
    const at = services.clock.now()
    const rows = users.map((user) => ({ objectId: null, input: { ...user, invite } }))
    const change = await insertBulkChange(tx, companyId, { kind: 'user_import', userId, rows, at })
    await enqueue(tx, 'user.import', { companyId, changeId: change.id }, at)
    return change
  })
}

/** Starts to undo a complete import. */
export async function undoUserImport(services: Services, companyId: CompanyId, id: number): Promise<BulkChange> {
  return transaction(services.db, async (tx) => {
    const moved = await moveBulkChange(tx, companyId, id, { from: 'done', to: 'undoing' })
    if (!moved) throw badRequest('Only a complete import can be undone, and only once')
    await enqueue(tx, 'user.import', { companyId, changeId: id }, services.clock.now())
    const change = await findBulkChange(tx, companyId, id, userImports)
    if (!change) throw notFound()
    return change
  })
}

interface Job {
  companyId: CompanyId
  changeId: number
}

/** The job that writes the rows of an import, or undoes them. */
export function userImporter(services: Services) {
  const { db, clock, log } = services
  return async (job: Job) => {
    const { companyId, changeId } = job
    const change = await findBulkChange(db, companyId, changeId, userImports)
    if (change?.state === 'running') {
      try {
        await inBatches(clock, () => transaction(db, (tx) => writeSome(services, tx, job)))
        await changeNumbers(services, job, 'add')
        await complete(services, job)
        return
      } catch (error) {
        log.warn({ event: 'users.import_failed', changeId, error }, 'import of users failed')
        await moveBulkChange(db, companyId, changeId, { from: 'running', to: 'failed' })
      }
    }
    const left = await findBulkChange(db, companyId, changeId, userImports)
    if (left?.state !== 'undoing' && left?.state !== 'failed') return
    await changeNumbers(services, job, 'remove')
    await inBatches(clock, () => transaction(db, (tx) => undoSome(services, tx, job)))
  }
}

const rowsPerTransaction = 100

async function writeSome(services: Services, tx: Tx, { companyId, changeId }: Job): Promise<number> {
  const rows = await nextRows<ImportRow, never>(tx, companyId, changeId, { undo: false, limit: rowsPerTransaction })
  if (rows.length === 0) return 0
  const at = services.clock.now()
  const users = rows.flatMap(({ input }) => input ?? [])
  const ids = await insertUsers(
    tx,
    companyId,
    users.map(({ roles, wrapUpTime, ...user }) => ({
      ...user,
      roles,
      wrapUpTime: roles.includes('agent') ? wrapUpTime : 0,
      status: 'available',
      language: 'en-US',
      timeZone: 'Etc/UTC',
      confirmedAt: null,
    })),
    at,
  )
  const created = await usersById(tx, companyId, ids)
  const facts = ids.flatMap((id) => {
    const user = created.get(id)
    return user ? [{ kind: 'user', event: 'created', user } as const] : []
  })
  await publish(services, tx, companyId, facts)
  const written = rows.map(({ position }, i) => ({ position, objectId: ids[i] ?? 0, before: null }))
  await markWritten(tx, companyId, changeId, { rows: written, writtenAt: at })
  await addDone(tx, companyId, changeId, rows.length)
  return rows.length
}

/** One change per Number, so that its flow has one new version. Numbers that were deleted meanwhile are left out. */
async function changeNumbers(services: Services, job: Job, way: 'add' | 'remove'): Promise<void> {
  const { companyId } = job
  const usersOf = new Map<number, number[]>()
  for await (const { objectId, input } of allWritten(services, job)) {
    for (const id of input.numberIds) {
      const ids = usersOf.get(id)
      if (ids) ids.push(objectId)
      else usersOf.set(id, [objectId])
    }
  }
  for (const [numberId, ids] of usersOf) {
    if (!(await findNumber(services.db, companyId, numberId))) continue
    const users = await usersById(services.db, companyId, ids)
    const changed = ids.filter((id) => users.get(id)?.confirmed === false)
    const change = way === 'add' ? { add: changed, remove: [] } : { add: [], remove: changed }
    await changeLinkedUsers(services, companyId, numberId, change)
  }
}

async function* allWritten({ db }: Services, { companyId, changeId }: Job) {
  for (let after = -1; ; ) {
    const rows = await writtenRows<ImportRow>(db, companyId, changeId, { after, limit: 500 })
    yield* rows
    const last = rows.at(-1)
    if (!last) return
    after = last.position
  }
}

async function complete({ db, clock }: Services, { companyId, changeId }: Job): Promise<void> {
  await transaction(db, async (tx) => {
    if (!(await moveBulkChange(tx, companyId, changeId, { from: 'running', to: 'done' }))) return
    await enqueue(tx, 'user.import_invitations', { companyId, changeId, after: -1 }, clock.now())
  })
}

/** The job that sends the invitations, some per transaction. An undo meanwhile ends it. */
export function importInviter(services: Services) {
  const { db, clock } = services
  return async ({ companyId, changeId, after }: Job & { after: number }) => {
    const change = await findBulkChange(db, companyId, changeId, userImports)
    if (change?.state !== 'done') return
    await transaction(db, async (tx) => {
      const rows = await writtenRows<ImportRow>(tx, companyId, changeId, { after, limit: rowsPerTransaction })
      const invited = rows.filter(({ input }) => input.invite).map(({ objectId }) => objectId)
      for (const user of (await usersById(tx, companyId, invited)).values())
        if (!user.confirmed) await sendInvitation(services, tx, companyId, user)
      const last = rows.at(-1)
      if (!last) return
      const next = { companyId, changeId, after: last.position }
      await enqueue(tx, 'user.import_invitations', next, clock.now())
    })
  }
}

/** Users who have accepted the invitation are kept. */
async function undoSome(services: Services, tx: Tx, { companyId, changeId }: Job): Promise<number> {
  const rows = await nextRows<ImportRow, never>(tx, companyId, changeId, { undo: true, limit: rowsPerTransaction })
  const users = await lockUsers(
    tx,
    companyId,
    rows.flatMap(({ objectId }) => objectId ?? []),
  )
  const invited = users.filter(({ confirmed }) => !confirmed)
  await removeUsersIn(services, tx, companyId, invited)
  await markUndone(tx, companyId, changeId, rows)
  await addDone(tx, companyId, changeId, -(rows.length - (users.length - invited.length)))
  const isEnd = rows.length < rowsPerTransaction
  if (isEnd) await moveBulkChange(tx, companyId, changeId, { from: 'undoing', to: 'undone' })
  return isEnd ? 0 : rows.length
}

const linksAtOnce = 200

/** Links to pass on, for users of an import who have not accepted the invitation. */
export function linksOfImport(
  services: Services,
  companyId: CompanyId,
  changeId: number,
  { after, withOwners }: { after: number; withOwners: boolean },
) {
  return transaction(services.db, async (tx) => {
    const rows = await writtenRows<ImportRow>(tx, companyId, changeId, { after, limit: linksAtOnce })
    const ids = rows.map(({ objectId }) => objectId)
    const users = await usersById(tx, companyId, ids)
    const roles = await rolesOfUsers(tx, companyId, ids)
    const links: { email: string; name: string; link: string }[] = []
    for (const id of ids) {
      const user = users.get(id)
      if (!user || user.confirmed || (!withOwners && roles.get(id)?.includes('owner'))) continue
      const { link } = await newInvitation(services, tx, companyId, id)
      links.push({ email: user.email, name: `${user.firstName} ${user.lastName}`, link })
    }
    return { links, next: rows.length < linksAtOnce ? null : (rows.at(-1)?.position ?? null) }
  })
}
