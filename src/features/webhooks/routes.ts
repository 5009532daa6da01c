import { randomUUID } from 'node:crypto'
import { Type } from 'typebox'
import { type Tx, transaction } from '../../db/database.ts'
import { isEventName, isServiceEventName } from '../../domain/events.ts'
import type { Caller } from '../../http/caller.ts'
import { badRequest, notFound } from '../../http/errors.ts'
import { idFromText } from '../../http/input.ts'
import { Meta, metaOf, PageQuery, windowOf } from '../../http/paging.ts'
import { route } from '../../http/route.ts'
import { oneOf, text } from '../../http/schemas.ts'
import { flawOfUrl } from '../../lib/public-url.ts'
import { randomId } from '../../lib/secrets.ts'
import type { Services } from '../../services.ts'
import {
  countWebhooks,
  deleteWebhook,
  findWebhook,
  insertWebhook,
  lockWebhook,
  pageOfWebhooks,
  subscribe,
  subscriptions,
  updateWebhook,
  type Viewer,
  type Webhook,
} from './store.ts'
import { WebhookView, webhookView } from './view.ts'

const tag = 'Webhooks'
const most = 100
const OneWebhook = Type.Object({ webhook: WebhookView })
const WebhookParams = Type.Object({
  webhook_id: Type.String({ maxLength: 64, description: 'UUID, or the numeric id of old' }),
})
const Url = text(2_048, { description: 'Public HTTPS', examples: ['https://example.com/hook'] })
const Events = Type.Optional(Type.Array(text(64), { maxItems: 200, description: 'None: all 67' }))

const viewerOf = ({ via }: Caller): Viewer =>
  via.kind === 'token' ? { kind: 'token', tokenId: via.id } : { kind: 'company' }

const load = ({ params, caller, services }: { params: { webhook_id: string }; caller: Caller; services: Services }) => {
  const ref = idFromText(params.webhook_id) ?? params.webhook_id.toLowerCase()
  return findWebhook(services.db, caller.companyId, viewerOf(caller), ref)
}

const listWebhooks = route({
  method: 'GET',
  path: '/v1/webhooks',
  summary: 'List webhooks',
  tag,
  query: PageQuery,
  reply: { status: 200, body: Type.Object({ meta: Meta, webhooks: Type.Array(WebhookView) }) },
  async handle({ query, caller, services, place }) {
    const window = windowOf(query)
    const { webhooks, total } = await pageOfWebhooks(services.db, caller.companyId, viewerOf(caller), window)
    const views = webhooks.map((webhook) => webhookView(services.links, webhook))
    return { meta: metaOf(place, window, views.length, total), webhooks: views }
  },
})

const getWebhook = route({
  method: 'GET',
  path: '/v1/webhooks/:webhook_id',
  summary: 'Retrieve a webhook',
  tag,
  params: WebhookParams,
  load,
  reply: { status: 200, body: OneWebhook },
  async handle({ loaded, services }) {
    return { webhook: webhookView(services.links, loaded) }
  },
})

const createWebhook = route({
  method: 'POST',
  path: '/v1/webhooks',
  summary: 'Register a webhook',
  description: 'Without events it gets all of them.',
  tag,
  body: Type.Object({ url: Url, custom_name: Type.Optional(text(255)), events: Events }),
  errors: [
    { status: 400, when: 'the url is not public HTTPS, an event is unknown, or there are 100 webhooks already' },
  ],
  reply: { status: 201, body: OneWebhook },
  async handle({ body, caller, services }) {
    requireReceiver(services, body.url)
    const wanted = requireKnown(body.events ?? [])
    const webhook = await transaction(services.db, async (tx) => {
      if ((await countWebhooks(tx, caller.companyId)) >= most) {
        throw badRequest(`A company has at most ${most} webhooks; delete one first`)
      }
      const id = randomUUID()
      const owner = ownerOf(caller)
      const custom = { url: body.url, customName: body.custom_name ?? 'Webhook', token: randomId() }
      await insertWebhook(tx, caller.companyId, { id, ...owner, ...custom }, services.clock.now())
      await subscribe(tx, caller.companyId, id, { all: wanted.length === 0, named: wanted })
      return existing(tx, caller, id)
    })
    return { webhook: webhookView(services.links, webhook) }
  },
})

