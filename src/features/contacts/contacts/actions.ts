import { type Tx, transaction } from '../../../db/database.ts'
import type { CompanyId } from '../../../db/tables.ts'
import { isEmail } from '../../../domain/email.ts'
import { isPhoneValue } from '../../../domain/phone-number.ts'
import { nameWords } from '../../../domain/search-words.ts'
import { badRequest, notFound } from '../../../http/errors.ts'
import { enqueue } from '../../../jobs/queue.ts'
import type { Services } from '../../../services.ts'
import { publish } from '../../publishing/index.ts'
import { forgetRecipients } from '../../voice-agents/index.ts'
import { writeContacts } from './batch-store.ts'
import { phonesOfContacts, phonesWithoutContact } from './phones-store.ts'
import { type Contact, type DetailKind, findContact, lockContact } from './store.ts'
import {
  type ContactChange,
  countContact,
  deleteContacts,
  deleteDetail,
  insertDetail,
  type NewContact,
  updateContact,
  updateDetail,
  writeContact,
} from './write-store.ts'

const maxDetails = 20

export async function createContact(services: Services, companyId: CompanyId, input: NewContact): Promise<Contact> {
  for (const { value } of input.phones) checkValue('contact_phone', value)
  for (const { value } of input.emails) checkValue('contact_email', value)
  if (input.phones.length > maxDetails) throw badRequest(`A contact has at most ${maxDetails} phone numbers`)
  if (input.emails.length > maxDetails) throw badRequest(`A contact has at most ${maxDetails} email addresses`)
  return transaction(services.db, (tx) => createContactIn(services, tx, companyId, input))
}

/** Of values that were checked. */
export async function createContactIn(
  services: Services,
  tx: Tx,
  companyId: CompanyId,
  input: NewContact,
): Promise<Contact> {
  const at = services.clock.now()
  const contact = await writeContact(tx, companyId, input, at)
  await publish(services, tx, companyId, [{ kind: 'contact', event: 'created', contact }])
  await countContact(tx, companyId, at)
  return contact
}

/** Of values that were checked; the events are in the order of the contacts. */
export async function createContactsIn(
  services: Services,
  tx: Tx,
  companyId: CompanyId,
  inputs: readonly NewContact[],
): Promise<Contact[]> {
  const at = services.clock.now()
  const contacts = await writeContacts(tx, companyId, inputs, at)
  const facts = contacts.map((contact) => ({ kind: 'contact', event: 'created', contact }) as const)
  await publish(services, tx, companyId, facts)
  await countContact(tx, companyId, at, contacts.length)
  return contacts
}

export function changeContact(services: Services, companyId: CompanyId, id: number, change: ContactChange) {
  return changing(services, companyId, id, async () => change)
}

export async function removeContact(services: Services, companyId: CompanyId, id: number): Promise<void> {
  await transaction(services.db, async (tx) =>
    removeContactsIn(services, tx, companyId, [await locked(tx, companyId, id)]),
  )
}

/** The contacts must be locked. Their events, rows and jobs are written together. */
export async function removeContactsIn(
  services: Services,
  tx: Tx,
  companyId: CompanyId,
  contacts: readonly Contact[],
): Promise<void> {
  if (contacts.length === 0) return
  const facts = contacts.map((contact) => ({ kind: 'contact', event: 'deleted', contact }) as const)
  await publish(services, tx, companyId, facts)
  const contactIds = contacts.map(({ id }) => id)
  const phones = await phonesOfContacts(tx, companyId, contactIds)
  await deleteContacts(tx, companyId, contacts)
  // Recipients of campaigns have a number and a name, and no contact.
  await forgetRecipients(tx, companyId, await phonesWithoutContact(tx, companyId, phones), services.clock.now())
  await enqueue(tx, 'contact.erase', { companyId, contactIds }, services.clock.now())
  await enqueueWordRemoval(services, tx, companyId, [...new Set(contacts.flatMap(nameWords))])
}

