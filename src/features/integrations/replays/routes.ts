import { Type } from 'typebox'
import { transaction } from '../../../db/database.ts'
import type { CompanyId } from '../../../db/tables.ts'
import type { Caller } from '../../../http/caller.ts'
import { badRequest, tooManyRequests, unprocessable } from '../../../http/errors.ts'
import { Meta, metaOf, PageQuery, windowOf } from '../../../http/paging.ts'
import { route } from '../../../http/route.ts'
import { oneOf, text } from '../../../http/schemas.ts'
import { enqueue } from '../../../jobs/queue.ts'
import { day, second } from '../../../lib/clock.ts'
import type { Services } from '../../../services.ts'
import { lockCompany } from '../../accounts/index.ts'
import { loadWebhook, WebhookParams } from '../webhooks/access.ts'
import type { Webhook } from '../webhooks/store.ts'
import { newReplayId } from './fill.ts'
import {
  cancelSomeOf,
  countDone,
  countRunning,
  countSelected,
  findReplay,
  insertReplay,
  originalsOf,
  pageOfReplays,
  type Replay,
  type ReplaySelection,
  updateReplay,
} from './store.ts'
import { noneDone, ReplayView, replayView } from './view.ts'

const tag = 'Webhook deliveries'
const maxRunning = 10
const keptMs = 30 * day
const OneReplay = Type.Object({ replay: ReplayView })
const ReplayParams = Type.Object({ ...WebhookParams.properties, replay_id: text(64) })
const states = ['exhausted', 'expired', 'delivered'] as const

const ReplayBody = Type.Object(
  {
    delivery_ids: Type.Optional(Type.Array(text(64), { minItems: 1, maxItems: 1_000 })),
    from: Type.Optional(Type.Number({ minimum: 0, description: 'UNIX seconds, at most 30 days ago' })),
    to: Type.Optional(Type.Number({ minimum: 0, description: 'UNIX seconds' })),
    states: Type.Optional(
      Type.Array(oneOf(states), {
        minItems: 1,
        maxItems: 3,
        description: 'Only deliveries in these states; default: exhausted and expired',
      }),
    ),
    include: Type.Optional(
      oneOf(['missed'], {
        description: 'Events that occurred while the webhook was paused; default range: the last 30 days',
      }),
    ),
  },
  { examples: [{ from: 1_781_524_800, to: 1_781_528_400, states: ['exhausted'] }] },
)

type Body = {
  delivery_ids?: string[]
  from?: number
  to?: number
  states?: (typeof states)[number][]
  include?: 'missed'
}

const loadReplay = async (input: {
  params: { webhook_id: string; replay_id: string }
  caller: Caller
  services: Services
}) => {
  const webhook = await loadWebhook(input)
  return webhook && findReplay(input.services.db, input.caller.companyId, webhook.id, input.params.replay_id)
}

const loadOriginal = async (input: {
  params: { webhook_id: string; delivery_id: string }
  caller: Caller
  services: Services
}) => {
  const webhook = await loadWebhook(input)
  if (!webhook) return undefined
  const { delivery_id: id } = input.params
  const { originals } = await originalsOf(input.services.db, input.caller.companyId, webhook.id, [id])
  return originals.length > 0 ? { webhook, originals } : undefined
}

const createReplay = route({
  method: 'POST',
  path: '/v1/webhooks/:webhook_id/replays',
  summary: 'Replay deliveries',
  description:
    'Give either deliveries by ID, or a time range, or `include` for events that a paused webhook missed. They keep their ' +
    '`webhook-id` and their order per resource, carry `webhook-replay: true`, and never delay new events.',
  tag,
  params: WebhookParams,
  load: loadWebhook,
  body: ReplayBody,
  errors: [
    {
      status: 400,
      when: 'the range begins more than 30 days ago or in the future, ends before it begins, or a delivery is unknown',
    },
    { status: 422, when: 'neither deliveries nor a range is given, or the webhook is not active' },
    { status: 429, when: 'ten replays of the company are running' },
  ],
  reply: { status: 201, body: OneReplay },
  async handle({ body, loaded, caller, services }) {
    const selection = await selectionFrom(services, caller.companyId, loaded, body)
    if (!loaded.active) throw unprocessable('The webhook is not active; enable it with active=true first')
    const replay = await startReplay(services, caller.companyId, loaded, selection)
    return { replay: replayView(replay, noneDone) }
  },
})

const redeliver = route({
  method: 'POST',
  path: '/v1/webhooks/:webhook_id/deliveries/:delivery_id/redeliver',
  summary: 'Redeliver one delivery',
  tag,
  params: Type.Object({ ...WebhookParams.properties, delivery_id: text(64) }),
  load: loadOriginal,
  errors: [
    { status: 422, when: 'the webhook is not active' },
    { status: 429, when: 'ten replays of the company are running' },
  ],
  reply: { status: 201, body: OneReplay },
  async handle({ loaded: { webhook, originals }, caller, services }) {
    if (!webhook.active) throw unprocessable('The webhook is not active; enable it with active=true first')
    const replay = await startReplay(services, caller.companyId, webhook, { of: 'deliveries', ids: originals })
    return { replay: replayView(replay, noneDone) }
  },
})

