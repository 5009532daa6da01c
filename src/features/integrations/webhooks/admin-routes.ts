// Webhooks of all owners for keys that administer the company: /v1/webhooks has those of keys and the dashboard, not those of apps.
import { type Static, Type } from 'typebox'
import { transaction } from '../../../db/database.ts'
import type { Caller } from '../../../http/caller.ts'
import { notFound } from '../../../http/errors.ts'
import { idFromText } from '../../../http/input.ts'
import { Meta, metaOf, PageQuery, windowOf } from '../../../http/paging.ts'
import { route } from '../../../http/route.ts'
import { nullable, oneOf, Timestamp } from '../../../http/schemas.ts'
import { isoMillis } from '../../../lib/time-format.ts'
import type { Services } from '../../../services.ts'
import { audit } from '../../accounts/index.ts'
import { WebhookParams } from './access.ts'
import { deleteWebhook, switchWebhookIn, webhookEntry } from './changes.ts'
import { scheduleReconciliation } from './reconciliation.ts'
import {
  findWebhook,
  lockWebhook,
  ownersOf,
  pageOfWebhooks,
  subscriptions,
  type Webhook,
  type WebhookOwner,
} from './store.ts'

const tag = 'Webhooks'
const everyone = { kind: 'everyone' } as const

/** Without its token: that belongs to the owner. */
const OwnedWebhookView = Type.Object({
  webhook_id: Type.String({ format: 'uuid' }),
  created_at: Timestamp,
  url: Type.String(),
  active: Type.Boolean({ description: 'false: paused or disabled' }),
  status: oneOf(['active', 'paused', 'disabled'], {
    description: '`paused` by a person or API client, `disabled` by the service after failed deliveries',
  }),
  events: Type.Array(Type.String(), { description: 'Unordered' }),
  custom_name: Type.String(),
  owner: Type.Object(
    {
      kind: oneOf(['api_key', 'dashboard', 'oauth_app'], { description: 'What created the webhook' }),
      name: nullable(Type.String({ description: 'Name of the API key or OAuth app' })),
    },
    { description: 'The API key or OAuth app that created the webhook' },
  ),
})

const ownerKinds = { basic: 'api_key', dashboard: 'dashboard', oauth: 'oauth_app' } as const

function ownedWebhookView(webhook: Webhook, owner: WebhookOwner | undefined): Static<typeof OwnedWebhookView> {
  return {
    webhook_id: webhook.id,
    created_at: isoMillis(webhook.createdAt),
    url: webhook.url,
    active: webhook.active,
    status: webhook.status,
    events: subscriptions(webhook),
    custom_name: webhook.customName,
    owner: { kind: ownerKinds[owner?.kind ?? 'dashboard'], name: owner?.name ?? null },
  }
}

interface Loading {
  params: { webhook_id: string }
  caller: Caller
  services: Services
}

function loadOwned({ params, caller, services }: Loading) {
  const ref = idFromText(params.webhook_id) ?? params.webhook_id.toLowerCase()
  return findWebhook(services.db, caller.companyId, everyone, ref)
}

const listAllWebhooks = route({
  method: 'GET',
  path: '/v1/admin/webhooks',
  operationId: 'listAllWebhooks',
  summary: 'List the webhooks of the dashboard, of all API keys and of all OAuth apps',
  tag,
  access: 'key',
  query: PageQuery,
  reply: { status: 200, body: Type.Object({ meta: Meta, webhooks: Type.Array(OwnedWebhookView) }) },
  async handle({ query, caller: { companyId }, services: { db }, place }) {
    const window = windowOf(query)
    const { webhooks, total } = await pageOfWebhooks(db, companyId, everyone, window)
    const ids = webhooks.map(({ id }) => id)
    const owners = await ownersOf(db, companyId, ids)
    const views = webhooks.map((webhook) => ownedWebhookView(webhook, owners.get(webhook.id)))
    return { meta: metaOf(place, window, views.length, total), webhooks: views }
  },
})

const switchWebhook = route({
  method: 'PUT',
  path: '/v1/admin/webhooks/:webhook_id',
  operationId: 'switchWebhook',
  summary: 'Pause or resume a webhook of any owner',
  tag,
  access: 'key',
  params: WebhookParams,
  load: loadOwned,
  body: Type.Object({ active: Type.Boolean({ description: 'false: pause' }) }),
  reply: { status: 200, body: Type.Object({ webhook: OwnedWebhookView }) },
  async handle({ loaded, body, caller, services, address }) {
    const { companyId } = caller
    const webhook = await transaction(services.db, async (tx) => {
      const before = await lockWebhook(tx, companyId, everyone, loaded.id)
      if (!before) throw notFound()
      await switchWebhookIn(services, tx, caller, before, body.active)
      await scheduleReconciliation(tx, companyId, before.id, services.clock.now())
      const details = { fields: ['active'] }
      await audit(services, tx, companyId, { ...webhookEntry(before.id, 'changed', caller, address), details })
      return findWebhook(tx, companyId, everyone, before.id)
    })
    if (!webhook) throw notFound()
    const owners = await ownersOf(services.db, companyId, [webhook.id])
    return { webhook: ownedWebhookView(webhook, owners.get(webhook.id)) }
  },
})

const removeAnyWebhook = route({
  method: 'DELETE',
  path: '/v1/admin/webhooks/:webhook_id',
  operationId: 'deleteAnyWebhook',
  summary: 'Delete a webhook of any owner; its configuration and token are lost',
  tag,
  access: 'key',
  params: WebhookParams,
  load: loadOwned,
  reply: { status: 204 },
  async handle({ loaded, caller, services, address }) {
    await deleteWebhook(services, caller, loaded, address)
    return {}
  },
})

export const adminWebhookRoutes = [listAllWebhooks, switchWebhook, removeAnyWebhook]