/** Sets all fields, phone numbers and email addresses. The contact must be locked. */
export async function replaceContactIn(
  services: Services,
  tx: Tx,
  companyId: CompanyId,
  contact: Contact,
  target: NewContact,
): Promise<Contact> {
  await replaceDetails(tx, companyId, contact.id, 'contact_phone', contact.phones, target.phones)
  await replaceDetails(tx, companyId, contact.id, 'contact_email', contact.emails, target.emails)
  const change = {
    first_name: target.firstName,
    last_name: target.lastName,
    company_name: target.companyName,
    information: target.information,
    ...(target.ownerId !== undefined && { owner_id: target.ownerId }),
  }
  const removed = await updateContact(tx, companyId, contact, change, services.clock.now())
  await enqueueWordRemoval(services, tx, companyId, removed)
  return publishUpdated(services, tx, companyId, contact.id)
}

async function replaceDetails(
  tx: Tx,
  companyId: CompanyId,
  contactId: number,
  kind: DetailKind,
  before: Contact['phones'],
  after: NewContact['phones'],
): Promise<void> {
  for (const { id, value } of before) {
    if (!after.some((detail) => detail.value === value)) await deleteDetail(tx, companyId, kind, id)
  }
  for (const detail of after) {
    if (!before.some(({ value }) => value === detail.value)) await insertDetail(tx, companyId, kind, contactId, detail)
  }
}

/** In a separate job: it waits for all transactions that write contacts of the company. */
async function enqueueWordRemoval({ clock }: Services, tx: Tx, companyId: CompanyId, words: string[]): Promise<void> {
  if (words.length > 0) await enqueue(tx, 'contact.forget_words', { companyId, words }, clock.now())
}

export function addDetail(
  services: Services,
  companyId: CompanyId,
  kind: DetailKind,
  contactId: number,
  detail: { label: string; value: string },
) {
  checkValue(kind, detail.value)
  return changing(services, companyId, contactId, async (tx, contact) => {
    const present = kind === 'contact_phone' ? contact.phones : contact.emails
    if (present.length >= maxDetails)
      throw badRequest(`The contact already has ${maxDetails} of these; delete one first`)
    await insertDetail(tx, companyId, kind, contactId, detail)
  })
}

export function changeDetail(
  services: Services,
  companyId: CompanyId,
  kind: DetailKind,
  contactId: number,
  detailId: number,
  change: { label?: string; value?: string },
) {
  if (change.value !== undefined) checkValue(kind, change.value)
  return changing(services, companyId, contactId, async (tx, contact) => {
    mustHave(kind, contact, detailId)
    await updateDetail(tx, companyId, kind, detailId, change)
  })
}

export function removeDetail(
  services: Services,
  companyId: CompanyId,
  kind: DetailKind,
  contactId: number,
  detailId: number,
) {
  return changing(services, companyId, contactId, async (tx, contact) => {
    mustHave(kind, contact, detailId)
    await deleteDetail(tx, companyId, kind, detailId)
  })
}

/** Every change of a contact sets updated_at and publishes contact.updated. */
function changing(
  services: Services,
  companyId: CompanyId,
  id: number,
  work: (tx: Tx, contact: Contact) => Promise<ContactChange | undefined>,
): Promise<Contact> {
  return transaction(services.db, async (tx) => {
    const contact = await locked(tx, companyId, id)
    const change = await work(tx, contact)
    const removed = await updateContact(tx, companyId, contact, change ?? {}, services.clock.now())
    await enqueueWordRemoval(services, tx, companyId, removed)
    return publishUpdated(services, tx, companyId, id)
  })
}

async function locked(tx: Tx, companyId: CompanyId, id: number): Promise<Contact> {
  const contact = (await lockContact(tx, companyId, id)) ? await findContact(tx, companyId, id) : undefined
  if (!contact) throw notFound()
  return contact
}

async function publishUpdated(services: Services, tx: Tx, companyId: CompanyId, id: number): Promise<Contact> {
  const contact = await findContact(tx, companyId, id)
  if (!contact) throw new Error('a contact that was just written must exist')
  await publish(services, tx, companyId, [{ kind: 'contact', event: 'updated', contact }])
  return contact
}

function mustHave(kind: DetailKind, contact: Contact, detailId: number): void {
  const list = kind === 'contact_phone' ? contact.phones : contact.emails
  if (!list.some(({ id }) => id === detailId)) throw notFound()
}

function checkValue(kind: DetailKind, value: string): void {
  if (kind === 'contact_phone' && !isPhoneValue(value)) {
    throw badRequest('The `value` of a phone number must contain digits and no letters')
  }
  if (kind === 'contact_email' && !isEmail(value))
    throw badRequest('The `value` of an email must be a valid email address')
}
