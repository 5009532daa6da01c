import { type Static, Type } from 'typebox'
import { fillTemplate, type PlaceholderValues } from '../../../domain/whatsapp-template.ts'
import { badRequest } from '../../../http/errors.ts'
import { oneOf, text } from '../../../http/schemas.ts'
import type { Services } from '../../../services.ts'
import type { MessageLine } from '../lines/store.ts'
import { mustBeMedium } from '../messages/fields.ts'
import type { Sending } from '../transport/send.ts'
import { findTemplate } from '../whatsapp/store.ts'

const mediaKinds = ['text', 'image', 'video', 'document'] as const

/** A template and the values of its placeholders. */
export const TemplateParams = Type.Object({
  id: Type.Unsafe<string | number>({
    'x-any': true,
    description: 'String or Integer: `id` from the list of templates',
  }),
  language: Type.Optional(text(16, { examples: ['en'] })),
  header: Type.Optional(
    Type.Object({
      type: oneOf(mediaKinds),
      text: Type.Optional(text(1_024)),
      mediaUrl: Type.Optional(text(2_048)),
      filename: Type.Optional(text(255)),
    }),
  ),
  body: Type.Optional(Type.Array(Type.Object({ key: text(16), value: text(1_024) }), { maxItems: 100 })),
  buttons: Type.Optional(
    Type.Array(
      Type.Object({
        index: Type.Integer({ minimum: 0, maximum: 9 }),
        type: oneOf(['url', 'quick_reply'] as const),
        value: text(2_000),
      }),
      { maxItems: 10 },
    ),
  ),
})

/** Renders the template for the recipient; throws if the parameters do not match it. */
export async function filledTemplate(
  { db, rules }: Services,
  companyId: number,
  line: MessageLine,
  params: Static<typeof TemplateParams>,
  media: readonly string[],
): Promise<NonNullable<Sending['template']>> {
  const id = typeof params.id === 'string' && /^\d{1,15}$/.test(params.id) ? Number(params.id) : params.id
  if (typeof id !== 'number') throw badRequest('`templateParams.id` must be the id of a template')
  if (line.wabaId === null)
    throw badRequest('The Number has no WhatsApp Business Account; an admin can connect one under SMS & WhatsApp')
  const template = await findTemplate(db, companyId, line.wabaId, id)
  if (!template)
    throw badRequest('`templateParams.id` is not a template of this Number; see GET /v1/numbers/:id/templates')
  if (template.status !== 'APPROVED') throw badRequest(`The template is not approved; its status is ${template.status}`)
  const header = params.header?.mediaUrl
  if (header !== undefined) mustBeMedium(rules, 'templateParams.header.mediaUrl', header)
  const result = fillTemplate(template, params as PlaceholderValues, media[0])
  if ('mistake' in result) throw badRequest(result.mistake)
  return { content: result, params }
}
