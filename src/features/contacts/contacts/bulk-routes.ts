import { bulkRoute } from '../../accounts/index.ts'
import { contactsAfter } from './store.ts'
import { ContactView, contactView } from './view.ts'

export const contactBulkRoutes = [
  bulkRoute<object>({
    kind: 'contacts',
    word: 'contact',
    view: ContactView,
    description: 'All shared contacts, by creation time.',
    query: {},
    async read({ services: { db, links }, companyId }, after, limit) {
      const contacts = await contactsAfter(db, companyId, after, limit)
      return contacts.map((contact) => ({
        place: { at: contact.createdAt, id: contact.id },
        view: contactView(links, contact),
      }))
    },
  }),
]
