import { type Tx, transaction } from '../../../db/database.ts'
import type { CompanyId } from '../../../db/tables.ts'
import { normaliseForSearch } from '../../../domain/phone-number.ts'
import { badRequest, notFound } from '../../../http/errors.ts'
import { enqueue } from '../../../jobs/queue.ts'
import { inBatches } from '../../../lib/in-batches.ts'
import type { Services } from '../../../services.ts'
import {
  addDone,
  type BulkChange,
  type BulkChangeRow,
  findBulkChange,
  insertBulkChange,
  markRow,
  markUndone,
  markWritten,
  moveBulkChange,
  nextRows,
  usersById,
} from '../../accounts/index.ts'
import { createContactIn, createContactsIn, removeContactsIn, replaceContactIn } from '../contacts/actions.ts'
import { type Contact, findContact, lockContact, lockContacts } from '../contacts/store.ts'
import type { NewContact } from '../contacts/write-store.ts'

// Imports, merges and deletions of several contacts. A change is complete or undone: a failure undoes what was written.

type ContactRow = BulkChangeRow<NewContact, Contact>
export type NewContactRow = Pick<ContactRow, 'objectId' | 'input'>

export const contactChanges = ['import', 'merge', 'delete'] as const

interface Started {
  kind: 'import' | 'delete'
  userId: number | null
  rows: readonly NewContactRow[]
}

/** A job writes the rows, a few per transaction, so that calls and requests are not delayed. */
export function startBulkChange(services: Services, companyId: CompanyId, started: Started): Promise<BulkChange> {
  return transaction(services.db, async (tx) => {
    const at = services.clock.now()
    const change = await insertBulkChange(tx, companyId, { ...started, at })
    await enqueue(tx, 'contact.bulk_change', { companyId, changeId: change.id }, at)
    return change
  })
}

export interface MergeChoice {
  into: Contact
  from: Contact
  /** Fields of which the other contact has the value to keep. */
  taken: readonly ('firstName' | 'lastName' | 'companyName' | 'information')[]
}

/** Two contacts become one; all numbers and addresses are kept. */
export async function mergeContacts(
  services: Services,
  companyId: CompanyId,
  userId: number | null,
  { into, from, taken }: MergeChoice,
): Promise<BulkChange> {
  if (into.id === from.id) throw badRequest('A contact cannot be merged with itself')
  const merged = combined(into, from)
  for (const field of taken) merged[field] = from[field]
  requireFewDetails(merged)
  const rows = [
    { objectId: into.id, input: merged },
    { objectId: from.id, input: null },
  ]
  return transaction(services.db, async (tx) => {
    const at = services.clock.now()
    const change = await insertBulkChange(tx, companyId, { kind: 'merge', userId, rows, at })
    for (const id of [into.id, from.id].sort((a, b) => a - b)) {
      if (!(await lockContact(tx, companyId, id))) throw notFound()
    }
    await writeSome(services, tx, companyId, change)
    return { ...change, state: 'done', done: rows.length }
  })
}

const maxDetails = 20

function requireFewDetails({ phones, emails }: NewContact): void {
  if (phones.length > maxDetails) throw badRequest(`Together they have more than ${maxDetails} phone numbers`)
  if (emails.length > maxDetails) throw badRequest(`Together they have more than ${maxDetails} email addresses`)
}

/** The fields of the first one, where it has any, and the details of both. */
function combined(first: NewContact, second: NewContact): NewContact {
  const unique = (details: NewContact['phones'], keyOf: (value: string) => string) =>
    [...new Map(details.toReversed().map(({ label, value }) => [keyOf(value), { label, value }])).values()].reverse()
  return {
    firstName: first.firstName ?? second.firstName,
    lastName: first.lastName ?? second.lastName,
    companyName: first.companyName ?? second.companyName,
    information: first.information ?? second.information,
    ownerId: first.ownerId ?? second.ownerId ?? null,
    phones: unique([...first.phones, ...second.phones], normaliseForSearch),
    emails: unique([...first.emails, ...second.emails], (value) => value.toLowerCase()),
  }
}

