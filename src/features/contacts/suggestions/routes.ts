import { Type } from 'typebox'
import { searchWords } from '../../../domain/search-words.ts'
import { Meta, metaOf, PageQuery, windowOf } from '../../../http/paging.ts'
import { route } from '../../../http/route.ts'
import { text } from '../../../http/schemas.ts'
import { anyRole } from '../../accounts/index.ts'
import { pageOfContacts } from '../contacts/search-store.ts'
import { contactsById } from '../contacts/store.ts'
import { ContactView, contactView } from '../contacts/view.ts'
import { maxFound } from '../names/store.ts'
import { pageOfNamed, suggestedIds } from './store.ts'

const maxSuggestions = 8
const maxWords = 8
const wall = 10_000

const suggest = route({
  method: 'GET',
  path: '/v1/contacts/suggestions',
  summary: 'Suggest contacts for a search term',
  description: 'At most eight: by the start of a phone number, or by a part of the name or company.',
  tag: 'Contacts',
  access: 'app',
  roles: anyRole,
  query: Type.Object({ text: text(64) }),
  reply: { status: 200, body: Type.Object({ contacts: Type.Array(ContactView) }) },
  async handle({ query, caller: { companyId }, services }) {
    const ids = await suggestedIds(services.db, companyId, query.text.trim(), maxSuggestions)
    const contacts = await contactsById(services.db, companyId, ids)
    return { contacts: contacts.map((contact) => contactView(services.links, contact)) }
  },
})

const named = route({
  method: 'GET',
  path: '/v1/contacts/named',
  summary: 'Search contacts by name or company',
  description:
    'Contacts whose name or company contains every word, or a part of it, in any order, ignoring case and ' +
    `accents; exact words come first. A search returns at most ${maxFound.toLocaleString('en')}. Without a ` +
    'text, all contacts by their last change.',
  tag: 'Contacts',
  access: 'app',
  roles: anyRole,
  query: Type.Object({ ...PageQuery.properties, text: Type.Optional(text(255)) }),
  reply: { status: 200, body: Type.Object({ meta: Meta, contacts: Type.Array(ContactView) }) },
  async handle({ query, caller: { companyId }, services, place }) {
    const { db, links } = services
    const words = searchWords([query.text ?? '']).slice(0, maxWords)
    const window = windowOf(query, words.length === 0 ? wall : maxFound)
    const { contacts, total } =
      words.length === 0
        ? await pageOfContacts(db, companyId, { orderBy: 'updated_at', phone: undefined, email: undefined }, window)
        : await pageOfNamed(db, companyId, words, window)
    const shown = contacts.map((contact) => contactView(links, contact))
    return { meta: metaOf(place, window, shown.length, total), contacts: shown }
  },
})

export const contactSuggestionRoutes = [suggest, named]
