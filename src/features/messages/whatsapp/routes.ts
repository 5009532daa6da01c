import { type Static, Type } from 'typebox'
import { maxWhatsappTextLength } from '../../../domain/message.ts'
import { badRequest, notFound, unprocessable } from '../../../http/errors.ts'
import { route } from '../../../http/route.ts'
import { Id, nullable, oneOf, text } from '../../../http/schemas.ts'
import { viewContextOf } from '../../../http/view-context.ts'
import type { Services } from '../../../services.ts'
import { findNumber, type PhoneNumber } from '../../accounts/index.ts'
import { findConfiguration, findLine, type MessageLine } from '../lines/store.ts'
import { mediaFields, mediaIn, Phone } from '../messages/fields.ts'
import { SentMessage, sentMessage } from '../messages/view.ts'
import { filledTemplate, TemplateParams } from '../templates/fill.ts'
import { type Sending, sendMessage } from '../transport/send.ts'
import { pageOfTemplates } from './store.ts'

const tag = 'Messages'
const feature = 'whatsapp'
const errors = [
  {
    status: 400 as const,
    when: 'the Number has no WhatsApp, or is OFFLINE or BLOCKED; the template is unknown or not approved',
  },
  { status: 403 as const, when: 'the plan does not include WhatsApp' },
  { status: 404 as const, when: 'lineId is unknown' },
]
const content = { text: Type.Optional(text(maxWhatsappTextLength)), templateParams: Type.Optional(TemplateParams) }

const sendNative = route({
  method: 'POST',
  path: '/v1/messages/send/whatsapp/native',
  summary: 'Send a WhatsApp message that appears in the inbox',
  description:
    'Give exactly one of text and templateParams. Free-form text is possible within 24 hours of the customer’s last message.',
  tag,
  feature,
  body: Type.Object(
    { lineId: Id, externalNumber: Phone, ...content },
    { examples: [{ lineId: 1, externalNumber: '+33612345678', text: 'Your order is on its way.' }] },
  ),
  errors: [...errors, { status: 422, when: 'neither text nor templateParams is given' }],
  reply: { status: 200, body: SentMessage },
  handle: ({ body, caller, services }) =>
    send(services, caller.companyId, body, { to: body.externalNumber, mode: 'native', media: [] }),
})

const sendSkipping = route({
  method: 'POST',
  path: '/v1/messages/whatsapp/send',
  summary: 'Send a WhatsApp message that bypasses the inbox',
  description:
    'Give one of text and templateParams, or mediaUrl with or without one of them. Status changes are sent to the ' +
    'callbackUrl of the configuration.',
  tag,
  feature,
  body: Type.Object(
    { lineId: Id, to: Phone, ...content, ...mediaFields },
    { examples: [{ lineId: 1, to: '+33612345678', text: 'Your order is on its way.' }] },
  ),
  errors: [
    ...errors,
    { status: 400, when: 'the Number has no configuration for messages' },
    { status: 422, when: 'none of text, templateParams and mediaUrl is given' },
  ],
  reply: { status: 200, body: SentMessage },
  handle: ({ body, caller, services }) =>
    send(services, caller.companyId, body, { to: body.to, mode: 'skipping', media: mediaIn(services, body) }),
})

interface Given {
  lineId: number
  text?: string
  templateParams?: Static<typeof TemplateParams>
}

async function send(
  services: Services,
  companyId: number,
  { lineId, text: words, templateParams }: Given,
  how: Pick<Sending, 'to' | 'mode' | 'media'>,
) {
  const { db } = services
  if (words !== undefined && templateParams) throw badRequest('Give `text` or `templateParams`, not both')
  if (words === undefined && !templateParams && how.media.length === 0) {
    throw unprocessable('`text` or `templateParams` is mandatory')
  }
  const number = await findNumber(db, companyId, lineId)
  if (!number) throw notFound()
  if (how.mode === 'skipping' && !(await findConfiguration(db, companyId, number.id))) {
    throw badRequest('The Number has no configuration; call POST /v1/numbers/:id/messages/configuration first')
  }
  const line = await findLine(db, companyId, number.id)
  const template = templateParams && (await filledTemplate(services, companyId, line, templateParams, how.media))
  const header = template?.content.header?.url
  const message = await sendMessage(services, companyId, {
    ...how,
    number,
    channel: 'whatsapp',
    body: template ? template.content.body : (words ?? ''),
    media: how.media.length === 0 && header !== undefined ? [header] : how.media,
    ...(template && { template, type: 'template' }),
  })
  return sentMessage(viewContextOf(services), message, number)
}

