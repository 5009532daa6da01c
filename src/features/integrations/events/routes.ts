import { Type } from 'typebox'
import { transaction } from '../../../db/database.ts'
import {
  type AnyEventName,
  eventNames,
  isEventName,
  isServiceEventName,
  serviceEventNames,
} from '../../../domain/events.ts'
import { wakeDispatcher } from '../../../events/fan-out.ts'
import type { Caller } from '../../../http/caller.ts'
import { badRequest, forbidden, tooManyRequests } from '../../../http/errors.ts'
import { route } from '../../../http/route.ts'
import { nullable, text } from '../../../http/schemas.ts'
import type { Services } from '../../../services.ts'
import { withFreshUrls } from '../catalogue/assets.ts'
import { deliverTest, writeSample } from '../webhooks/test-event.ts'
import { positionBefore, readLog, subscribersOf } from './store.ts'
import { eventStream } from './stream.ts'
import { EventView, eventView, SampleView, sampleView } from './view.ts'

const tag = 'Events'
const maxStreams = 5

const names = Type.Optional(
  text(4_000, {
    description: 'Event names, separated by commas; `call.*` matches all events of calls. Default: all',
    examples: ['call.*'],
  }),
)
const after = Type.Optional(Type.Integer({ minimum: 0, description: 'Only events after this position' }))
const lately = Type.Optional(
  Type.Integer({
    minimum: 1,
    maximum: 2_592_000,
    description: 'Instead of `after`: only events of the last N seconds',
  }),
)
const tokenOf = ({ via }: Caller) => (via.kind === 'token' ? via.id : undefined)

const EventMeta = Type.Object({
  count: Type.Integer(),
  per_page: Type.Integer(),
  next_page_link: nullable(Type.String({ description: 'null at the end of the log', examples: [null] })),
})

const listEvents = route({
  method: 'GET',
  path: '/v1/events',
  summary: 'Read the event log',
  description: 'All events of the last 30 days, oldest first, whether or not a webhook subscribes to them.',
  tag,
  query: Type.Object({
    after,
    last_seconds: lately,
    events: names,
    call_id: Type.Optional(Type.Integer({ minimum: 1, 'x-id': true, description: 'Only events of this call' })),
    per_page: Type.Optional(Type.Integer({ minimum: 1, maximum: 50, default: 20 })),
  }),
  reply: { status: 200, body: Type.Object({ meta: EventMeta, events: Type.Array(EventView) }) },
  async handle({ query, caller, services, place }) {
    const { per_page: perPage = 20 } = query
    const wanted = namesFrom(query.events)
    const begin = query.last_seconds ? await startOf(services, caller, query.last_seconds) : (query.after ?? 0)
    const reading = { after: begin, names: wanted, callId: query.call_id, tokenId: tokenOf(caller), limit: perPage + 1 }
    const found = await readLog(services.db, caller.companyId, reading)
    const events = found.slice(0, perPage)
    const link = new URLSearchParams(place.search)
    link.delete('last_seconds')
    link.set('after', String(events.at(-1)?.position ?? 0))
    const next = found.length > perPage ? `${place.base}${place.path}?${link}` : null
    return {
      meta: { count: events.length, per_page: perPage, next_page_link: next },
      events: events.map((event) => eventView(withFreshUrls(services, caller.companyId, event))),
    }
  },
})

