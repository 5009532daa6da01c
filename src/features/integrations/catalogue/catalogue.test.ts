import { Value } from 'typebox/value'
import { describe, expect, test } from 'vitest'
import { type OpenApp, onAnyDatabase, testApp } from '../../../../test/kit/app.ts'
import { addNumber, addUser } from '../../../../test/kit/flows.ts'
import { transaction } from '../../../db/transaction.ts'
import { type AnyEventName, eventNames, serviceEventNames } from '../../../domain/events.ts'
import type { ViewContext } from '../../../http/view-context.ts'
import { day, hour } from '../../../lib/clock.ts'
import { type Payload, publish } from '../../publishing/index.ts'
import { eventDocsFor, payloads, sampleOf } from './catalogue.ts'

const base = 'https://phone.example.com'
const links = { api: base, dashboard: base, assets: base, short: base }
const context: ViewContext = { links, at: Date.UTC(2026, 5, 15, 12) }
const names: AnyEventName[] = [...eventNames, ...serviceEventNames]

const written = names.map((name): [AnyEventName, Payload] => [name, payloads[name]])
const dataOf = (name: AnyEventName, at = context.at) => JSON.parse(sampleOf(name, { links, at }))

describe('samples', () => {
  test.each(written)('that of %s fits its schema, and nothing of it is lost in writing', (name, payload) => {
    const made = payload.sample(context)

    expect([...Value.Errors(payload.schema, made)]).toEqual([])
    expect(dataOf(name)).toEqual(made)
  })

  test('there is one for every event with a view, the same whenever it is asked for', () => {
    const samples = eventDocsFor(context)

    expect([...samples.keys()]).toEqual(written.map(([name]) => name))
    expect(eventDocsFor(context)).toEqual(samples)
  })

  test('they name no real address, phone number or id', () => {
    const text = [...eventDocsFor(context).values()].map(({ sample }) => sample).join('\n')
    const found = (pattern: RegExp) => [...new Set([...text.matchAll(pattern)].map((match) => match[1]))]

    expect(found(/@([\w.]+)/g)).toEqual(['example.com'])
    expect(found(/https:\/\/([\w.]+)/g).sort()).toEqual(['example.com', 'phone.example.com'])
    expect(found(/"\+([\d -]+)"/g).filter((number) => !/^1[ -]?415[ -]?555[ -]?01\d\d$/.test(number ?? ''))).toEqual([])
    expect(found(/"(?:id|default_number_id)":(\d+)/g).filter((id) => Number(id) < 2_000_000_000)).toEqual([])
  })

  test('each sample matches its event', () => {
    expect(dataOf('user.created')).toMatchObject({
      available: false,
      numbers: [],
      created_at: '2026-06-15T12:00:00.000Z',
    })
    expect(dataOf('user.connected.v2')).toMatchObject({ available: true, substatus: 'always_open' })
    expect(dataOf('user.closed.v2')).toMatchObject({ available: false, substatus: 'out_for_lunch' })
    expect(dataOf('user.opened').numbers).toMatchObject([{ e164_digits: '+14155550132' }])
    expect(dataOf('number.deleted').users).toEqual([])
    expect(dataOf('contact.created').updated_at).toBe(dataOf('contact.created').created_at)
    expect(dataOf('contact.deleted')).toMatchObject({ emails: [], phone_numbers: [] })
    expect(dataOf('call.created')).toMatchObject({ status: 'initial', user: null, contact: { first_name: 'Rosa' } })
    expect(dataOf('call.ringing_on_agent')).toMatchObject({ status: 'initial', user: { name: 'Dario Ortega' } })
    expect(dataOf('call.external_transferred')).not.toHaveProperty('transferred_to')
    expect(dataOf('call.hungup')).toMatchObject({ status: 'done', duration: 95, recording: null })
    expect(dataOf('call.ended').recording_short_url).toBe(`${base}/v1/6b1d0c3e-9a54-4f0e-8d27-1c5b7a3f9e60`)
    expect(dataOf('call.voicemail_left')).toMatchObject({ missed_call_reason: 'agents_did_not_answer', user: null })
    expect(dataOf('call.ivr_option_selected').ivr_options_selected).toMatchObject([{ key: '1', title: 'Orders' }])
    expect(dataOf('user.wut_start.v2').last_call_id).toBe(dataOf('call.hungup').id)
  })

  test('a Number that opens is open and one that closes is closed, at any hour of the week', () => {
    for (let at = context.at; at < context.at + 7 * day; at += 5 * hour) {
      expect(dataOf('number.opened', at)).toMatchObject({ open: true, availability_status: 'custom' })
      expect(dataOf('number.closed', at)).toMatchObject({ open: false, availability_status: 'custom' })
    }
  })

  test('service events have the fields of the contract, in its order', () => {
    const webhook = { webhook_id: '3f0c6a52-8d1e-4b7a-9c40-5e2d7f1b6a93', custom_name: 'CRM sync' }
    const url = 'https://example.com/hook'

    expect(sampleOf('webhook.failing', context)).toBe(
      JSON.stringify({
        ...webhook,
        url,
        failing_since: '2026-06-14T12:00:00.000Z',
        consecutive_failures: 61,
        disables_at: '2026-06-19T12:00:00.000Z',
      }),
    )
    expect(sampleOf('webhook.disabled', context)).toBe(
      JSON.stringify({ ...webhook, url, reason: 'failing', disabled_at: '2026-06-15T12:00:00.000Z' }),
    )
    expect(sampleOf('webhook.test', context)).toBe(JSON.stringify({ ...webhook, sent_at: '2026-06-15T12:00:00.000Z' }))
  })

  test('they have the fields of real events, in the same order', async () => {
    const { a, events } = await testApp()
    const number = await addNumber(a)
    const user = await addUser(a, 'Grace')
    await a.own('PUT', `/v1/numbers/${number.id}/users`, { user_ids: [user.id] })
    await a.api('PUT', `/v2/users/${user.id}`, { availability_status: 'unavailable' })
    const phone_numbers = [{ label: 'Work', value: '+1 415 555 0187' }]
    const emails = [{ label: 'Work', value: 'rosa@example.com' }]
    const { contact } = (await a.api('POST', '/v1/contacts', { first_name: 'Rosa', phone_numbers, emails })).json
    // Deleting a contact redacts its earlier events.
    const before = await events(a)
    await a.api('DELETE', `/v1/contacts/${contact.id}`)

    const real = [...before, ...(await events(a)).filter(({ name }) => name === 'contact.deleted')]

    const compared = ['user.created.v2', 'user.closed', 'number.created', 'contact.created', 'contact.deleted'] as const
    for (const name of compared) {
      const event = real.findLast((one) => one.name === name)
      expect(shapeOf(dataOf(name)), name).toEqual(shapeOf(event?.data))
    }
  })
})

