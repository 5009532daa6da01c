import { Type } from 'typebox'
import { request, withQuery } from '../api.ts'
import { idInput, limit, optional, phoneNumber } from '../inputs.ts'
import { bounded, briefCall, briefContact, objectIn, objectsIn } from '../present.ts'
import { defineTool, type McpTool } from '../tool.ts'

const name = (what: string) => Type.String({ maxLength: 255, description: what })
const details = {
  first_name: optional(name('First name')),
  last_name: optional(name('Last name')),
  company_name: optional(name('Company of the contact')),
  information: optional(Type.String({ maxLength: 2_000, description: 'Free text about the contact' })),
}

export const contactTools: McpTool[] = [
  defineTool({
    name: 'find_contacts',
    title: 'Find contacts',
    description: 'Find contacts by phone number or e-mail address; without either, the newest contacts.',
    effect: 'read',
    input: Type.Object({
      phone_number: optional(Type.String({ maxLength: 64, description: 'Phone number' })),
      email: optional(Type.String({ maxLength: 255, description: 'E-mail address' })),
      limit,
    }),
    async run(api, { limit: perPage = 20, ...filter }) {
      const { contacts, meta } = await request(
        api,
        'GET',
        withQuery('/v1/contacts/search', { ...filter, order: 'desc', per_page: perPage }),
      )
      return bounded('contacts', objectsIn(contacts).map(briefContact), meta)
    },
  }),
  defineTool({
    name: 'get_contact',
    title: 'Get a contact and its recent calls',
    description: 'Get a contact with its phone numbers, e-mail addresses and the ten most recent calls.',
    effect: 'read',
    input: Type.Object({ contact_id: idInput('contact') }),
    async run(api, { contact_id }) {
      const { contact } = await request(api, 'GET', `/v1/contacts/${contact_id}`)
      const { calls } = await request(
        api,
        'GET',
        withQuery('/v1/calls/search', { contact_id, order: 'desc', per_page: 10 }),
      )
      return { contact: briefContact(objectIn(contact) ?? {}), recent_calls: objectsIn(calls).map(briefCall) }
    },
  }),
  defineTool({
    name: 'create_contact',
    title: 'Create a contact',
    description: 'Create a contact. Search for its phone number first: two contacts may have the same number.',
    effect: 'write',
    input: Type.Object({
      ...details,
      phone_number: phoneNumber('Phone number'),
      email: optional(Type.String({ maxLength: 255, description: 'E-mail address' })),
    }),
    async run(api, { phone_number, email, ...rest }) {
      const { contact } = await request(api, 'POST', '/v1/contacts', {
        ...rest,
        phone_numbers: [{ label: 'Work', value: phone_number }],
        ...(email !== undefined && { emails: [{ label: 'Work', value: email }] }),
      })
      return briefContact(objectIn(contact) ?? {})
    },
  }),
  defineTool({
    name: 'update_contact',
    title: 'Change a contact',
    description: 'Change name, company or information of a contact. Fields that are not given stay as they are.',
    effect: 'write',
    input: Type.Object({ contact_id: idInput('contact'), ...details }),
    async run(api, { contact_id, ...rest }) {
      const { contact } = await request(api, 'POST', `/v1/contacts/${contact_id}`, rest)
      return briefContact(objectIn(contact) ?? {})
    },
  }),
]