/** Starts to undo a complete change. */
export async function undoBulkChange(services: Services, companyId: CompanyId, id: number): Promise<BulkChange> {
  return transaction(services.db, async (tx) => {
    const moved = await moveBulkChange(tx, companyId, id, { from: 'done', to: 'undoing' })
    if (!moved) throw badRequest('Only a complete change can be undone, and only once')
    await enqueue(tx, 'contact.bulk_change', { companyId, changeId: id }, services.clock.now())
    const change = await findBulkChange(tx, companyId, id, contactChanges)
    if (!change) throw notFound()
    return change
  })
}

/** The job that writes the rows of a change, or undoes them. */
export function bulkChangeRunner(services: Services) {
  const { db, clock, log } = services
  return async ({ companyId, changeId }: { companyId: CompanyId; changeId: number }) => {
    const change = await findBulkChange(db, companyId, changeId, contactChanges)
    if (change?.state === 'running') {
      try {
        await inBatches(clock, () => transaction(db, (tx) => writeSome(services, tx, companyId, change)))
        return
      } catch (error) {
        log.warn({ event: 'contacts.bulk_change_failed', changeId, error }, 'bulk change of contacts failed')
        await moveBulkChange(db, companyId, changeId, { from: 'running', to: 'failed' })
      }
    }
    const left = await findBulkChange(db, companyId, changeId, contactChanges)
    if (left?.state === 'undoing' || left?.state === 'failed') {
      await inBatches(clock, () => transaction(db, (tx) => undoSome(services, tx, companyId, left)))
    }
  }
}

const rowsPerTransaction = 100

async function writeSome(services: Services, tx: Tx, companyId: CompanyId, change: BulkChange): Promise<number> {
  const rows = await nextRows<NewContact, Contact>(tx, companyId, change.id, { undo: false, limit: rowsPerTransaction })
  for (const some of runsOf(rows, kindOf)) {
    if (some.kind === 'create') await createRows(services, tx, companyId, change, some.rows)
    else if (some.kind === 'delete') await removeRows(services, tx, companyId, change, some.rows)
    else for (const row of some.rows) await writeRow(services, tx, companyId, change, row)
  }
  await addDone(tx, companyId, change.id, rows.length)
  const isEnd = rows.length < rowsPerTransaction
  if (isEnd) await moveBulkChange(tx, companyId, change.id, { from: 'running', to: 'done' })
  return isEnd ? 0 : rows.length
}

type RowKind = 'create' | 'delete' | 'update'

const kindOf = ({ objectId, input }: ContactRow): RowKind =>
  input === null ? 'delete' : objectId === null ? 'create' : 'update'

/** What undoes a row: its contact is created again, deleted, or gets its earlier values. */
const undoKindOf = ({ objectId, before }: ContactRow): RowKind =>
  objectId === null ? 'create' : before === null ? 'delete' : 'update'

/** Neighbours of one kind, in order. */
function runsOf(rows: readonly ContactRow[], kindOfRow: (row: ContactRow) => RowKind) {
  const runs: { kind: RowKind; rows: ContactRow[] }[] = []
  for (const row of rows) {
    const kind = kindOfRow(row)
    const last = runs.at(-1)
    if (last?.kind === kind) last.rows.push(row)
    else runs.push({ kind, rows: [row] })
  }
  return runs
}

/** Together: a statement per table and one for all events are several times faster than one contact after the other. */
async function createRows(
  services: Services,
  tx: Tx,
  companyId: CompanyId,
  { id }: BulkChange,
  rows: readonly ContactRow[],
): Promise<void> {
  const inputs = rows.flatMap(({ input }) => input ?? [])
  const contacts = await createContactsIn(services, tx, companyId, inputs)
  const written = rows.map(({ position }, i) => ({ position, objectId: contacts[i]?.id ?? 0, before: null }))
  // The time of the contacts: one that was changed later keeps that change.
  await markWritten(tx, companyId, id, { rows: written, writtenAt: contacts[0]?.updatedAt ?? services.clock.now() })
}

/** Contacts that were deleted meanwhile are left out: there is nothing to undo either. */
async function removeRows(
  services: Services,
  tx: Tx,
  companyId: CompanyId,
  { id }: BulkChange,
  rows: readonly ContactRow[],
): Promise<void> {
  const contacts = await lockContacts(tx, companyId, idsOf(rows))
  await removeContactsIn(services, tx, companyId, contacts)
  const byId = new Map(contacts.map((contact) => [contact.id, contact]))
  const written = rows.map(({ position, objectId }) => ({
    position,
    objectId: null,
    before: byId.get(objectId ?? 0) ?? null,
  }))
  await markWritten(tx, companyId, id, { rows: written, writtenAt: services.clock.now() })
}

