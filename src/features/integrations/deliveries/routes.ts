import { Type } from 'typebox'
import { transaction } from '../../../db/database.ts'
import { disablesAt } from '../../../domain/delivery/health.ts'
import { type AnyEventName, isEventName, isServiceEventName } from '../../../domain/events.ts'
import type { Caller } from '../../../http/caller.ts'
import { badRequest, notFound, tooManyRequests } from '../../../http/errors.ts'
import { Meta, metaOf, RangeQuery, windowOf } from '../../../http/paging.ts'
import { route } from '../../../http/route.ts'
import { oneOf, text } from '../../../http/schemas.ts'
import { minute, second } from '../../../lib/clock.ts'
import { isoMillis } from '../../../lib/time-format.ts'
import type { Services } from '../../../services.ts'
import { withFreshUrls } from '../catalogue/assets.ts'
import { loadWebhook, WebhookParams } from '../webhooks/access.ts'
import { envelope } from '../webhooks/envelope.ts'
import { healthOf } from '../webhooks/store.ts'
import { sendTest } from '../webhooks/test-event.ts'
import { attemptsOfDelivery, findContent, findDelivery, outlookOf, pageOfDeliveries } from './store.ts'
import { DeliveryDetail, DeliveryView, deliveryDetail, deliveryView, HealthView, percentile, State } from './view.ts'

const tag = 'Webhook deliveries'
const wall = 10_000
const maskedToken = '********************************'

const loadDelivery = async (input: {
  params: { webhook_id: string; delivery_id: string }
  caller: Caller
  services: Services
}) => {
  const webhook = await loadWebhook(input)
  return webhook && findDelivery(input.services.db, input.caller.companyId, webhook.id, input.params.delivery_id)
}

const listDeliveries = route({
  method: 'GET',
  path: '/v1/webhooks/:webhook_id/deliveries',
  summary: 'List deliveries of a webhook',
  description:
    'Deliveries of the last 30 days with their responses, including pending ones. `meta.total` counts up to 10,000, as ' +
    'far as pages reach.',
  tag,
  params: WebhookParams,
  load: loadWebhook,
  query: Type.Object({
    ...RangeQuery.properties,
    state: Type.Optional(State),
    event: Type.Optional(text(64)),
    resource_id: Type.Optional(text(64, { description: 'ID of the call, user, contact … that the event is about' })),
    kind: Type.Optional(oneOf(['live', 'backlog', 'replay', 'test'])),
    replay_id: Type.Optional(text(64)),
    status: Type.Optional(
      Type.Integer({ minimum: 100, maximum: 599, description: 'HTTP status of the last response' }),
    ),
  }),
  reply: { status: 200, body: Type.Object({ meta: Meta, deliveries: Type.Array(DeliveryView) }) },
  async handle({ query, loaded, caller, services, place }) {
    if (query.event !== undefined && !isKnown(query.event)) throw badRequest('`event` is not an event of this API')
    const window = windowOf(query, wall)
    const filter = {
      state: query.state,
      event: query.event,
      resourceId: query.resource_id,
      status: query.status,
      kind: query.kind,
      replayId: query.replay_id,
    }
    const { deliveries, total } = await pageOfDeliveries(services.db, caller.companyId, loaded.id, filter, window)
    return { meta: metaOf(place, window, deliveries.length, total), deliveries: deliveries.map(deliveryView) }
  },
})

const isKnown = (name: string): name is AnyEventName => isEventName(name) || isServiceEventName(name)

const getDelivery = route({
  method: 'GET',
  path: '/v1/webhooks/:webhook_id/deliveries/:delivery_id',
  summary: 'Retrieve a delivery with its body and every attempt',
  tag,
  params: Type.Object({ ...WebhookParams.properties, delivery_id: text(64) }),
  load: loadDelivery,
  reply: { status: 200, body: Type.Object({ delivery: DeliveryDetail }) },
  async handle({ loaded, caller, services }) {
    const content = await findContent(services.db, caller.companyId, loaded.event_row)
    if (!content) throw notFound()
    const attempts = await attemptsOfDelivery(services.db, caller.companyId, loaded.id)
    return {
      delivery: deliveryDetail(
        loaded,
        envelope(withFreshUrls(services, caller.companyId, content), maskedToken),
        attempts,
      ),
    }
  },
})

