import fastJson from 'fast-json-stringify'
import type { Static, TSchema } from 'typebox'
import type { Tx } from '../db/database.ts'
import type { CompanyId } from '../db/tables.ts'
import { type EventName, events } from '../domain/events.ts'
import { appendEvents, type NewEvent } from '../events/log.ts'
import type { Services } from '../services.ts'
import type { Contact } from './contacts/store.ts'
import { EventContact, eventContact } from './contacts/view.ts'
import type { Scene } from './nested.ts'
import type { PhoneNumber } from './numbers/store.ts'
import { EventNumberWithUsers, numberView } from './numbers/view.ts'
import type { User } from './users/store.ts'
import { EventUserV1, UserV2, userV1View, userV2View } from './users/view.ts'

/** Something that happened, about something as it is at this moment. A fact about a user becomes a V1 and a V2 event. */
export type Fact =
  | { about: 'user'; what: 'created' | 'deleted' | 'opened' | 'closed'; user: User }
  | { about: 'number'; what: 'created' | 'opened' | 'closed' | 'deleted'; number: PhoneNumber }
  | { about: 'contact'; what: 'created' | 'updated' | 'deleted'; contact: Contact }

interface Telling {
  name: EventName
  key: string
  data: string
}

/** The one way to say that something happened: rendered and written in the transaction of the change. */
export async function publish(services: Services, tx: Tx, companyId: CompanyId, facts: readonly Fact[]): Promise<void> {
  const occurredAt = services.clock.now()
  const scene: Scene = { links: services.links, at: occurredAt }
  const rows: NewEvent[] = []
  for (const fact of facts) {
    for (const { name, key, data } of await tell(tx, companyId, scene, fact)) {
      rows.push({ name, resource: events[name].resource, resourceKey: key, occurredAt, data })
    }
  }
  await appendEvents(tx, services.clock, companyId, rows)
}

async function tell(tx: Tx, companyId: CompanyId, scene: Scene, fact: Fact): Promise<Telling[]> {
  switch (fact.about) {
    case 'user': {
      const { user, what } = fact
      const key = `user:${user.id}`
      return [
        { name: `user.${what}`, key, data: userV1Json(await userV1View(tx, companyId, scene, user)) },
        { name: `user.${what}.v2`, key, data: userV2Json(userV2View(scene, user)) },
      ]
    }
    case 'number': {
      const { number, what } = fact
      const view = await numberView(tx, companyId, scene, number)
      const data = numberJson(what === 'deleted' ? { ...view, users: [] } : view)
      return [{ name: `number.${what}`, key: `number:${number.id}`, data }]
    }
    case 'contact': {
      const { contact, what } = fact
      const view = eventContact(scene.links, contact)
      const data = contactJson(what === 'deleted' ? { ...view, emails: [], phone_numbers: [] } : view)
      return [{ name: `contact.${what}`, key: `contact:${contact.id}`, data }]
    }
  }
}

/** The same schemas as the API's answers: a payload cannot hold a field that no view names. */
function writer<T extends TSchema>(schema: T): (value: Static<T>) => string {
  let stringify: ((value: unknown) => string) | undefined
  return (value) => {
    stringify ??= fastJson(schema as object) as (value: unknown) => string
    return stringify(value)
  }
}

const userV1Json = writer(EventUserV1)
const userV2Json = writer(UserV2)
const numberJson = writer(EventNumberWithUsers)
const contactJson = writer(EventContact)
