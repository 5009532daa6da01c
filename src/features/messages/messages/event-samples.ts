import type { ViewContext } from '../../../http/view-context.ts'
import { second } from '../../../lib/clock.ts'
import { exampleNumber, exampleUser } from '../../accounts/index.ts'
import { exampleContact } from '../../contacts/index.ts'
import type { Message } from './store.ts'
import { eventGroupMessage, eventMessage, type MessageContext } from './view.ts'

// Fictional messages for the samples of message events.

const base = (at: number): Message => {
  const { id: numberId, companyId } = exampleNumber(at)
  return {
    rowId: 2_000_000_061,
    id: '1779973182949pqnihpvazdyw6336',
    companyId,
    numberId,
    conversationId: '4b7c2d1e-8f60-4a35-9c1b-2d3e4f506172',
    mode: 'native',
    channel: null,
    direction: 'outbound',
    status: 'sent',
    external: '+14155550187',
    externalDisplay: '+1 415-555-0187',
    participants: null,
    author: null,
    body: 'Your table is ready at eight.',
    media: [],
    userId: exampleUser(at).id,
    parentId: null,
    templateContent: null,
    templateParams: null,
    type: null,
    metadata: null,
    category: null,
    kind: null,
    country: null,
    errorCode: null,
    errorMessage: null,
    queued: 0,
    fetching: false,
    createdAt: at - 2 * second,
    updatedAt: at,
    sentAt: at - second,
  }
}

const messageContext = (context: ViewContext, user: boolean): MessageContext => ({
  number: exampleNumber(context.at),
  user: user ? exampleUser(context.at) : undefined,
  contact: exampleContact(context.at),
})

export const sampleSent = (context: ViewContext) =>
  eventMessage(context, base(context.at), messageContext(context, true))

export const sampleReceived = (context: ViewContext) => {
  const body = 'Thank you! See you at eight.'
  const message: Message = { ...base(context.at), direction: 'inbound', status: 'received', body, userId: null }
  return eventMessage(context, message, messageContext(context, false))
}

export const sampleDelivered = (context: ViewContext) =>
  eventMessage(context, { ...base(context.at), status: 'delivered' }, messageContext(context, true))

const toGroup = (at: number): Message => ({
  ...base(at),
  id: '9d0c5b1a-3e27-4f68-8a94-6b7c8d9e0f12',
  external: null,
  externalDisplay: null,
  participants: ['+14155550187', '+14155550188'],
})

export const sampleGroupSent = (context: ViewContext) =>
  eventGroupMessage(context, toGroup(context.at), messageContext(context, true))

export const sampleGroupReceived = (context: ViewContext) =>
  eventGroupMessage(
    context,
    { ...toGroup(context.at), direction: 'inbound', status: 'received', userId: null, author: '+14155550187' },
    messageContext(context, false),
  )

export const sampleGroupDelivered = (context: ViewContext) =>
  eventGroupMessage(context, { ...toGroup(context.at), status: 'delivered' }, messageContext(context, true))
