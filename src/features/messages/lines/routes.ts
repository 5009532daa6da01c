import { Type } from 'typebox'
import { badRequest, notFound } from '../../../http/errors.ts'
import { route } from '../../../http/route.ts'
import { Id, text } from '../../../http/schemas.ts'
import { findUrlProblem } from '../../../lib/public-url.ts'
import { randomId } from '../../../lib/secrets.ts'
import type { Services } from '../../../services.ts'
import { findNumber } from '../../accounts/index.ts'
import { deleteConfiguration, findConfiguration, saveConfiguration } from './store.ts'

// Configuration for messages that bypass the inbox.

const tag = 'Messages'
const path = '/v1/numbers/:id/messages/configuration'
const params = Type.Object({ id: Id })
const ConfigurationView = Type.Object({
  token: Type.String({ description: 'Sent in every callback; generated once' }),
  callbackUrl: Type.String(),
  type: Type.String(),
})
type Loading = { params: { id: number }; caller: { companyId: number }; services: Services }
const loadNumber = ({ params: { id }, caller, services }: Loading) => findNumber(services.db, caller.companyId, id)
const loadConfiguration = ({ params: { id }, caller, services }: Loading) =>
  findConfiguration(services.db, caller.companyId, id)

const postConfiguration = route({
  method: 'POST',
  path,
  summary: 'Create or update the configuration for messages that bypass the inbox',
  tag,
  params,
  load: loadNumber,
  body: Type.Object({
    callbackUrl: text(2_048, { description: 'Public HTTPS URL', examples: ['https://crm.example.com/callbacks'] }),
    type: Type.Optional(text(64, { description: '`whatsapp` for WhatsApp Numbers; default: `Public Api`' })),
  }),
  errors: [{ status: 400, when: 'callbackUrl is not a public HTTPS URL' }],
  reply: { status: 200, body: ConfigurationView },
  async handle({ body, loaded, caller, services }) {
    const { db, clock, rules } = services
    const issue =
      services.outbound.urlProblem(body.callbackUrl) ??
      findUrlProblem(body.callbackUrl, { schemes: ['https:'], loopback: rules.loopbackReceivers })
    if (issue) throw badRequest(`\`callbackUrl\` ${issue}`)
    const { callbackUrl, type = 'Public Api' } = body
    const given = { numberId: loaded.id, token: randomId(), callbackUrl, type }
    const { token, ...saved } = await saveConfiguration(db, caller.companyId, given, clock.now())
    return { token, callbackUrl: saved.callbackUrl, type: saved.type }
  },
})

const getConfiguration = route({
  method: 'GET',
  path,
  summary: 'Retrieve the configuration for messages that bypass the inbox',
  tag,
  params,
  load: loadConfiguration,
  reply: { status: 200, body: ConfigurationView },
  handle: async ({ loaded: { token, callbackUrl, type } }) => ({ token, callbackUrl, type }),
})

const removeConfiguration = route({
  method: 'DELETE',
  path,
  summary: 'Delete the configuration; messages go to the inbox again',
  tag,
  params,
  load: loadConfiguration,
  reply: { status: 204 },
  async handle({ loaded, caller, services }) {
    if (!(await deleteConfiguration(services.db, caller.companyId, loaded.numberId))) throw notFound()
    return {}
  },
})

export const messageLineRoutes = [postConfiguration, getConfiguration, removeConfiguration]
