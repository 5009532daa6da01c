import { Type } from 'typebox'
import { maxSmsTextLength } from '../../../domain/message.ts'
import { badRequest, unprocessable } from '../../../http/errors.ts'
import { route } from '../../../http/route.ts'
import { Id, text } from '../../../http/schemas.ts'
import { viewContextOf } from '../../../http/view-context.ts'
import type { Services } from '../../../services.ts'
import { findNumber } from '../../accounts/index.ts'
import { findConfiguration } from '../lines/store.ts'
import { sendMessage } from '../transport/send.ts'
import { agentFields, agentIn, mediaFields, mediaIn, Participants, Phone } from './fields.ts'
import { SentGroupMessage, SentMessage, sentGroupMessage, sentMessage } from './view.ts'

const tag = 'Messages'
const params = Type.Object({ id: Id })
type Loading = { params: { id: number }; caller: { companyId: number }; services: Services }
const load = ({ params: { id }, caller, services }: Loading) => findNumber(services.db, caller.companyId, id)

const errors = [
  { status: 400 as const, when: 'the Number cannot send text messages, or the recipient has opted out' },
  { status: 403 as const, when: 'the company, the plan or the Number does not allow messages' },
]
const needsConfiguration = { status: 400 as const, when: 'the Number has no configuration for messages' }
const Body = text(maxSmsTextLength)

const sendNative = route({
  method: 'POST',
  path: '/v1/numbers/:id/messages/native/send',
  summary: 'Send a message that appears in the inbox',
  tag,
  params,
  load,
  body: Type.Object({ to: Phone, body: Body, ...mediaFields, ...agentFields }),
  errors,
  reply: { status: 200, body: SentMessage },
  async handle({ body, loaded, caller, services }) {
    const message = await sendMessage(services, caller.companyId, {
      number: loaded,
      to: body.to,
      mode: 'native',
      channel: null,
      body: body.body,
      media: mediaIn(services, body),
      userId: agentIn(body),
    })
    return sentMessage(viewContextOf(services), message, loaded)
  },
})

const sendSkipping = route({
  method: 'POST',
  path: '/v1/numbers/:id/messages/send',
  summary: 'Send a message that bypasses the inbox',
  description: 'Status changes and the customer’s replies are sent to the callbackUrl of the configuration.',
  tag,
  params,
  load,
  body: Type.Object({ to: Phone, body: Body, ...mediaFields }),
  errors: [...errors, needsConfiguration],
  reply: { status: 200, body: SentMessage },
  async handle({ body, loaded, caller, services }) {
    await mustBeConfigured(services, caller.companyId, loaded.id)
    const message = await sendMessage(services, caller.companyId, {
      number: loaded,
      to: body.to,
      mode: 'skipping',
      channel: null,
      body: body.body,
      media: mediaIn(services, body),
    })
    return sentMessage(viewContextOf(services), message, loaded)
  },
})

const sendGroupNative = route({
  method: 'POST',
  path: '/v1/numbers/:id/messages/group/native/send',
  summary: 'Send a group message that appears in the inbox',
  tag,
  params,
  load,
  body: Type.Object({ participants: Participants, body: Body, ...agentFields }),
  errors,
  reply: { status: 200, body: SentGroupMessage },
  async handle({ body, loaded, caller, services }) {
    const message = await sendMessage(services, caller.companyId, {
      number: loaded,
      to: body.participants,
      mode: 'native',
      channel: null,
      body: body.body,
      media: [],
      userId: agentIn(body),
    })
    return sentGroupMessage(viewContextOf(services), message, loaded)
  },
})

const sendGroupSkipping = route({
  method: 'POST',
  path: '/v1/numbers/:id/messages/group/send',
  summary: 'Send a group message that bypasses the inbox',
  description: 'Give exactly one of body and mediaUrl.',
  tag,
  params,
  load,
  body: Type.Object({ participants: Participants, body: Type.Optional(Body), ...mediaFields }),
  errors: [
    ...errors,
    needsConfiguration,
    { status: 400, when: 'both body and mediaUrl are given' },
    { status: 422, when: 'neither body nor mediaUrl is given' },
  ],
  reply: { status: 200, body: SentGroupMessage },
  async handle({ body, loaded, caller, services }) {
    const media = mediaIn(services, body)
    if (body.body === undefined && media.length === 0) throw unprocessable('`body` or `mediaUrl` is mandatory')
    if (body.body !== undefined && media.length > 0) throw badRequest('Give `body` or `mediaUrl`, not both')
    await mustBeConfigured(services, caller.companyId, loaded.id)
    const message = await sendMessage(services, caller.companyId, {
      number: loaded,
      to: body.participants,
      mode: 'skipping',
      channel: null,
      body: body.body ?? '',
      media,
    })
    return sentGroupMessage(viewContextOf(services), message, loaded)
  },
})

async function mustBeConfigured({ db }: Services, companyId: number, numberId: number): Promise<void> {
  if (await findConfiguration(db, companyId, numberId)) return
  throw badRequest('The Number has no configuration; call POST /v1/numbers/:id/messages/configuration first')
}

export const messageRoutes = [sendNative, sendSkipping, sendGroupNative, sendGroupSkipping]
