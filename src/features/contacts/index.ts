// What other contexts use of contacts.
export { exampleContact } from './contacts/event-samples.ts'
export { contactPayloads, renderContactFacts } from './contacts/events.ts'
export { type ContactLookup, contactLookup, formsOf, storedDigits } from './contacts/lookup.ts'
export { contactsWithPhone, phonesOfContacts } from './contacts/phones-store.ts'
export { type Contact, contactPhones, contactsById, findContact } from './contacts/store.ts'
export { ContactView, contactView, EventContact, eventContact } from './contacts/view.ts'
export { insertContact, insertDetail, updateContact } from './contacts/write-store.ts'
export { contactsNamed } from './names/store.ts'