const states = ['APPROVED', 'PENDING', 'REJECTED', 'PAUSED', 'DISABLED'] as const
const categories = ['MARKETING', 'UTILITY', 'AUTHENTICATION'] as const

const TemplateView = Type.Object({
  id: Type.Integer(),
  wabaId: Type.String(),
  name: Type.String(),
  category: oneOf(categories),
  status: oneOf(states),
  language: Type.String(),
  components: Type.Array(
    Type.Object({
      type: oneOf(['HEADER', 'BODY', 'FOOTER', 'BUTTONS'] as const),
      format: Type.Optional(oneOf(['TEXT', 'IMAGE', 'VIDEO', 'DOCUMENT'] as const)),
      text: Type.Optional(Type.String()),
      buttons: Type.Optional(
        Type.Array(
          Type.Object({
            type: oneOf(['QUICK_REPLY', 'URL', 'PHONE_NUMBER'] as const),
            text: Type.String(),
            url: Type.Optional(Type.String()),
            phone_number: Type.Optional(Type.String()),
          }),
        ),
      ),
    }),
  ),
})

const params = Type.Object({ id: Id })
type Loading = { params: { id: number }; caller: { companyId: number }; services: Services }
const load = ({ params: { id }, caller, services }: Loading) => findNumber(services.db, caller.companyId, id)
const withoutWhatsapp = [{ status: 400 as const, when: 'the Number has no WhatsApp' }]

async function lineWithWhatsapp(
  { db }: Services,
  { companyId, id }: PhoneNumber,
): Promise<MessageLine & { wabaId: string }> {
  const line = await findLine(db, companyId, id)
  if (line.wabaId === null)
    throw badRequest('The Number has no WhatsApp Business Account; an admin can connect one under SMS & WhatsApp')
  return { ...line, wabaId: line.wabaId }
}

const listTemplates = route({
  method: 'GET',
  path: '/v1/numbers/:id/templates',
  summary: 'List the WhatsApp templates of a Number',
  tag,
  feature,
  params,
  load,
  query: Type.Object({
    status: Type.Optional(oneOf(states, { default: 'APPROVED' })),
    category: Type.Optional(oneOf(categories)),
    token: Type.Optional(Type.Integer({ minimum: 0, default: 0, description: '`nextToken` of the previous page' })),
    limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 50, default: 10 })),
    sort: Type.Optional(oneOf(['name', '-name', 'created_at', '-created_at'] as const, { default: 'name' })),
  }),
  errors: withoutWhatsapp,
  reply: {
    status: 200,
    body: Type.Object({
      templates: Type.Array(TemplateView),
      pageInfo: Type.Object({
        currentToken: Type.Integer(),
        nextToken: nullable(Type.Integer()),
        totalCount: Type.Integer(),
      }),
    }),
  },
  async handle({ query, loaded, caller, services }) {
    const { wabaId } = await lineWithWhatsapp(services, loaded)
    const { status = 'APPROVED', category, token = 0, limit = 10, sort = 'name' } = query
    const { templates, total } = await pageOfTemplates(services.db, caller.companyId, {
      wabaId,
      status,
      category,
      sort: sort.endsWith('name') ? 'name' : 'created_at',
      descending: sort.startsWith('-'),
      offset: token,
      limit,
    })
    const next = token + limit < total ? token + limit : null
    return {
      templates: templates.map(({ createdAt: _at, ...template }) => template),
      pageInfo: { currentToken: token, nextToken: next, totalCount: total },
    }
  },
})

const getStatus = route({
  method: 'GET',
  path: '/v1/numbers/:id/whatsapp_status',
  summary: 'Retrieve the WhatsApp status of a Number',
  tag,
  feature,
  params,
  load,
  errors: withoutWhatsapp,
  reply: {
    status: 200,
    body: Type.Object({
      wabaId: Type.String(),
      status: oneOf(['ONLINE', 'OFFLINE', 'BLOCKED'] as const),
      canSendMessage: Type.Boolean(),
      messagingLimitTier: Type.String(),
      qualityRating: oneOf(['GREEN', 'YELLOW', 'RED', 'UNKNOWN'] as const),
      businessVerificationStatus: Type.String(),
    }),
  },
  async handle({ loaded, services }) {
    const line = await lineWithWhatsapp(services, loaded)
    return {
      wabaId: line.wabaId,
      status: line.whatsappStatus,
      canSendMessage: line.whatsappStatus === 'ONLINE',
      messagingLimitTier: line.whatsappTier,
      qualityRating: line.whatsappQuality,
      businessVerificationStatus: line.whatsappVerification,
    }
  },
})

export const whatsappRoutes = [sendNative, sendSkipping, listTemplates, getStatus]
