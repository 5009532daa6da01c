import type { Tx } from '../../../db/database.ts'
import type { CompanyId } from '../../../db/tables.ts'
import { digitsOnly } from '../../../domain/phone-number.ts'
import type { NewEvent } from '../../../events/log.ts'
import type { ViewContext } from '../../accounts/users/nested.ts'
import { findNamed } from '../../calls/calls/parts-store.ts'
import type { MediaRefs } from '../../integrations/catalogue/assets.ts'
import { payloads } from '../../integrations/catalogue/catalogue.ts'
import type { Message } from './store.ts'
import { type Around, eventGroupMessage, eventMessage } from './view.ts'

/** Something that happened to a message, as it is at that moment. */
export interface MessageFact {
  about: 'message'
  what: 'sent' | 'received' | 'status_updated'
  message: Message
}

interface Telling extends Pick<NewEvent, 'resourceKey' | 'data' | 'numberId' | 'assetRefs'> {
  name: `${'message' | 'group_message'}.${MessageFact['what']}`
}

/** Whatever many messages name, loaded once; undefined for one whose Number was deleted meanwhile. */
export async function surroundings(
  tx: Tx,
  companyId: CompanyId,
  messages: readonly Message[],
): Promise<(message: Message) => Around | undefined> {
  const digits = (message: Message) => (message.external === null ? '' : digitsOnly(message.external))
  const named = await findNamed(tx, companyId, {
    users: new Set(messages.flatMap(({ userId }) => userId ?? [])),
    numbers: new Set(messages.map(({ numberId }) => numberId)),
    teams: new Set(),
    digits: new Set(messages.map(digits)),
  })
  const users = new Map(named.users.map((user) => [user.id, user]))
  const numbers = new Map(named.numbers.map((number) => [number.id, number]))
  return (message) => {
    const number = numbers.get(message.numberId)
    if (!number) return undefined
    const user = message.userId === null ? undefined : users.get(message.userId)
    return { number, user, contact: named.contactOf(digits(message), number.country) }
  }
}

export function mediaRefs({ rowId, media }: Message): string | undefined {
  const files = media.flatMap(({ file }) => file ?? [])
  return files.length === 0 ? undefined : JSON.stringify({ message: rowId, files } satisfies MediaRefs)
}

export async function messageTeller(
  tx: Tx,
  companyId: CompanyId,
  scene: ViewContext,
  facts: readonly MessageFact[],
): Promise<(fact: MessageFact) => Telling[]> {
  if (facts.length === 0) return () => []
  const aroundOf = await surroundings(
    tx,
    companyId,
    facts.map(({ message }) => message),
  )
  return ({ what, message }) => {
    const around = aroundOf(message)
    if (!around) return []
    const assetRefs = mediaRefs(message)
    const telling = {
      resourceKey: `message:${message.id}`,
      numberId: message.numberId,
      ...(assetRefs !== undefined && { assetRefs }),
    }
    if (message.participants !== null) {
      const name = `group_message.${what}` as const
      return [{ ...telling, name, data: payloads[name].write(eventGroupMessage(scene, message, around)) }]
    }
    const name = `message.${what}` as const
    return [{ ...telling, name, data: payloads[name].write(eventMessage(scene, message, around)) }]
  }
}
