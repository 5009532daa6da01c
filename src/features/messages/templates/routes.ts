import { Type } from 'typebox'
import { transaction } from '../../../db/database.ts'
import { maxSmsTextLength } from '../../../domain/message.ts'
import { badRequest, notFound } from '../../../http/errors.ts'
import { Meta, metaOf, PageQuery, windowOf } from '../../../http/paging.ts'
import { route } from '../../../http/route.ts'
import { Id, nameText, text } from '../../../http/schemas.ts'
import { anyRole } from '../../accounts/index.ts'
import { deleteSmsTemplate, findSmsTemplate, insertSmsTemplate, smsTemplatesOf, updateSmsTemplate } from './store.ts'

const tag = 'Messages'
const maxTemplates = 500
const TemplateView = Type.Object({ id: Type.Integer(), name: Type.String(), body: Type.String() })
const OneTemplate = Type.Object({ template: TemplateView })
const params = Type.Object({ id: Id })
const fields = { name: nameText(255), body: text(maxSmsTextLength) }

const listTemplates = route({
  method: 'GET',
  path: '/v1/sms/templates',
  summary: 'List SMS templates',
  tag,
  roles: anyRole,
  query: Type.Object({
    ...PageQuery.properties,
    search: Type.Optional(Type.String({ maxLength: 255, description: 'Case-insensitive search in name and body' })),
  }),
  reply: { status: 200, body: Type.Object({ meta: Meta, templates: Type.Array(TemplateView) }) },
  async handle({ query, caller, services, place }) {
    const window = windowOf(query)
    const wanted = (query.search ?? '').toLowerCase()
    const found = (await smsTemplatesOf(services.db, caller.companyId)).filter(
      ({ name, body }) => name.toLowerCase().includes(wanted) || body.toLowerCase().includes(wanted),
    )
    if (window.order === 'desc') found.reverse()
    const templates = found.slice(window.offset, window.offset + window.limit)
    return { meta: metaOf(place, window, templates.length, found.length), templates }
  },
})

const createTemplate = route({
  method: 'POST',
  path: '/v1/sms/templates',
  summary: 'Create an SMS template',
  tag,
  access: 'app',
  body: Type.Object(fields),
  errors: [{ status: 400, when: `the company already has ${maxTemplates} templates` }],
  reply: { status: 201, body: OneTemplate },
  async handle({ body, caller, services: { db, clock } }) {
    if ((await smsTemplatesOf(db, caller.companyId)).length >= maxTemplates)
      throw badRequest(`The company already has ${maxTemplates} templates; delete one first`)
    return { template: await insertSmsTemplate(db, caller.companyId, body, clock.now()) }
  },
})

const changeTemplate = route({
  method: 'PUT',
  path: '/v1/sms/templates/:id',
  summary: 'Update an SMS template',
  tag,
  access: 'app',
  params,
  load: ({ params: { id }, caller, services }) => findSmsTemplate(services.db, caller.companyId, id),
  edits: { object: 'sms_template', view: ({ loaded }) => loaded },
  body: Type.Partial(Type.Object(fields)),
  reply: { status: 200, body: OneTemplate },
  async handle({ body, loaded, caller, services }) {
    const template = await transaction(services.db, (tx) =>
      updateSmsTemplate(tx, caller.companyId, { ...loaded, ...body }),
    )
    if (!template) throw notFound()
    return { template }
  },
})

const removeTemplate = route({
  method: 'DELETE',
  path: '/v1/sms/templates/:id',
  summary: 'Delete an SMS template',
  tag,
  access: 'app',
  params,
  load: ({ params: { id }, caller, services }) => findSmsTemplate(services.db, caller.companyId, id),
  reply: { status: 204 },
  async handle({ loaded, caller, services }) {
    if (!(await deleteSmsTemplate(services.db, caller.companyId, loaded.id))) throw notFound()
    return {}
  },
})

export const smsTemplateRoutes = [listTemplates, createTemplate, changeTemplate, removeTemplate]
