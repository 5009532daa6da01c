import { type Tx, transaction } from '../../../db/database.ts'
import type { CompanyId } from '../../../db/tables.ts'
import { normaliseForSearch } from '../../../domain/phone-number.ts'
import { badRequest, notFound } from '../../../http/errors.ts'
import { enqueue } from '../../../jobs/queue.ts'
import { inBatches } from '../../../lib/in-batches.ts'
import type { Services } from '../../../services.ts'
import { createContactIn, createContactsIn, removeContactIn, replaceContactIn } from '../contacts/actions.ts'
import { type Contact, findContact, lockContact } from '../contacts/store.ts'
import type { NewContact } from '../contacts/write-store.ts'
import {
  addDone,
  type BulkChange,
  type BulkChangeRow,
  findBulkChange,
  insertBulkChange,
  markCreated,
  markRow,
  moveBulkChange,
  type NewRow,
  nextRows,
} from './store.ts'

// Imports, merges and deletions of several contacts. A change is complete or undone: a failure undoes what was written.

interface Started {
  kind: 'import' | 'delete'
  userId: number | null
  rows: readonly NewRow[]
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
    { contactId: into.id, input: merged },
    { contactId: from.id, input: null },
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
    const change = await findBulkChange(tx, companyId, id)
    if (!change) throw notFound()
    return change
  })
}

/** The job that writes the rows of a change, or undoes them. */
export function bulkChangeRunner(services: Services) {
  const { db, clock, log } = services
  return async ({ companyId, changeId }: { companyId: CompanyId; changeId: number }) => {
    const change = await findBulkChange(db, companyId, changeId)
    if (change?.state === 'running') {
      try {
        await inBatches(clock, () => transaction(db, (tx) => writeSome(services, tx, companyId, change)))
        return
      } catch (error) {
        log.warn({ event: 'contacts.bulk_change_failed', changeId, error }, 'bulk change of contacts failed')
        await moveBulkChange(db, companyId, changeId, { from: 'running', to: 'failed' })
      }
    }
    const left = await findBulkChange(db, companyId, changeId)
    if (left?.state === 'undoing' || left?.state === 'failed') {
      await inBatches(clock, () => transaction(db, (tx) => undoSome(services, tx, companyId, left)))
    }
  }
}

const rowsPerTransaction = 100

async function writeSome(services: Services, tx: Tx, companyId: CompanyId, change: BulkChange): Promise<number> {
  const rows = await nextRows(tx, companyId, change.id, { undo: false, limit: rowsPerTransaction })
  for (let i = 0; i < rows.length; ) {
    const fresh = newFrom(rows, i)
    if (fresh.length > 0) await createRows(services, tx, companyId, change, fresh)
    const row = fresh.length === 0 ? rows[i] : undefined
    if (row) {
      const { contactId, before } = await writeRow(services, tx, companyId, change, row)
      const writtenAt = services.clock.now()
      await markRow(tx, companyId, change.id, { position: row.position, contactId, before, writtenAt })
    }
    i += Math.max(1, fresh.length)
  }
  await addDone(tx, companyId, change.id, rows.length)
  const isEnd = rows.length < rowsPerTransaction
  if (isEnd) await moveBulkChange(tx, companyId, change.id, { from: 'running', to: 'done' })
  return isEnd ? 0 : rows.length
}

type FreshRow = BulkChangeRow & { input: NewContact }

/** The rows from a position on that create contacts, up to the first other row. */
function newFrom(rows: readonly BulkChangeRow[], from: number): FreshRow[] {
  const isFresh = (row: BulkChangeRow): row is FreshRow => row.contactId === null && row.input !== null
  const end = rows.findIndex((row, i) => i >= from && !isFresh(row))
  return rows.slice(from, end < 0 ? rows.length : end).filter(isFresh)
}

/** Together: a statement per table and one for all events are several times faster than one contact after the other. */
async function createRows(
  services: Services,
  tx: Tx,
  companyId: CompanyId,
  { id }: BulkChange,
  rows: readonly FreshRow[],
): Promise<void> {
  const contacts = await createContactsIn(
    services,
    tx,
    companyId,
    rows.map(({ input }) => input),
  )
  const created = rows.map(({ position }, i) => ({ position, contactId: contacts[i]?.id ?? 0 }))
  // The time of the contacts: one that was changed later keeps that change.
  await markCreated(tx, companyId, id, { created, writtenAt: contacts[0]?.updatedAt ?? services.clock.now() })
}

type Written = Pick<BulkChangeRow, 'contactId' | 'before'>

async function writeRow(
  services: Services,
  tx: Tx,
  companyId: CompanyId,
  { kind }: BulkChange,
  { contactId, input }: BulkChangeRow,
): Promise<Written> {
  const before = contactId === null ? undefined : await lockedContact(tx, companyId, contactId)
  if (input === null) {
    // Deleted meanwhile: there is nothing to undo either.
    if (before) await removeContactIn(services, tx, companyId, before)
    return { contactId: null, before: before ?? null }
  }
  if (!before) {
    const { id } = await createContactIn(services, tx, companyId, input)
    return { contactId: id, before: null }
  }
  const target = kind === 'import' ? combined(input, before) : input
  await replaceContactIn(services, tx, companyId, before, withinLimits(target))
  return { contactId: before.id, before }
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
  const rows = await nextRows(tx, companyId, change.id, { undo: true, limit: rowsPerTransaction })
  let undone = 0
  for (const row of rows) {
    if (await undoRow(services, tx, companyId, row)) undone++
    await markRow(tx, companyId, change.id, { ...row, writtenAt: null })
  }
  await addDone(tx, companyId, change.id, -undone)
  const isEnd = rows.length < rowsPerTransaction
  if (isEnd) await moveBulkChange(tx, companyId, change.id, { from: 'undoing', to: 'undone' })
  return isEnd ? 0 : rows.length
}

/** A contact that was changed later keeps that change. */
async function undoRow(services: Services, tx: Tx, companyId: CompanyId, row: BulkChangeRow): Promise<boolean> {
  const { contactId, before, writtenAt } = row
  if (contactId === null) {
    if (before) await createContactIn(services, tx, companyId, combined(before, before))
    return true
  }
  const contact = await lockedContact(tx, companyId, contactId)
  if (!contact) return before === null
  if (contact.updatedAt !== writtenAt) return false
  if (before) await replaceContactIn(services, tx, companyId, contact, combined(before, before))
  else await removeContactIn(services, tx, companyId, contact)
  return true
}
