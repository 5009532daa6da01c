import { type Static, type TSchema, Type } from 'typebox'
import { nullable } from '../../../http/schemas.ts'
import { isoPlain, unixSeconds } from '../../../lib/time-format.ts'
import type { Links } from '../../../services.ts'
import type { Contact } from './store.ts'

const Detail = Type.Object({ id: Type.Integer(), label: Type.String(), value: Type.String() })

const shape = <T extends TSchema>(time: T) =>
  Type.Object({
    id: Type.Integer(),
    direct_link: Type.String(),
    first_name: nullable(Type.String()),
    last_name: nullable(Type.String()),
    company_name: nullable(Type.String()),
    information: nullable(Type.String()),
    is_shared: Type.Boolean({ description: 'Always true' }),
    created_at: time,
    updated_at: time,
    emails: Type.Array(Detail),
    phone_numbers: Type.Array(Detail),
  })

export const ContactView = shape(Type.Integer({ description: 'UNIX seconds' }))
/** In events, dates are `YYYY-MM-DDTHH:mm:ssZ`. */
export const EventContact = shape(Type.String())

// One literal: building twenty of these by spreading costs as much as reading them from the database.
const view = <T>(links: Links, contact: Contact, time: (ms: number) => T) => ({
  id: contact.id,
  direct_link: `${links.api}/v1/contacts/${contact.id}`,
  first_name: contact.firstName,
  last_name: contact.lastName,
  company_name: contact.companyName,
  information: contact.information,
  is_shared: true,
  created_at: time(contact.createdAt),
  updated_at: time(contact.updatedAt),
  emails: contact.emails,
  phone_numbers: contact.phones,
})

export const contactView = (links: Links, contact: Contact): Static<typeof ContactView> =>
  view(links, contact, unixSeconds)

export const eventContact = (links: Links, contact: Contact): Static<typeof EventContact> =>
  view(links, contact, isoPlain)

/** A deleted contact has neither addresses nor phone numbers. */
export const deletedContact = (links: Links, contact: Contact): Static<typeof EventContact> =>
  eventContact(links, { ...contact, emails: [], phones: [] })
