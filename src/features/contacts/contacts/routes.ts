import { Type } from 'typebox'
import type { EditedObject } from '../../../http/edits.ts'
import { unprocessable } from '../../../http/errors.ts'
import { type ListUrl, Meta, metaOf, RangeQuery, windowOf } from '../../../http/paging.ts'
import { route } from '../../../http/route.ts'
import { Id, nameText, nullable, oneOf, text } from '../../../http/schemas.ts'
import type { Services } from '../../../services.ts'
import { anyRole } from '../../accounts/index.ts'
import { addDetail, changeContact, changeDetail, createContact, removeContact, removeDetail } from './actions.ts'
import { contactBulkRoutes } from './bulk-routes.ts'
import { pageOfContacts } from './search-store.ts'
import { type Contact, type DetailKind, findContact } from './store.ts'
import { ContactView, contactView } from './view.ts'

const tag = 'Contacts'
const OneContact = Type.Object({ contact: ContactView })
const Detail = Type.Object({ label: nameText(255), value: text(254) })
const DetailChange = Type.Object({ label: Type.Optional(nameText(255)), value: Type.Optional(text(254)) })

const scalars = {
  first_name: Type.Optional(nameText(255)),
  last_name: Type.Optional(nameText(255)),
  company_name: Type.Optional(nameText(255)),
  information: Type.Optional(text(10_000)),
}

/** A new contact may have null for missing fields. */
const scalarsOrNull = {
  first_name: Type.Optional(nullable(scalars.first_name)),
  last_name: Type.Optional(nullable(scalars.last_name)),
  company_name: Type.Optional(nullable(scalars.company_name)),
  information: Type.Optional(nullable(scalars.information)),
}

const ContactParams = Type.Object({ id: Id })
type Loading = { params: { id: number }; caller: { companyId: number }; services: Services }
const loadContact = ({ params, caller, services }: Loading) => findContact(services.db, caller.companyId, params.id)

const wall = 10_000

const ContactsQuery = Type.Object({
  ...RangeQuery.properties,
  order_by: Type.Optional(oneOf(['created_at', 'updated_at'], { default: 'created_at' })),
  phone_number: Type.Optional(Type.String({ maxLength: 64, description: 'Digits are compared, `+` is optional' })),
  email: Type.Optional(Type.String({ maxLength: 254, description: 'Exact match, case-insensitive' })),
})
const Contacts = Type.Object({ meta: Meta, contacts: Type.Array(ContactView) })

async function search({ query, caller, services, place }: Searching) {
  const window = windowOf(query, wall)
  const { order_by: orderBy = 'created_at', phone_number: phone, email } = query
  const wanted = { orderBy, phone, email }
  const { contacts, total } = await pageOfContacts(services.db, caller.companyId, wanted, window)
  return {
    meta: metaOf(place, window, contacts.length, total),
    contacts: contacts.map((contact) => contactView(services.links, contact)),
  }
}
interface Searching {
  query: Parameters<typeof windowOf>[0] & {
    order_by?: 'created_at' | 'updated_at'
    phone_number?: string
    email?: string
  }
  caller: { companyId: number }
  services: Services
  place: ListUrl
}

const listContacts = route({
  method: 'GET',
  path: '/v1/contacts',
  summary: 'List contacts',
  description: 'Pages reach the first 10,000 contacts; use `from` to go further.',
  tag,
  roles: anyRole,
  query: ContactsQuery,
  reply: { status: 200, body: Contacts },
  handle: search,
})

const searchContacts = route({
  method: 'GET',
  path: '/v1/contacts/search',
  summary: 'Search contacts by phone number and email address',
  tag,
  roles: anyRole,
  query: ContactsQuery,
  reply: { status: 200, body: Contacts },
  handle: search,
})

const getContact = route({
  method: 'GET',
  path: '/v1/contacts/:id',
  summary: 'Retrieve a contact',
  tag,
  roles: anyRole,
  params: ContactParams,
  load: loadContact,
  reply: { status: 200, body: OneContact },
  async handle({ loaded, services }) {
    return { contact: contactView(services.links, loaded) }
  },
})

const addContact = route({
  method: 'POST',
  path: '/v1/contacts',
  summary: 'Create a contact',
  tag,
  roles: anyRole,
  body: Type.Object({
    ...scalarsOrNull,
    phone_numbers: Type.Array(Detail, { minItems: 1, maxItems: 20 }),
    emails: Type.Optional(Type.Array(Detail, { maxItems: 20 })),
  }),
  errors: [{ status: 400, when: 'a value is not a phone number or email address, or there are more than 20' }],
  reply: { status: 201, body: OneContact },
  async handle({ body, caller, services }) {
    const contact = await createContact(services, caller.companyId, {
      firstName: body.first_name ?? null,
      lastName: body.last_name ?? null,
      companyName: body.company_name ?? null,
      information: body.information ?? null,
      phones: body.phone_numbers,
      emails: body.emails ?? [],
    })
    return { contact: contactView(services.links, contact) }
  },
})

