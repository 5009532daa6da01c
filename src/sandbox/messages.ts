import { Type } from 'typebox'
import { maxMedia, maxWhatsappTextLength } from '../domain/message.ts'
import { findNumberByDigits } from '../features/accounts/numbers/store.ts'
import { fileNameIn } from '../features/messages/messages/format.ts'
import { receiveMessage } from '../features/messages/transport/receive.ts'
import { badRequest } from '../http/errors.ts'
import { route } from '../http/route.ts'
import { nullable, oneOf, text } from '../http/schemas.ts'
import { sandboxTag } from './parts.ts'

const Phone = Type.String({ pattern: '^\\+[1-9]\\d{6,14}$', maxLength: 16, examples: ['+33612345678'] })

const postMessage = route({
  method: 'POST',
  path: '/sandbox/v1/messages',
  summary: 'Simulate an inbound message',
  description: '`participants` makes it a group message: all participants except the Number.',
  tag: sandboxTag,
  free: true,
  body: Type.Object({
    from: Phone,
    to: text(64, { description: 'Number of the company, E.164', examples: ['+33199000101'] }),
    body: Type.Optional(Type.String({ maxLength: maxWhatsappTextLength })),
    channel: Type.Optional(nullable(oneOf(['whatsapp'] as const))),
    media: Type.Optional(Type.Array(text(2_048), { maxItems: maxMedia })),
    participants: Type.Optional(Type.Array(Phone, { maxItems: 50 })),
  }),
  errors: [{ status: 400, when: '`to` is not a Number of the company, or the message is empty' }],
  reply: { status: 201, body: Type.Object({ message_id: Type.String() }) },
  async handle({ body: { from, to, body = '', channel = null, media = [], participants }, caller, services }) {
    const number = await findNumberByDigits(services.db, caller.companyId, to)
    if (!number) throw badRequest('`to` is not a Number of the company')
    if (body === '' && media.length === 0) throw badRequest('Give `body` or `media`')
    for (const url of media) if (!URL.canParse(url)) throw badRequest('`media` must contain URLs')
    const message = await receiveMessage(services, caller.companyId, {
      numberId: number.id,
      from,
      channel,
      body,
      media: media.map((url) => ({ url, name: fileNameIn(url), type: '', file: null })),
      ...(participants && { participants: [...new Set([from, ...participants])] }),
    })
    if (!message) throw new Error('a message without a carrier reference cannot be a duplicate')
    return { message_id: message.id }
  },
})

export const simulatedMessageRoutes = [postMessage]