const streamEvents = route({
  method: 'GET',
  path: '/v1/events/stream',
  summary: 'Stream the event log',
  description:
    'Server-sent events. The first frame, `listener`, contains the token and the signing secret of the connection. Each further ' +
    'frame has the position as its ID, and as data the headers and the exact body of a webhook request. After an interruption, ' +
    'continue with the header Last-Event-ID or with `after`. With a name of your own in the header Hookswitch-Listener, at ' +
    'least 16 unguessable characters, token and secret stay the same. At most five streams per company.',
  tag,
  query: Type.Object({ after, last_seconds: lately, events: names }),
  errors: [{ status: 429, when: 'the company has five streams open' }],
  reply: { status: 200, stream: 'text/event-stream' },
  async handle({ query, caller, services, header, whenGone }) {
    const wanted = namesFrom(query.events)
    const last = header('last-event-id')
    if (last !== undefined && !/^\d{1,15}$/.test(last)) throw badRequest('Last-Event-ID must be a position in the log')
    if (services.feed.followers(caller.companyId) >= maxStreams) {
      throw tooManyRequests(`A company has at most ${maxStreams} streams open; close one first`, 30)
    }
    const listener = header('hookswitch-listener')
    if (listener !== undefined && !/^[\w-]{16,64}$/.test(listener)) {
      throw badRequest('Hookswitch-Listener must be 16 to 64 letters, digits, - or _')
    }
    const begin = query.last_seconds ? await startOf(services, caller, query.last_seconds) : query.after
    const from = last === undefined ? begin : Number(last)
    const params = { after: from, names: wanted, tokenId: tokenOf(caller), listener, whenGone, via: caller.via }
    return eventStream(services, caller.companyId, params) as never
  },
})

const Sent = Type.Object({ id: Type.String(), webhook_id: Type.String({ format: 'uuid' }) })

const triggerEvent = route({
  method: 'POST',
  path: '/v1/events/test',
  summary: 'Trigger a sample event',
  description:
    'Sandbox only. Writes the documented sample of an event to the log and sends it to every webhook that subscribed ' +
    'to it, with the header `webhook-test: true`. To test a single webhook, also in production, use its test endpoint.',
  tag,
  body: Type.Object({ event: text(64, { examples: ['contact.created'] }) }),
  errors: [
    { status: 400, when: 'the event is unknown' },
    { status: 403, when: 'this is a production installation' },
  ],
  reply: {
    status: 201,
    body: Type.Object({ event: SampleView, deliveries: Type.Array(Sent) }),
  },
  async handle({ body, caller, services }) {
    if (!services.rules.sandbox) {
      throw forbidden(
        'Sample events for all webhooks are possible in a sandbox only; test one webhook with POST /v1/webhooks/:webhook_id/test',
      )
    }
    const name = requireKnown(body.event)
    const { event, deliveries } = await transaction(services.db, async (tx) => {
      const event = await writeSample(services, tx, caller.companyId, name)
      const webhooks = await subscribersOf(tx, caller.companyId, name, {
        isService: isServiceEventName(name),
        tokenId: tokenOf(caller),
      })
      const deliveries: { id: string; webhook_id: string }[] = []
      for (const webhook of webhooks) {
        const id = await deliverTest(services, tx, caller.companyId, event, webhook)
        deliveries.push({ id, webhook_id: webhook })
      }
      await wakeDispatcher(tx, webhooks)
      return { event, deliveries }
    })
    return { event: sampleView(event), deliveries }
  },
})

const startOf = ({ db, clock }: Services, { companyId }: Caller, seconds: number) =>
  positionBefore(db, companyId, clock.now() - seconds * 1_000)

function requireKnown(name: string): AnyEventName {
  if (isEventName(name) || isServiceEventName(name)) return name
  throw badRequest(`\`event\` is ${name.slice(0, 64)}, which is not an event of this API`)
}

/** Expands `call.*,contact.created` to event names. */
function namesFrom(text: string | undefined): string[] | undefined {
  if (text === undefined) return undefined
  const all = [...eventNames, ...serviceEventNames]
  const wanted = text
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '')
    .flatMap((part) => {
      const matching = part.endsWith('*') ? all.filter((name) => name.startsWith(part.slice(0, -1))) : [part]
      const unknown = matching.length === 0 || matching.some((name) => !all.includes(name as AnyEventName))
      if (unknown) throw badRequest(`\`events\` names ${part.slice(0, 64)}, which is not an event of this API`)
      return matching
    })
  return wanted.length > 0 ? [...new Set(wanted)] : undefined
}

export const eventRoutes = [listEvents, streamEvents, triggerEvent]
