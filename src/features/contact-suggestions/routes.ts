import { Type } from 'typebox'
import { Meta, metaOf, PageQuery, windowOf } from '../../http/paging.ts'
import { route } from '../../http/route.ts'
import { text } from '../../http/schemas.ts'
import { findContact } from '../contacts/store.ts'
import { ContactView, contactView } from '../contacts/view.ts'
import { everybody } from '../roles.ts'
import { pageOfNamed, suggestedIds } from './store.ts'

const most = 8
const mostWords = 8
const wall = 10_000

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

const named = route({
  method: 'GET',
  path: '/v1/contacts/named',
  summary: 'Find contacts by name or company',
  description: 'All that hold every word, in any order; without a text, all there are.',
  tag: 'Contacts',
  access: 'app',
  roles: everybody,
  query: Type.Object({ ...PageQuery.properties, text: Type.Optional(text(255)) }),
  reply: { status: 200, body: Type.Object({ meta: Meta, contacts: Type.Array(ContactView) }) },
  async handle({ query, caller: { companyId }, services, place }) {
    const window = windowOf(query, wall)
    const words = (query.text ?? '').split(/\s+/).filter(Boolean).slice(0, mostWords)
    const { ids, total } = await pageOfNamed(services.db, companyId, words, window)
    const contacts = await Promise.all(ids.map((id) => findContact(services.db, companyId, id)))
    const shown = contacts.flatMap((contact) => (contact ? contactView(services.links, contact) : []))
    return { meta: metaOf(place, window, shown.length, total), contacts: shown }
  },
})

export const contactSuggestionRoutes = [suggest, named]