/** The names of all fields, in order. */
function shapeOf(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(shapeOf)
  if (typeof value !== 'object' || value === null) return undefined
  return Object.entries(value).map(([name, inner]) => [name, shapeOf(inner)])
}

onAnyDatabase('service events', (open) => {
  test('other webhooks that subscribe to it by name receive webhook.failing, the failing one does not', async () => {
    const { story, failing, named } = await threeWebhooks(open)
    const { app, a, clock } = story
    const webhook = { id: failing, customName: 'CRM sync', url: 'https://example.com/hook' }
    const failure = { failingSince: clock.now() - hour, consecutiveFailures: 12, disablesAt: clock.now() + 119 * hour }

    await transaction(app.services.db, (tx) =>
      publish(app.services, tx, a.id, [
        { kind: 'webhook', event: 'failing', webhook: { ...webhook, ...failure } },
        { kind: 'webhook', event: 'disabled', webhook: { ...webhook, reason: 'gone', disabledAt: clock.now() } },
      ]),
    )

    const rows = await story.db
      .selectFrom('event')
      .select(['name', 'resource', 'resource_key', 'data'])
      .orderBy('row_id')
      .execute()
    const published = rows.filter(({ resource }) => resource === 'webhook')
    const deliveries = await story.db
      .selectFrom('delivery')
      .select(['webhook_id', 'event_name', 'seq'])
      .orderBy('seq')
      .execute()
    expect(published.map(({ name, resource_key }) => [name, resource_key])).toEqual([
      ['webhook.failing', `webhook:${failing}`],
      ['webhook.disabled', `webhook:${failing}`],
    ])
    expect(published.map(({ data }) => JSON.parse(data))).toEqual([
      {
        webhook_id: failing,
        custom_name: 'CRM sync',
        url: 'https://example.com/hook',
        failing_since: '2026-06-15T11:00:00.000Z',
        consecutive_failures: 12,
        disables_at: '2026-06-20T11:00:00.000Z',
      },
      {
        webhook_id: failing,
        custom_name: 'CRM sync',
        url: 'https://example.com/hook',
        reason: 'gone',
        disabled_at: '2026-06-15T12:00:00.000Z',
      },
    ])
    expect(deliveries.filter(({ event_name }) => event_name.startsWith('webhook.'))).toEqual([
      { webhook_id: named, event_name: 'webhook.failing', seq: 1 },
      { webhook_id: named, event_name: 'webhook.disabled', seq: 2 },
    ])
  })
})

/** One that will fail, one that asked by name, and one that asked for "all events", which these are not part of. */
async function threeWebhooks(open: OpenApp) {
  const story = await open()
  const register = async (events: string[]) => {
    const body = { custom_name: 'CRM sync', url: 'https://example.com/hook', events }
    const made = await story.a.api('POST', '/v1/webhooks', body)
    if (made.status !== 201) throw new Error(made.text)
    return made.json.webhook.webhook_id
  }
  const failing = await register(['webhook.failing', 'webhook.disabled'])
  const named = await register(['webhook.failing', 'webhook.disabled'])
  await register([])
  return { story, failing, named }
}