const contactEdits: EditedObject<{ loaded: Contact; services: Services }> = {
  object: 'contact',
  view: ({ loaded, services }) => contactView(services.links, loaded),
}

const update = (method: 'POST' | 'PUT') =>
  route({
    method,
    path: '/v1/contacts/:id',
    summary: method === 'POST' ? 'Update a contact' : 'Update a contact (the same as POST)',
    description: 'Changes the four text fields only; phone numbers and email addresses have their own paths.',
    tag,
    roles: anyRole,
    params: ContactParams,
    load: loadContact,
    edits: contactEdits,
    body: Type.Object(scalars),
    reply: { status: 200, body: OneContact },
    async handle({ body, loaded, caller, services }) {
      const nothing = Object.keys(body).length === 0
      const contact = nothing ? loaded : await changeContact(services, caller.companyId, loaded.id, body)
      return { contact: contactView(services.links, contact) }
    },
  })

const deleteContact = route({
  method: 'DELETE',
  path: '/v1/contacts/:id',
  summary: 'Delete a contact; calls that reference it stay',
  tag,
  roles: anyRole,
  params: ContactParams,
  load: loadContact,
  reply: { status: 204 },
  async handle({ loaded, caller, services }) {
    await removeContact(services, caller.companyId, loaded.id)
    return {}
  },
})

/** Phone numbers and email addresses have the same three routes. */
function detailRoutes(kind: DetailKind, path: 'phone_details' | 'email_details', idName: string, what: string) {
  const has = (contact: Contact | undefined, id: number) =>
    (kind === 'contact_phone' ? contact?.phones : contact?.emails)?.some((detail) => detail.id === id)
  const params = Type.Object({ id: Id, [idName]: Id })
  const load = async ({ params, caller, services }: Omit<Loading, 'params'> & { params: Record<string, number> }) => {
    const { id: contactId = 0, [idName]: detailId = 0 } = params
    const contact = await findContact(services.db, caller.companyId, contactId)
    return has(contact, detailId) ? { contactId, detailId } : undefined
  }

  const add = route({
    method: 'POST',
    path: `/v1/contacts/:id/${path}`,
    summary: `Add ${what} to a contact`,
    tag,
    roles: anyRole,
    params: ContactParams,
    load: loadContact,
    body: Detail,
    errors: [{ status: 400, when: 'the value is invalid, or the contact already has 20' }],
    reply: { status: 201, body: OneContact },
    async handle({ body, loaded, caller, services }) {
      const contact = await addDetail(services, caller.companyId, kind, loaded.id, body)
      return { contact: contactView(services.links, contact) }
    },
  })

  const change = route({
    method: 'PUT',
    path: `/v1/contacts/:id/${path}/:${idName}`,
    summary: `Update ${what} of a contact`,
    tag,
    roles: anyRole,
    params,
    load,
    edits: {
      object: 'contact',
      async view({ loaded: { contactId, detailId }, caller, services }) {
        const contact = await findContact(services.db, caller.companyId, contactId)
        return (kind === 'contact_phone' ? contact?.phones : contact?.emails)?.find(({ id }) => id === detailId) ?? {}
      },
    },
    body: DetailChange,
    errors: [{ status: 422, when: 'neither label nor value is given' }],
    reply: { status: 200, body: OneContact },
    async handle({ body, loaded: { contactId, detailId }, caller, services }) {
      if (body.label === undefined && body.value === undefined) throw unprocessable('Give `label`, `value` or both')
      const contact = await changeDetail(services, caller.companyId, kind, contactId, detailId, body)
      return { contact: contactView(services.links, contact) }
    },
  })

  const remove = route({
    method: 'DELETE',
    path: `/v1/contacts/:id/${path}/:${idName}`,
    summary: `Delete ${what} of a contact`,
    tag,
    roles: anyRole,
    params,
    load,
    reply: { status: 204 },
    async handle({ loaded: { contactId, detailId }, caller, services }) {
      await removeDetail(services, caller.companyId, kind, contactId, detailId)
      return {}
    },
  })

  return [add, change, remove]
}

export const contactRoutes = [
  listContacts,
  searchContacts,
  getContact,
  addContact,
  update('POST'),
  update('PUT'),
  deleteContact,
  ...detailRoutes('contact_phone', 'phone_details', 'phone_number_id', 'a phone number'),
  ...detailRoutes('contact_email', 'email_details', 'email_id', 'an email address'),
  ...contactBulkRoutes,
]