const getHealth = route({
  method: 'GET',
  path: '/v1/webhooks/:webhook_id/health',
  summary: 'Retrieve the health of a webhook',
  tag,
  params: WebhookParams,
  load: loadWebhook,
  reply: { status: 200, body: HealthView },
  async handle({ loaded, caller, services }) {
    const health = await healthOf(services.db, caller.companyId, loaded.id)
    if (!health) throw notFound()
    const outlook = await outlookOf(services.db, caller.companyId, loaded.id)
    const time = (at: number | null) => (at === null ? null : isoMillis(at))
    return {
      status: health.status,
      disable_reason: health.disable_reason,
      health: health.health,
      consecutive_failures: health.consecutive_failures,
      failing_since: time(health.failing_since),
      disables_at: health.status === 'active' ? time(disablesAt({ failingSince: health.failing_since })) : null,
      disabled_at: time(health.disabled_at),
      // The stored value is updated only occasionally; the delivery log is exact.
      last_success_at: time(Math.max(health.last_success_at ?? 0, outlook.lastSuccessAt) || null),
      pending: outlook.pending,
      held: outlook.held,
      oldest_pending_at: time(outlook.oldestPendingAt),
      latency: { p50: percentile(outlook.durations, 0.5), p95: percentile(outlook.durations, 0.95) },
    }
  },
})

const testsPerMinute = 10

const testWebhook = route({
  method: 'POST',
  path: '/v1/webhooks/:webhook_id/test',
  summary: 'Send a test event',
  description:
    'Sends the documented sample of an event, signed, with the header `webhook-test: true`; the body does not differ ' +
    'from a real one. One attempt, which never counts as a failure. Default event: webhook.test.',
  tag,
  params: WebhookParams,
  load: loadWebhook,
  body: Type.Object({ event: Type.Optional(text(64, { examples: ['contact.created'] })) }),
  errors: [
    { status: 400, when: 'the event is unknown' },
    { status: 429, when: 'ten tests of the webhook were requested within a minute' },
  ],
  reply: { status: 201, body: Type.Object({ delivery: DeliveryView }) },
  async handle({ body, loaded, caller, services }) {
    const name = body.event ?? 'webhook.test'
    if (!isKnown(name)) throw badRequest(`\`event\` is ${name.slice(0, 64)}, which is not an event of this API`)
    const now = services.clock.machineNow()
    requireRoom(tests, loaded.id, now)
    const delivery = await transaction(services.db, async (tx) => {
      const id = await sendTest(services, tx, caller.companyId, loaded, name)
      return findDelivery(tx, caller.companyId, loaded.id, id)
    })
    if (!delivery) throw new Error('the delivery that was just inserted was not found')
    return { delivery: deliveryView(delivery) }
  },
})

/** Uses the system clock: the limit also works while the sandbox clock is frozen. */
const tests = new Map<string, number[]>()

function requireRoom(counted: Map<string, number[]>, id: string, now: number): void {
  const recent = (counted.get(id) ?? []).filter((at) => now - at < minute)
  const [oldest] = recent
  if (oldest !== undefined && recent.length >= testsPerMinute) {
    const wait = Math.max(1, Math.ceil((oldest + minute - now) / second))
    throw tooManyRequests(`A webhook can be tested at most ${testsPerMinute} times a minute; wait and try again`, wait)
  }
  if (counted.size > 10_000) counted.clear()
  counted.set(id, [...recent, now])
}

export const deliveryRoutes = [listDeliveries, getDelivery, getHealth, testWebhook]
