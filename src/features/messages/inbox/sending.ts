import { type Static, Type } from 'typebox'
import { maxMedia, maxMediaBytes, maxSmsTextLength, maxWhatsappTextLength } from '../../../domain/message.ts'
import { type Caller, hasFeature } from '../../../http/caller.ts'
import { badRequest, forbidden, notFound, unprocessable } from '../../../http/errors.ts'
import { route } from '../../../http/route.ts'
import { oneOf, text } from '../../../http/schemas.ts'
import type { Services } from '../../../services.ts'
import { anyRole, findNumber, userIdOf } from '../../accounts/index.ts'
import { findLine } from '../lines/store.ts'
import type { Medium, Message } from '../messages/store.ts'
import { filledTemplate, TemplateParams } from '../templates/fill.ts'
import { sendMessage } from '../transport/send.ts'
import { pageOfTemplates } from '../whatsapp/store.ts'
import { inboxTag, loadConversation, mustWrite, params } from './access.ts'
import type { Conversation } from './conversations-store.ts'
import { addressesOf, loadConversationContext } from './timeline.ts'
import { claimUploads, storeUpload } from './uploads.ts'
import { messageItem, TimelineItem } from './view.ts'

const common = { tag: inboxTag, access: 'app', roles: anyRole } as const
const maxTemplates = 200
// A file of the maximum size in base64, and the rest of the body.
const bodyLimit = Math.ceil(maxMediaBytes / 3) * 4 + 4_096

const SendRequest = Type.Object({
  channel: oneOf(['texts', 'whatsapp'] as const),
  text: Type.Optional(Type.String({ maxLength: maxWhatsappTextLength })),
  files: Type.Optional(
    Type.Array(
      Type.Object({
        id: text(40, {
          description: '`id` from POST /v1/message_uploads',
          examples: ['0a1b2c3d4e5f60718293a4b5c6d7e8f9.png'],
        }),
        name: text(255),
      }),
      { maxItems: maxMedia },
    ),
  ),
  template: Type.Optional(TemplateParams),
})

const sendInConversation = route({
  ...common,
  method: 'POST',
  path: '/v1/conversations/:id/messages',
  keyedInApps: true,
  summary: 'Send a message in a conversation',
  description: 'Give text, files or both; or, by WhatsApp, a template with its values.',
  params,
  load: loadConversation,
  body: SendRequest,
  errors: [
    { status: 400, when: 'the Number cannot send it, a recipient has opted out, or an uploaded file has expired' },
    { status: 403, when: 'the caller may only read the conversation, or the plan does not include WhatsApp' },
    { status: 422, when: 'there is nothing to send' },
  ],
  reply: { status: 201, body: Type.Object({ item: TimelineItem }) },
  async handle({ loaded, body, caller, services }) {
    await mustWrite(services, caller, loaded)
    const message = await send(services, caller, loaded, body)
    const company = await loadConversationContext(services.db, caller.companyId, {
      conversations: [loaded],
      messages: [message],
    })
    return { item: messageItem(company, addressesOf(services), message) }
  },
})

async function send(
  services: Services,
  caller: Caller,
  conversation: Conversation,
  { channel, text: words = '', files: chosen = [], template: params }: Static<typeof SendRequest>,
): Promise<Message> {
  const { db } = services
  const { companyId } = caller
  const { external, participants, numberId } = conversation
  const isWhatsapp = channel === 'whatsapp'
  if (isWhatsapp && !hasFeature(caller.company, 'whatsapp')) throw forbidden('The plan does not include WhatsApp')
  if (isWhatsapp && external === null) throw badRequest('Groups can receive SMS and MMS only')
  if (params && !isWhatsapp) throw badRequest('A template can be sent by WhatsApp only')
  if (params && (words.trim() !== '' || chosen.length > 0)) throw badRequest('Send a template without text and files')
  if (!params && words.trim() === '' && chosen.length === 0) throw unprocessable('`text` or `files` is mandatory')
  if (!isWhatsapp && words.length > maxSmsTextLength)
    throw badRequest(`\`text\` may have at most ${maxSmsTextLength} characters`)
  const number = await findNumber(db, companyId, numberId)
  if (!number) throw notFound()
  const userId = userIdOf(caller)
  const template =
    params && (await filledTemplate(services, companyId, await findLine(db, companyId, numberId), params, []))
  const header = template?.content.header?.url
  const files = chosen.length === 0 ? [] : await claimUploads(services, companyId, userId ?? 0, chosen)
  return sendMessage(services, companyId, {
    number,
    to: external ?? participants ?? [],
    mode: 'native',
    channel: isWhatsapp ? 'whatsapp' : null,
    body: template ? template.content.body : words,
    media: header === undefined ? [] : [header],
    files,
    ...(userId !== null && { userId }),
    ...(template ? { template, type: 'template' } : { type: kindOf(files) }),
  })
}

/** WhatsApp message type, determined by the first file. */
function kindOf([first]: readonly Medium[]): string {
  const kind = first?.type.split('/')[0] ?? 'text'
  return first && !['image', 'video', 'audio'].includes(kind) ? 'document' : kind
}

const postUpload = route({
  ...common,
  method: 'POST',
  path: '/v1/message_uploads',
  summary: 'Upload a file to be sent in a conversation; it is deleted after a day',
  description: 'Images, mp3, ogg, mp4, PDF and vCards of at most 5 MB. The type is detected from the content.',
  bodyLimit,
  body: Type.Object({ data: text(bodyLimit, { description: 'The file in base64' }) }),
  errors: [{ status: 400, when: 'the file is too large, or its type cannot be sent' }],
  reply: {
    status: 201,
    body: Type.Object({
      upload: Type.Object({ id: Type.String(), type: Type.String(), size: Type.Integer({ description: 'Bytes' }) }),
    }),
  },
  async handle({ body: { data }, caller, services }) {
    if (!/^[A-Za-z0-9+/]+={0,2}$/.test(data)) throw badRequest('`data` must be a file in base64')
    const bytes = Buffer.from(data, 'base64')
    return { upload: await storeUpload(services, caller.companyId, userIdOf(caller) ?? 0, bytes) }
  },
})

const listTemplates = route({
  ...common,
  method: 'GET',
  path: '/v1/conversations/:id/templates',
  summary: 'List the approved WhatsApp templates of the conversation’s Number',
  feature: 'whatsapp',
  params,
  load: loadConversation,
  reply: {
    status: 200,
    body: Type.Object({
      templates: Type.Array(
        Type.Object({
          id: Type.Integer(),
          name: Type.String(),
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
                  }),
                ),
              ),
            }),
          ),
        }),
      ),
    }),
  },
  async handle({ loaded, caller, services: { db } }) {
    const { wabaId } = await findLine(db, caller.companyId, loaded.numberId)
    if (wabaId === null) return { templates: [] }
    const { templates } = await pageOfTemplates(db, caller.companyId, {
      wabaId,
      status: 'APPROVED',
      category: undefined,
      sort: 'name',
      descending: false,
      offset: 0,
      limit: maxTemplates,
    })
    return { templates }
  },
})

export const sendingRoutes = [sendInConversation, postUpload, listTemplates]
