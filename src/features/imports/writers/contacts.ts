import type { ContactFromSource } from '../../../domain/import/objects.ts'
import { contactFromSource } from '../../../domain/import/objects.ts'
import { isImportProblem } from '../../../domain/import/values.ts'
import { normaliseForSearch } from '../../../domain/phone-number.ts'
import {
  type Contact,
  contactsWithPhone,
  findContact,
  insertContact,
  insertDetail,
  updateContact,
} from '../../contacts/index.ts'
import { isImported } from '../runs/objects-store.ts'
import type { KindImport, RowWriting } from './importing.ts'

export const importContacts: KindImport = {
  kind: 'contacts',
  list: { path: '/v1/contacts', root: 'contacts', timeField: 'created_at' },
  async write(writing) {
    const { tx, companyId, row, known, run, services } = writing
    const contact = contactFromSource(row)
    if (isImportProblem(contact)) return contact
    const present =
      known === undefined ? await sameContact(writing, contact) : await findContact(tx, companyId, Number(known))
    if (present) {
      if (run.merges) await mergeInto(writing, present, contact)
      return { outcome: run.merges ? 'updated' : 'existing', ownId: String(present.id) }
    }
    // Deleted here after an earlier import.
    if (known !== undefined) return { outcome: 'existing', ownId: known }
    const createdAt = contact.createdAt ?? services.clock.now()
    const id = await insertContact(tx, companyId, contact, createdAt)
    const written = await findContact(tx, companyId, id)
    const { updatedAt } = contact
    if (written && updatedAt !== null && updatedAt !== createdAt)
      await updateContact(tx, companyId, written, {}, updatedAt)
    return { outcome: 'created', ownId: String(id) }
  },
}

/** A contact with the same name and number that was here before any import: the source may have two of them. */
async function sameContact({ tx, companyId }: RowWriting, contact: ContactFromSource): Promise<Contact | undefined> {
  const [phone] = contact.phones
  if (!phone) return undefined
  for (const one of await contactsWithPhone(tx, companyId, normaliseForSearch(phone.value))) {
    const isSame =
      one.firstName === contact.firstName &&
      one.lastName === contact.lastName &&
      one.companyName === contact.companyName
    if (isSame && !(await isImported(tx, companyId, 'contacts', String(one.id)))) return one
  }
  return undefined
}

/** Fields of the source replace those here; phone numbers and email addresses are added. */
async function mergeInto({ tx, companyId, services }: RowWriting, present: Contact, contact: ContactFromSource) {
  const missing = (before: Contact['phones'], after: ContactFromSource['phones']) =>
    after.filter(({ value }) => !before.some((one) => one.value === value)).slice(0, Math.max(0, 20 - before.length))
  for (const phone of missing(present.phones, contact.phones))
    await insertDetail(tx, companyId, 'contact_phone', present.id, phone)
  for (const email of missing(present.emails, contact.emails))
    await insertDetail(tx, companyId, 'contact_email', present.id, email)
  const change = {
    ...(contact.firstName !== null && { first_name: contact.firstName }),
    ...(contact.lastName !== null && { last_name: contact.lastName }),
    ...(contact.companyName !== null && { company_name: contact.companyName }),
    ...(contact.information !== null && { information: contact.information }),
  }
  await updateContact(tx, companyId, present, change, services.clock.now())
}
