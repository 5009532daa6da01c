import { Type } from 'typebox'
import type { CompanyId } from '../../../db/tables.ts'
import type { Caller } from '../../../http/caller.ts'
import { badRequest, notFound } from '../../../http/errors.ts'
import { type Input, type Route, route } from '../../../http/route.ts'
import { Id, nameText, nullable } from '../../../http/schemas.ts'
import { viewContextOf } from '../../../http/view-context.ts'
import type { Services } from '../../../services.ts'
import {
  actorOf,
  findIntegration,
  type Integration,
  listIntegrations,
  usersById,
  type Which,
} from '../../accounts/index.ts'
import { changeIntegration } from './actions.ts'
import { allNumberIds } from './store.ts'
import { uninstall } from './uninstall.ts'
import { InstalledView, IntegrationView, installedView, integrationView, whichHas } from './view.ts'

const tag = 'Integrations'
const OneIntegration = Type.Object({ integration: IntegrationView })

/** The installed app of a token, or the API key. Undefined for a signed-in user. */
function ownOf({ via }: Caller): Which | undefined {
  if (via.kind === 'session') return undefined
  return { kind: via.kind === 'token' ? 'oauth' : 'api_key', row: via.id }
}

const loadOwn = async ({ caller, services }: { caller: Caller; services: Services }) => {
  const which = ownOf(caller)
  return which && findIntegration(services.db, caller.companyId, which)
}

async function viewsOf<V>(
  services: Services,
  companyId: CompanyId,
  integrations: readonly Integration[],
  view: (...facts: Parameters<typeof integrationView>) => V,
): Promise<V[]> {
  const numbers = await allNumberIds(services.db, companyId)
  const ids = integrations.flatMap(({ userId }) => userId ?? [])
  const people = await usersById(services.db, companyId, ids)
  const context = viewContextOf(services)
  return integrations.map((one) => view(context, one, numbers, people.get(one.userId ?? 0)))
}

async function oneView<V>(
  services: Services,
  integration: Integration,
  view: (...facts: Parameters<typeof integrationView>) => V,
): Promise<V> {
  const [shown] = await viewsOf(services, integration.companyId, [integration], view)
  if (shown === undefined) throw new Error('no view of the integration')
  return shown
}

type Asker = Pick<Input<never, never, never, never>, 'caller' | 'address'>
const authorOf = ({ caller, address }: Asker) => ({ companyId: caller.companyId, actor: actorOf(caller), address })

const getOwn = route({
  method: 'GET',
  path: '/v1/integrations/me',
  summary: 'Retrieve the integration of these credentials',
  description: 'The installed app for an OAuth token, the API key for Basic credentials.',
  tag,
  load: loadOwn,
  errors: [{ status: 404, when: 'under /app: a signed-in user is not an integration' }],
  reply: { status: 200, body: OneIntegration },
  async handle({ loaded, services }) {
    return { integration: await oneView(services, loaded, integrationView) }
  },
})

const switching = (word: 'enable' | 'disable', summary: string) =>
  route({
    method: 'POST',
    path: `/v1/integrations/${word}`,
    summary,
    tag,
    load: loadOwn,
    errors: [{ status: 404, when: 'under /app: a signed-in user is not an integration' }],
    reply: { status: 200, body: OneIntegration },
    async handle({ loaded, caller, address, services }) {
      const params = { active: word === 'enable' }
      const now = await changeIntegration(services, authorOf({ caller, address }), loaded.which, params)
      return { integration: await oneView(services, now, integrationView) }
    },
  })

const enable = switching('enable', 'Resume the deliveries of webhooks created with these credentials')
const disable = switching(
  'disable',
  'Pause the deliveries of webhooks created with these credentials; the credentials remain valid',
)

const list = route({
  method: 'GET',
  path: '/v1/integrations',
  summary: 'List installed apps and API keys',
  tag,
  access: 'app',
  reply: { status: 200, body: Type.Object({ integrations: Type.Array(InstalledView) }) },
  async handle({ caller: { companyId }, services }) {
    const integrations = await listIntegrations(services.db, companyId)
    return { integrations: await viewsOf(services, companyId, integrations, installedView) }
  },
})

const byId = {
  params: Type.Object({ id: Id }),
  load: ({ params, caller, services }: { params: { id: number }; caller: Caller; services: Services }) =>
    findIntegration(services.db, caller.companyId, whichHas(params.id)),
}

const update = route({
  method: 'PUT',
  path: '/v1/integrations/:id',
  summary: 'Enable, disable or rename an integration, or limit it to some Numbers',
  tag,
  access: 'app',
  ...byId,
  edits: { object: 'integration', view: ({ loaded, services }) => oneView(services, loaded, installedView) },
  body: Type.Object({
    active: Type.Optional(Type.Boolean()),
    custom_name: Type.Optional(nullable(nameText(255))),
    number_ids: Type.Optional(
      nullable(Type.Array(Id, { minItems: 1, maxItems: 1_000, description: 'Only these Numbers; null: all' })),
    ),
  }),
  errors: [
    {
      status: 400,
      when: 'a Number does not belong to the company, or the integration is an API key, which cannot be limited to Numbers',
    },
  ],
  reply: { status: 200, body: Type.Object({ integration: InstalledView }) },
  async handle({ body, loaded, caller, address, services }) {
    const params = { active: body.active, customName: body.custom_name, numberIds: body.number_ids }
    const now = await changeIntegration(services, authorOf({ caller, address }), loaded.which, params)
    return { integration: await oneView(services, now, installedView) }
  },
})

const remove = route({
  method: 'DELETE',
  path: '/v1/integrations/:id',
  summary: 'Uninstall an app; its token is rejected from the next request on',
  description: 'Its webhooks receive `integration.deleted` and are deleted afterwards.',
  tag,
  access: 'app',
  ...byId,
  errors: [{ status: 400, when: 'it is an API key: revoke it with DELETE /app/v1/api_keys/:id' }],
  reply: { status: 204 },
  async handle({ loaded, caller, address, services }) {
    const { kind, row } = loaded.which
    if (kind === 'api_key') throw badRequest('This is an API key; revoke it under API keys')
    const removal = { by: actorOf(caller), why: 'uninstalled', address } as const
    if (!(await uninstall(services, caller.companyId, row, removal))) throw notFound()
    return {}
  },
})

export const integrationRoutes: Route[] = [getOwn, enable, disable, list, update, remove]
