import type { Db } from '../../../db/database.ts'
import type { CompanyId } from '../../../db/tables.ts'
import { nameWords } from '../../../domain/search-words.ts'
import { addWords } from '../names/store.ts'
import { type Contact, type DetailKind, searchForm } from './store.ts'
import type { NewContact } from './write-store.ts'

/**
 * Inserts contacts with one statement per table. They must be counted in the same transaction: last, because concurrent
 * inserts wait for that row.
 */
export async function writeContacts(
  db: Db,
  companyId: CompanyId,
  contacts: readonly NewContact[],
  at: number,
): Promise<Contact[]> {
  const inserted = await db
    .insertInto('contact')
    .values(
      contacts.map(({ firstName, lastName, companyName, information, ownerId }) => ({
        company_id: companyId,
        first_name: firstName,
        last_name: lastName,
        company_name: companyName,
        information,
        owner_id: ownerId ?? null,
        created_at: at,
        updated_at: at,
      })),
    )
    .returning('id')
    .execute()
  const ids = ascending(inserted)
  const written = contacts.map((contact, i) => ({ contact, id: ids[i] ?? 0 }))
  const phones = await insertDetails(db, companyId, 'contact_phone', written)
  const emails = await insertDetails(db, companyId, 'contact_email', written)
  await addWords(
    db,
    companyId,
    written.flatMap(({ contact, id }) => nameWords(contact).map((word) => ({ contactId: id, word }))),
  )
  return written.map(({ contact, id }) => ({
    ...contact,
    id,
    ownerId: contact.ownerId ?? null,
    createdAt: at,
    updatedAt: at,
    phones: contact.phones.map((phone) => ({ id: phones.shift() ?? 0, ...phone })),
    emails: contact.emails.map((email) => ({ id: emails.shift() ?? 0, ...email })),
  }))
}

/** The ids of the details of all contacts, in order. */
async function insertDetails(
  db: Db,
  companyId: CompanyId,
  kind: DetailKind,
  written: readonly { contact: NewContact; id: number }[],
): Promise<number[]> {
  const rows = written.flatMap(({ contact, id }) =>
    (kind === 'contact_phone' ? contact.phones : contact.emails).map(({ label, value }) => ({
      contact_id: id,
      company_id: companyId,
      label,
      value,
      ...searchForm[kind](value),
    })),
  )
  if (rows.length === 0) return []
  const inserted = await db
    .insertInto(kind)
    .values(rows as never)
    .returning('id')
    .execute()
  return ascending(inserted)
}

/** Ids are assigned in the order of the rows; the order of returned rows is not defined. */
const ascending = (rows: readonly { id: number }[]) => rows.map(({ id }) => id).sort((a, b) => a - b)
