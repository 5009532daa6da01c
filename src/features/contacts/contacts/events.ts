import { type FactRenderer, payloadOf } from '../../publishing/index.ts'
import { exampleContact, newContact } from './event-samples.ts'
import type { Contact } from './store.ts'
import { deletedContact, EventContact, eventContact } from './view.ts'

export interface ContactFact {
  kind: 'contact'
  event: 'created' | 'updated' | 'deleted'
  contact: Contact
}

declare module '../../publishing/publish.ts' {
  interface FactsByKind {
    contact: ContactFact
  }
}

const contact = payloadOf(EventContact)

export const contactPayloads = {
  'contact.created': contact(({ links, at }) => eventContact(links, newContact(at))),
  'contact.updated': contact(({ links, at }) => eventContact(links, exampleContact(at))),
  'contact.deleted': contact(({ links, at }) => deletedContact(links, exampleContact(at))),
}

export const renderContactFacts: FactRenderer<ContactFact> = async ({ context: { links } }) => {
  return ({ contact, event }) => {
    const name = `contact.${event}` as const
    const view = event === 'deleted' ? deletedContact : eventContact
    return [{ name, resourceKey: `contact:${contact.id}`, data: contactPayloads[name].write(view(links, contact)) }]
  }
}