const idsOf = (rows: readonly ContactRow[]) => rows.flatMap(({ objectId }) => objectId ?? [])

async function writeRow(
  services: Services,
  tx: Tx,
  companyId: CompanyId,
  { id, kind }: BulkChange,
  { position, objectId, input }: ContactRow,
): Promise<void> {
  if (input === null || objectId === null) throw new Error('only a contact with values is updated')
  const before = await lockedContact(tx, companyId, objectId)
  const target = before && kind === 'import' ? combined(input, before) : input
  const after = before
    ? await replaceContactIn(services, tx, companyId, before, withinLimits(target))
    : await createContactIn(services, tx, companyId, input)
  const marked = { position, objectId: after.id, before: before ?? null, writtenAt: services.clock.now() }
  await markRow(tx, companyId, id, marked)
}

const withinLimits = (contact: NewContact): NewContact => ({
  ...contact,
  phones: contact.phones.slice(0, maxDetails),
  emails: contact.emails.slice(0, maxDetails),
})

async function lockedContact(tx: Tx, companyId: CompanyId, id: number): Promise<Contact | undefined> {
  return (await lockContact(tx, companyId, id)) ? findContact(tx, companyId, id) : undefined
}

async function undoSome(services: Services, tx: Tx, companyId: CompanyId, change: BulkChange): Promise<number> {
  const rows = await nextRows<NewContact, Contact>(tx, companyId, change.id, { undo: true, limit: rowsPerTransaction })
  let undone = 0
  for (const { kind, rows: some } of runsOf(rows, undoKindOf)) {
    if (kind === 'create') undone += await restoreRows(services, tx, companyId, some)
    else if (kind === 'delete') undone += await takeBackRows(services, tx, companyId, some)
    else for (const row of some) if (await undoUpdate(services, tx, companyId, row)) undone++
  }
  await markUndone(tx, companyId, change.id, rows)
  await addDone(tx, companyId, change.id, -undone)
  const isEnd = rows.length < rowsPerTransaction
  if (isEnd) await moveBulkChange(tx, companyId, change.id, { from: 'undoing', to: 'undone' })
  return isEnd ? 0 : rows.length
}

/** As before the change, but without owners who were deleted since. */
async function withKnownOwners(tx: Tx, companyId: CompanyId, contacts: readonly Contact[]): Promise<NewContact[]> {
  const users = await usersById(tx, companyId, [...new Set(contacts.flatMap(({ ownerId }) => ownerId ?? []))])
  return contacts.map((contact) => ({
    ...combined(contact, contact),
    ownerId: users.has(contact.ownerId ?? 0) ? contact.ownerId : null,
  }))
}

/** Deleted contacts come back with new ids. */
async function restoreRows(services: Services, tx: Tx, companyId: CompanyId, rows: readonly ContactRow[]) {
  const deleted = rows.flatMap(({ before }) => before ?? [])
  const inputs = await withKnownOwners(tx, companyId, deleted)
  if (inputs.length > 0) await createContactsIn(services, tx, companyId, inputs)
  return rows.length
}

/** A contact that was changed later is kept. */
async function takeBackRows(services: Services, tx: Tx, companyId: CompanyId, rows: readonly ContactRow[]) {
  const writtenAt = new Map(rows.map((row) => [row.objectId, row.writtenAt]))
  const contacts = await lockContacts(tx, companyId, idsOf(rows))
  const unchanged = contacts.filter(({ id, updatedAt }) => writtenAt.get(id) === updatedAt)
  await removeContactsIn(services, tx, companyId, unchanged)
  return rows.length - (contacts.length - unchanged.length)
}

/** A contact that was changed later keeps that change. */
async function undoUpdate(services: Services, tx: Tx, companyId: CompanyId, row: ContactRow): Promise<boolean> {
  const { objectId, before, writtenAt } = row
  const contact = objectId === null ? undefined : await lockedContact(tx, companyId, objectId)
  if (!contact || !before || contact.updatedAt !== writtenAt) return false
  const [target] = await withKnownOwners(tx, companyId, [before])
  if (target) await replaceContactIn(services, tx, companyId, contact, target)
  return true
}
