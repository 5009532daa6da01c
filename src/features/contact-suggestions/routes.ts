import { Type } from 'typebox'
import { route } from '../../http/route.ts'
import { text } from '../../http/schemas.ts'
import { findContact } from '../contacts/store.ts'
import { ContactView, contactView } from '../contacts/view.ts'
import { everybody } from '../roles.ts'
import { suggestedIds } from './store.ts'

const most = 8

const suggest = route({
  method: 'GET',
  path: '/v1/contacts/suggestions',
  summary: 'Find contacts while somebody types',
  description: 'At most eight: by the beginning of a phone number, or by a part of the name or company.',
  tag: 'Contacts',
  access: 'app',
  roles: everybody,
  query: Type.Object({ text: text(64) }),
  reply: { status: 200, body: Type.Object({ contacts: Type.Array(ContactView) }) },
  async handle({ query, caller: { companyId }, services }) {
    const ids = await suggestedIds(services.db, companyId, query.text.trim(), most)
    const contacts = await Promise.all(ids.map((id) => findContact(services.db, companyId, id)))
    return { contacts: contacts.flatMap((contact) => (contact ? contactView(services.links, contact) : [])) }
  },
})

export const contactSuggestionRoutes = [suggest]
