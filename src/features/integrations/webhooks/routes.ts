import { randomUUID } from 'node:crypto'
import { Type } from 'typebox'
import { type Tx, transaction } from '../../../db/database.ts'
import { isEventName, isServiceEventName } from '../../../domain/events.ts'
import type { Caller } from '../../../http/caller.ts'
import { badRequest, notFound } from '../../../http/errors.ts'
import { Meta, metaOf, PageQuery, windowOf } from '../../../http/paging.ts'
import { route } from '../../../http/route.ts'
import { nameText, oneOf, Timestamp, text } from '../../../http/schemas.ts'
import { day } from '../../../lib/clock.ts'
import { randomId } from '../../../lib/secrets.ts'
import { isoMillis } from '../../../lib/time-format.ts'
import { newSigningSecret } from '../../../lib/webhook-signature.ts'
import type { Services } from '../../../services.ts'
import { audit } from '../../accounts/index.ts'
import { loadWebhook, viewerOf, WebhookParams } from './access.ts'
import { deleteWebhook, switchWebhookIn, unproven, webhookEntry } from './changes.ts'
import { scheduleReconciliation } from './reconciliation.ts'
import {
  countWebhooks,
  findWebhook,
  healthOf,
  insertWebhook,
  lockWebhook,
  makerOfKey,
  pageOfWebhooks,
  subscribe,
  subscriptions,
  updateWebhook,
  type Webhook,
} from './store.ts'
import { WebhookView, webhookView } from './view.ts'

const tag = 'Webhooks'
const maxWebhooks = 100
const OneWebhook = Type.Object({ webhook: WebhookView })
const SigningSecret = Type.String({ description: 'Signs every request to the url; returned only once' })
const NewWebhook = Type.Object({ webhook: WebhookView, signing_secret: SigningSecret })
const secretOverlapMs = day
const Url = text(2_048, { description: 'Public HTTPS', examples: ['https://example.com/hook'] })
const Events = Type.Optional(Type.Array(text(64), { maxItems: 200, description: 'None: all 67' }))

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
  load: loadWebhook,
  reply: { status: 200, body: OneWebhook },
  async handle({ loaded, services }) {
    return { webhook: webhookView(services.links, loaded) }
  },
})

const createWebhook = route({
  method: 'POST',
  path: '/v1/webhooks',
  summary: 'Register a webhook',
  description:
    'Without `events` it receives all events. The response contains the signing secret, only this once: store it.',
  tag,
  body: Type.Object({ url: Url, custom_name: Type.Optional(nameText(255)), events: Events }),
  errors: [
    { status: 400, when: 'the url is not public HTTPS, an event is unknown, or the company already has 100 webhooks' },
  ],
  reply: { status: 201, body: NewWebhook },
  async handle({ body, caller, services, address }) {
    requireReceiver(services, body.url)
    const wanted = requireKnown(body.events ?? [])
    const secret = newSigningSecret()
    const webhook = await transaction(services.db, async (tx) => {
      if ((await countWebhooks(tx, caller.companyId)) >= maxWebhooks) {
        throw badRequest(`A company has at most ${maxWebhooks} webhooks; delete one first`)
      }
      const id = randomUUID()
      const owner = { ...ownerOf(caller), createdBy: await makerOf(tx, caller) }
      const custom = { url: body.url, customName: body.custom_name ?? 'Webhook', token: randomId() }
      const sealed = { secretSealed: services.vault.seal(secret) }
      await insertWebhook(tx, caller.companyId, { id, ...owner, ...custom, ...sealed }, services.clock.now())
      await subscribe(tx, caller.companyId, id, { all: wanted.length === 0, named: wanted })
      await audit(services, tx, caller.companyId, webhookEntry(id, 'created', caller, address))
      return existing(tx, caller, id)
    })
    return { webhook: webhookView(services.links, webhook), signing_secret: secret }
  },
})

