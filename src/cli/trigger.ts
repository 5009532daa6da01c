import { type AnyEventName, eventKind, eventNames, serviceEventNames } from '../domain/events.ts'
import { pause, second } from '../lib/clock.ts'
import { type Api, apiDetails, apiFor, apiOptions, apiUsage, RequestRefused } from './api.ts'
import type { Command, CommandArguments, CommandResult } from './command.ts'
import { alignColumns, printable } from './print.ts'
import { progress } from './progress.ts'

export const triggerCommand: Command = {
  name: 'trigger',
  usage: `[EVENT] [--webhook ID] ${apiUsage}`,
  summary: 'Send a sample of an event to all subscribed webhooks, or to one webhook',
  details:
    'In a sandbox the sample is sent to event streams and to every subscribed webhook. With --webhook it is sent to that\n' +
    'webhook, also in production; the default event is then webhook.test. Exit code 1: an endpoint did not accept it.\n' +
    `Without EVENT and --webhook the command lists the events with samples.\n${apiDetails}`,
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
}

async function trigger(given: CommandArguments): Promise<CommandResult> {
  const [event] = given.words
  const webhook = given.text('webhook')
  if (webhook !== undefined) return testOne(apiFor(given), webhook, event)
  return event === undefined ? listOfSamples() : triggerAll(apiFor(given), event)
}

/** The events of this release; another release may have others. */
async function listOfSamples(): Promise<CommandResult> {
  const { payloads } = await import('../features/integrations/catalogue/catalogue.ts')
  const all: AnyEventName[] = [...eventNames, ...serviceEventNames]
  const events = all.filter((name) => !('step' in payloads[name]))
  return {
    text: alignColumns([['EVENT', 'SENT WHEN'], ...events.map((name) => [name, eventKind(name).trigger])]),
    json: { events: events.map((name) => ({ event: name, trigger: eventKind(name).trigger })) },
  }
}

async function testOne(api: Api, webhook: string, event: string | undefined): Promise<CommandResult> {
  const place = `/v1/webhooks/${encodeURIComponent(webhook)}`
  const made = await api.ask<{ delivery: Delivery }>('POST', `${place}/test`, event === undefined ? {} : { event })
  const { webhook: receiver } = await api.ask<{ webhook: Receiver }>('GET', place)
  const delivery = await settled(api, receiver, made.delivery.id)
  noteFailure([delivery])
  return {
    text: `Event ${delivery.event} created: ${delivery.event_id}.\n${result(receiver, delivery)}`,
    json: { delivery },
  }
}

async function triggerAll(api: Api, name: string): Promise<CommandResult> {
  const made = await api.ask<{
    event: { id: string; event: string }
    deliveries: { id: string; webhook_id: string }[]
  }>('POST', '/v1/events/test', { event: name })
  const lines = [`Event ${made.event.event} created: ${made.event.id}.`]
  const deliveries: Delivery[] = []
  let unseen = 0
  for (const { id, webhook_id } of made.deliveries) {
    const receiver = await receiverOf(api, webhook_id)
    if (!receiver) {
      unseen++
      continue
    }
    const delivery = await settled(api, receiver, id)
    deliveries.push(delivery)
    lines.push(result(receiver, delivery))
  }
  if (made.deliveries.length === 0)
    lines.push('No webhook is subscribed to this event; use `hookswitch listen` to receive it.')
  if (unseen > 0) lines.push(`${unseen} more sent to webhooks that this API key cannot access.`)
  noteFailure(deliveries)
  return { text: lines.join('\n'), json: { event: made.event, deliveries, unseen } }
}

/** Webhooks created by an OAuth app are not accessible with this key. */
async function receiverOf(api: Api, id: string): Promise<Receiver | undefined> {
  try {
    return (await api.ask<{ webhook: Receiver }>('GET', `/v1/webhooks/${id}`)).webhook
  } catch (error) {
    if (error instanceof RequestRefused && error.status === 404) return undefined
    throw error
  }
}

const timeoutMs = 60 * second
const inProgress = new Set(['queued', 'leased'])

/** A test has one attempt, so it ends soon, unless no worker is running. */
async function settled(api: Api, { webhook_id, url }: Receiver, id: string): Promise<Delivery> {
  progress.show(`Waiting for ${printable(url)}`)
  try {
    for (let waited = 0, pauseMs = 100; ; pauseMs = Math.min(pauseMs * 2, 2 * second)) {
      const place = `/v1/webhooks/${webhook_id}/deliveries/${encodeURIComponent(id)}`
      const { delivery } = await api.ask<{ delivery: Delivery }>('GET', place)
      if (!inProgress.has(delivery.state) || waited >= timeoutMs) return delivery
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
  if (inProgress.has(state)) return `${where}  still ${state} after ${timeoutMs / second} s; is a worker running?`
  if (!attempt) return `${where}  ${state}`
  if (state === 'delivered') return `${where}  ${status} in ${attempt.duration_ms} ms`
  return `${where}  not accepted: ${status === null ? '' : `${status}. `}${printable(attempt.explanation)}.`
}

/** Sets the exit code; the result is still printed. */
function noteFailure(deliveries: readonly Delivery[]) {
  if (deliveries.some(({ state }) => state !== 'delivered')) process.exitCode = 1
}