async function startReplay(
  services: Services,
  companyId: CompanyId,
  webhook: Webhook,
  selection: ReplaySelection,
): Promise<Replay> {
  const { db, clock } = services
  return transaction(db, async (tx) => {
    // The lock serializes concurrent requests, so that the limit holds.
    await lockCompany(tx, companyId)
    const at = clock.now()
    if ((await countRunning(tx, companyId, at)) >= maxRunning) {
      throw tooManyRequests(`${maxRunning} replays are running; wait until one is done, or cancel one`, 60)
    }
    const replay: Replay = {
      id: newReplayId(clock.machineNow()),
      company_id: companyId,
      webhook_id: webhook.id,
      state: 'filling',
      wish: JSON.stringify(selection),
      total: await countSelected(tx, companyId, webhook.id, selection),
      filled: 0,
      cursor: null,
      created_at: at,
      finished_at: null,
    }
    await insertReplay(tx, companyId, replay)
    await enqueue(tx, 'replay.fill', { companyId, replayId: replay.id }, at, `replay.fill:${replay.id}`)
    return replay
  })
}

/** Exactly one of three; missing fields are reported before invalid ones. */
async function selectionFrom(
  services: Services,
  companyId: CompanyId,
  webhook: Webhook,
  body: Body,
): Promise<ReplaySelection> {
  const isWhole = body.from !== undefined && body.to !== undefined
  if (!body.delivery_ids && !isWhole && !(body.include && body.from === undefined && body.to === undefined)) {
    throw unprocessable('Give `delivery_ids`, or `from` and `to`; `include` alone covers the last 30 days')
  }
  if (body.delivery_ids) {
    if (body.from !== undefined || body.to !== undefined || body.states || body.include) {
      throw badRequest('Give either `delivery_ids` or a range, not both')
    }
    const { known, originals } = await originalsOf(services.db, companyId, webhook.id, body.delivery_ids)
    const place = body.delivery_ids.findIndex((id) => !known.has(id))
    if (place >= 0) {
      throw badRequest(`\`delivery_ids[${place}]\` is not a delivery of this webhook`)
    }
    if (originals.length === 0) throw badRequest('Tests cannot be replayed; send another test')
    return { of: 'deliveries', ids: originals }
  }
  const now = services.clock.now() / second
  const [from, to] = rangeOf(services, body.from ?? now - keptMs / second, body.to ?? now)
  if (!body.include) return { of: 'range', from, to, states: body.states ?? ['exhausted', 'expired'] }
  if (body.states) throw badRequest('`include` and `states` cannot be combined')
  return { of: 'missed', from, to }
}

function rangeOf({ clock }: Services, from: number, to: number): [number, number] {
  if (from > to) throw badRequest('`from` must not be after `to`')
  const earliest = clock.now() - keptMs
  if (from * second > clock.now())
    throw badRequest('`from` is in the future; UNIX seconds are expected, not milliseconds')
  if (from * second < earliest - second) {
    throw badRequest(`Events are kept for 30 days; \`from\` must be ${Math.ceil(earliest / second)} or later`)
  }
  return [Math.floor(from * second), Math.min(Math.floor(to * second) + 999, clock.now())]
}

const listReplays = route({
  method: 'GET',
  path: '/v1/webhooks/:webhook_id/replays',
  summary: 'List replays of a webhook',
  tag,
  params: WebhookParams,
  load: loadWebhook,
  query: PageQuery,
  reply: { status: 200, body: Type.Object({ meta: Meta, replays: Type.Array(ReplayView) }) },
  async handle({ query, loaded, caller, services, place }) {
    const window = windowOf(query)
    const { replays, total } = await pageOfReplays(services.db, caller.companyId, loaded.id, window)
    const views: ReturnType<typeof replayView>[] = []
    for (const replay of replays) {
      views.push(replayView(replay, await countDone(services.db, caller.companyId, replay.id)))
    }
    return { meta: metaOf(place, window, views.length, total), replays: views }
  },
})

const getReplay = route({
  method: 'GET',
  path: '/v1/webhooks/:webhook_id/replays/:replay_id',
  summary: 'Retrieve a replay',
  tag,
  params: ReplayParams,
  load: loadReplay,
  reply: { status: 200, body: OneReplay },
  async handle({ loaded, caller, services }) {
    return { replay: replayView(loaded, await countDone(services.db, caller.companyId, loaded.id)) }
  },
})

const cancelReplay = route({
  method: 'DELETE',
  path: '/v1/webhooks/:webhook_id/replays/:replay_id',
  summary: 'Cancel the remaining deliveries of a replay',
  tag,
  params: ReplayParams,
  load: loadReplay,
  reply: { status: 204 },
  async handle({ loaded, caller, services }) {
    const { companyId } = caller
    const at = services.clock.now()
    await transaction(services.db, async (tx) => {
      if (loaded.state === 'cancelled') return
      await updateReplay(tx, companyId, loaded.id, { state: 'cancelled', finished_at: at })
      // The next deliveries are cancelled at once, so that none is sent after the response; the job cancels the rest.
      await cancelSomeOf(tx, companyId, loaded.id, at, 500)
      await enqueue(tx, 'replay.fill', { companyId, replayId: loaded.id }, at, `replay.fill:${loaded.id}`)
    })
    return {}
  },
})

export const replayRoutes = [createReplay, redeliver, listReplays, getReplay, cancelReplay]
