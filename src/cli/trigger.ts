import { type AnyEventName, eventNames, kindOf, serviceEventNames } from '../domain/events.ts'
import { pause, second } from '../lib/clock.ts'
import { type Api, apiDetails, apiFor, apiOptions, apiUsage } from './api.ts'
import type { Command, Given, Outcome } from './command.ts'
import { columns, printable } from './print.ts'
import { progress } from './progress.ts'

export const triggerCommand: Command = {
  name: 'trigger',
  usage: `[EVENT] [--webhook ID] ${apiUsage}`,
  summary: 'Send the sample of an event to your webhooks, or to one of them',
  details:
    'In a sandbox the sample goes to whoever listens and to every webhook that subscribes to it; with --webhook it goes to\n' +
    'that one anywhere, and is webhook.test unless EVENT says otherwise. It ends with 1 when a receiver did not accept it.\n' +
    `Without EVENT and --webhook it prints the events there are samples of.\n${apiDetails}`,
  options: { ...apiOptions, webhook: { type: 'string' } },
  words: [0, 1],
  run: trigger,
}

interface Delivery {
  id: string
  webhook_id: string
  event: string
  event_id: string
  state: string
  status: number | null
  error: string | null
  attempts: { duration_ms: number; explanation: string }[]
}

interface Receiver {
  webhook_id: string
  url: string
  active: boolean
  events: string[]
}

async function trigger(given: Given): Promise<Outcome> {
  const [event] = given.words
  const webhook = given.text('webhook')
  if (webhook !== undefined) return testOne(apiFor(given), webhook, event)
  return event === undefined ? listOfSamples() : tellAll(apiFor(given), event)
}

/** Of this release: a server of another one may know others. */
async function listOfSamples(): Promise<Outcome> {
  const { payloads } = await import('../features/catalogue.ts')
  const all: AnyEventName[] = [...eventNames, ...serviceEventNames]
  const events = all.filter((name) => !('step' in payloads[name]))
  return {
    text: columns([['EVENT', 'SENT WHEN'], ...events.map((name) => [name, kindOf(name).trigger])]),
    json: { events: events.map((name) => ({ event: name, trigger: kindOf(name).trigger })) },
  }
}

async function testOne(api: Api, webhook: string, event: string | undefined): Promise<Outcome> {
  const place = `/v1/webhooks/${encodeURIComponent(webhook)}`
  const made = await api.ask<{ delivery: Delivery }>('POST', `${place}/test`, event === undefined ? {} : { event })
  const { webhook: receiver } = await api.ask<{ webhook: Receiver }>('GET', place)
  const delivery = await settled(api, receiver, made.delivery.id)
  noteFailure([delivery])
  return {
    text: `${delivery.event} was made as ${delivery.event_id}.\n${result(receiver, delivery)}`,
    json: { delivery },
  }
}

async function tellAll(api: Api, name: string): Promise<Outcome> {
  const made = await api.ask<{ event: { id: string; event: string; position: number }; deliveries: string[] }>(
    'POST',
    '/v1/events/test',
    { event: name },
  )
  const lines = [`${made.event.event} was made as ${made.event.id}.`]
  const deliveries: Delivery[] = []
  for (const [receiver, id] of await receiversOf(api, name, made.deliveries)) {
    const delivery = await settled(api, receiver, id)
    deliveries.push(delivery)
    lines.push(result(receiver, delivery))
  }
  const unseen = made.deliveries.length - deliveries.length
  if (made.deliveries.length === 0) lines.push('No webhook subscribes to it; `hookswitch listen` shows it.')
  if (unseen > 0) lines.push(`${unseen} more went to webhooks that this key does not see.`)
  noteFailure(deliveries)
  return { text: lines.join('\n'), json: { event: made.event, deliveries, unseen } }
}

/** The answer names deliveries alone, so their webhooks are looked up. */
async function receiversOf(api: Api, name: string, ids: readonly string[]): Promise<[Receiver, id: string][]> {
  const found: [Receiver, string][] = []
  for (let page = 1; found.length < ids.length; page++) {
    const { webhooks, meta } = await api.ask<{ webhooks: Receiver[]; meta: { next_page_link: string | null } }>(
      'GET',
      `/v1/webhooks?per_page=50&page=${page}`,
    )
    for (const webhook of webhooks.filter(({ active, events }) => active && events.includes(name))) {
      const newest = `/v1/webhooks/${webhook.webhook_id}/deliveries?event=${name}&order=desc&per_page=50`
      const { deliveries } = await api.ask<{ deliveries: { id: string }[] }>('GET', newest)
      for (const { id } of deliveries) if (ids.includes(id)) found.push([webhook, id])
    }
    if (meta.next_page_link === null) break
  }
  return found
}

const patienceMs = 60 * second
const underWay = new Set(['queued', 'leased'])

/** A test is tried once, so it ends soon, unless no worker runs. */
async function settled(api: Api, { webhook_id, url }: Receiver, id: string): Promise<Delivery> {
  progress.say(`Waiting for ${printable(url)}`)
  try {
    for (let waited = 0, pauseMs = 100; ; pauseMs = Math.min(pauseMs * 2, 2 * second)) {
      const place = `/v1/webhooks/${webhook_id}/deliveries/${encodeURIComponent(id)}`
      const { delivery } = await api.ask<{ delivery: Delivery }>('GET', place)
      if (!underWay.has(delivery.state) || waited >= patienceMs) return delivery
      await pause(pauseMs)
      waited += pauseMs
    }
  } finally {
    progress.end()
  }
}

function result({ url }: Receiver, { state, status, attempts }: Delivery): string {
  const attempt = attempts.at(-1)
  const where = `→ ${printable(url)}`
  if (underWay.has(state)) return `${where}  still ${state} after ${patienceMs / second} s; does a worker run?`
  if (!attempt) return `${where}  ${state}`
  if (state === 'delivered') return `${where}  ${status} in ${attempt.duration_ms} ms`
  return `${where}  not accepted: ${status === null ? '' : `${status}. `}${printable(attempt.explanation)}.`
}

/** The result is still printed; the exit code is for scripts. */
function noteFailure(deliveries: readonly Delivery[]) {
  if (deliveries.some(({ state }) => state !== 'delivered')) process.exitCode = 1
}