const updateWebhookRoute = route({
  method: 'PUT',
  path: '/v1/webhooks/:webhook_id',
  summary: 'Update a webhook',
  description:
    'Without events_action, events replaces the list, and no events means all of them again. ' +
    'With events_action=add or remove the names are added or removed; without events the list stays.',
  tag,
  params: WebhookParams,
  load,
  query: Type.Object({ events_action: Type.Optional(oneOf(['add', 'remove'])) }),
  body: Type.Object({
    url: Type.Optional(Url),
    custom_name: Type.Optional(text(255)),
    events: Events,
    active: Type.Optional(Type.Boolean()),
  }),
  errors: [{ status: 400, when: 'the url is not public HTTPS, an event is unknown, or no event would be left' }],
  reply: { status: 200, body: OneWebhook },
  async handle({ body, query, loaded, caller, services }) {
    if (body.url !== undefined) requireReceiver(services, body.url)
    const wanted = requireKnown(body.events ?? [])
    const webhook = await transaction(services.db, async (tx) => {
      const before = await lockWebhook(tx, caller.companyId, viewerOf(caller), loaded.id)
      if (!before) throw notFound()
      await updateWebhook(tx, caller.companyId, before.id, {
        ...(body.url !== undefined && { url: body.url }),
        ...(body.custom_name !== undefined && { custom_name: body.custom_name }),
        ...(body.active !== undefined && { status: body.active ? 'active' : 'paused' }),
      })
      await subscribe(tx, caller.companyId, before.id, nextSubscription(before, wanted, query.events_action))
      return existing(tx, caller, before.id)
    })
    return { webhook: webhookView(services.links, webhook) }
  },
})

const removeWebhook = route({
  method: 'DELETE',
  path: '/v1/webhooks/:webhook_id',
  summary: 'Delete a webhook; its configuration and token are lost',
  tag,
  params: WebhookParams,
  load,
  reply: { status: 204 },
  async handle({ loaded, caller, services }) {
    if (!(await deleteWebhook(services.db, caller.companyId, loaded.id))) throw notFound()
    return {}
  },
})

function nextSubscription(before: Webhook, wanted: string[], action: 'add' | 'remove' | undefined) {
  if (!action) return { all: wanted.length === 0, named: wanted }
  if (wanted.length === 0) return { all: before.allEvents, named: before.named }
  if (action === 'add') {
    const named = [...before.named, ...wanted]
    return { all: before.allEvents, named: before.allEvents ? named.filter(isServiceEventName) : named }
  }
  const left = subscriptions(before).filter((name) => !wanted.includes(name))
  if (left.length === 0) throw badRequest('A webhook needs at least one event; pause it with active=false instead')
  const untouched = before.allEvents && wanted.every(isServiceEventName)
  return { all: untouched, named: untouched ? left.filter(isServiceEventName) : left }
}

function requireReceiver(services: Services, url: string): void {
  const flaw = flawOfUrl(url, { schemes: ['https:'], loopback: services.rules.loopbackReceivers })
  if (flaw) throw badRequest(`\`url\` ${flaw}`)
}

function requireKnown(names: readonly string[]): string[] {
  const unknown = names.find((name) => !isEventName(name) && !isServiceEventName(name))
  if (unknown !== undefined) throw badRequest(`\`events\` names ${unknown.slice(0, 64)}, which is no event of this API`)
  return [...new Set(names)]
}

function ownerOf({ via }: Caller) {
  switch (via.kind) {
    case 'key':
      return { ownerKind: 'basic' as const, oauthTokenId: null }
    case 'session':
      return { ownerKind: 'dashboard' as const, oauthTokenId: null }
    case 'token':
      return { ownerKind: 'oauth' as const, oauthTokenId: via.id }
  }
}

async function existing(tx: Tx, caller: Caller, id: string): Promise<Webhook> {
  const webhook = await findWebhook(tx, caller.companyId, viewerOf(caller), id)
  if (!webhook) throw new Error('a webhook that was just written is there')
  return webhook
}

export const webhookRoutes = [listWebhooks, getWebhook, createWebhook, updateWebhookRoute, removeWebhook]