const rotateSecret = route({
  method: 'POST',
  path: '/v1/webhooks/:webhook_id/secret/rotations',
  summary: 'Rotate the signing secret',
  description:
    'The response contains the new secret, only this once. For 24 hours requests are signed with both secrets, so ' +
    'that the receiver can be updated without losing events. A second rotation within that time revokes the oldest secret at once.',
  tag,
  params: WebhookParams,
  load: loadWebhook,
  reply: { status: 201, body: Type.Object({ signing_secret: SigningSecret, previous_valid_until: Timestamp }) },
  async handle({ loaded, caller, services, address }) {
    const secret = newSigningSecret()
    const until = services.clock.now() + secretOverlapMs
    await transaction(services.db, async (tx) => {
      if (!(await lockWebhook(tx, caller.companyId, viewerOf(caller), loaded.id))) throw notFound()
      const before = await healthOf(tx, caller.companyId, loaded.id)
      await updateWebhook(tx, caller.companyId, loaded.id, {
        secret_current: services.vault.seal(secret),
        secret_previous: before?.secret_current ?? null,
        secret_previous_until: until,
      })
      await audit(services, tx, caller.companyId, webhookEntry(loaded.id, 'secret_rotated', caller, address))
    })
    return { signing_secret: secret, previous_valid_until: isoMillis(until) }
  },
})

const updateWebhookRoute = route({
  method: 'PUT',
  path: '/v1/webhooks/:webhook_id',
  summary: 'Update a webhook',
  description:
    'Changes only the given fields. Without events_action, `events` replaces the list, and an empty list means ' +
    'all events. With events_action=add or remove, the events are added or removed.',
  tag,
  params: WebhookParams,
  load: loadWebhook,
  query: Type.Object({ events_action: Type.Optional(oneOf(['add', 'remove'])) }),
  edits: { object: 'webhook', view: ({ loaded, services }) => webhookView(services.links, loaded) },
  body: Type.Object({
    url: Type.Optional(Url),
    custom_name: Type.Optional(nameText(255)),
    events: Events,
    active: Type.Optional(Type.Boolean()),
  }),
  errors: [{ status: 400, when: 'the url is not public HTTPS, an event is unknown, or no event would be left' }],
  reply: { status: 200, body: OneWebhook },
  async handle({ body, query, loaded, caller, services, address }) {
    if (body.url !== undefined) requireReceiver(services, body.url)
    const wanted = body.events && requireKnown(body.events)
    const webhook = await transaction(services.db, async (tx) => {
      const before = await lockWebhook(tx, caller.companyId, viewerOf(caller), loaded.id)
      if (!before) throw notFound()
      const at = services.clock.now()
      await updateWebhook(tx, caller.companyId, before.id, {
        ...(body.custom_name !== undefined && { custom_name: body.custom_name }),
        ...(body.url !== undefined && body.url !== before.url && { url: body.url, ...unproven }),
      })
      if (body.active !== undefined) await switchWebhookIn(services, tx, caller, before, body.active)
      await scheduleReconciliation(tx, caller.companyId, before.id, at)
      if (wanted) {
        await subscribe(tx, caller.companyId, before.id, nextSubscription(before, wanted, query.events_action))
      }
      const details = { fields: Object.keys(body).toSorted() }
      await audit(services, tx, caller.companyId, { ...webhookEntry(before.id, 'changed', caller, address), details })
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
  load: loadWebhook,
  reply: { status: 204 },
  async handle({ loaded, caller, services, address }) {
    await deleteWebhook(services, caller, loaded, address)
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
  const issue = services.outbound.urlProblem(url)
  if (issue) throw badRequest(`\`url\` ${issue}`)
}

function requireKnown(names: readonly string[]): string[] {
  const unknown = names.find((name) => !isEventName(name) && !isServiceEventName(name))
  if (unknown !== undefined)
    throw badRequest(`\`events\` names ${unknown.slice(0, 64)}, which is not an event of this API`)
  return [...new Set(names)]
}

function ownerOf({ via }: Caller) {
  switch (via.kind) {
    case 'key':
      return { ownerKind: 'basic' as const, oauthTokenId: null, apiKeyId: via.id }
    case 'session':
      return { ownerKind: 'dashboard' as const, oauthTokenId: null, apiKeyId: null }
    case 'token':
      return { ownerKind: 'oauth' as const, oauthTokenId: via.id, apiKeyId: null }
  }
}

const makerOf = async (tx: Tx, { via, companyId }: Caller): Promise<number | null> => {
  if (via.kind === 'session') return via.userId
  return via.kind === 'key' ? makerOfKey(tx, companyId, via.id) : null
}

async function existing(tx: Tx, caller: Caller, id: string): Promise<Webhook> {
  const webhook = await findWebhook(tx, caller.companyId, viewerOf(caller), id)
  if (!webhook) throw new Error('the webhook that was just inserted was not found')
  return webhook
}

export const webhookRoutes = [listWebhooks, getWebhook, createWebhook, updateWebhookRoute, removeWebhook, rotateSecret]
