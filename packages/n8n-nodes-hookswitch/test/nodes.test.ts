import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { onAnyDatabase, type TestApp } from '../../../test/kit/app.ts'
import { operations } from '../src/generated/operations.ts'
import type { NodeProperty } from '../src/n8n.ts'
import { execute, loadPackage, testCredentials, workflowWith } from './host.ts'

const credentialsOf = ({ base, a }: TestApp) => ({ url: base, apiId: a.apiId, apiToken: a.apiToken })

const phone = (value: string) => ({ rows: [{ label: 'Work', value }] })

onAnyDatabase('n8n-nodes-hookswitch', (open) => {
  test('the test of the credentials tells right ones from wrong ones', async () => {
    const credentials = credentialsOf(await open())
    const pack = await loadPackage()

    expect(await testCredentials(pack, { ...credentials, url: `${credentials.url}/` })).toBe(200)
    expect(await testCredentials(pack, { ...credentials, apiToken: 'wrong' })).toBe(403)
  })

  test('an operation runs once per item, with what the item has', async () => {
    const credentials = credentialsOf(await open())
    const pack = await loadPackage()
    const parameters = { resource: 'Contacts', operation: 'createContact' }

    const created = await execute(pack, credentials, {
      parameters,
      items: [
        { name: 'Ada', number: '+33755990011' },
        { name: 'Grace', number: '+33755990012' },
      ],
      perItem: ({ name, number }) => ({
        phone_numbers: phone(String(number)),
        additionalFields: { first_name: name },
      }),
    })
    const [found] = await execute(pack, credentials, {
      parameters: {
        resource: 'Contacts',
        operation: 'searchContacts',
        additionalFields: { phone_number: '+33755990012' },
      },
    })
    const [deleted] = await execute(pack, credentials, {
      parameters: { resource: 'Contacts', operation: 'deleteContact', id: found?.json.id },
    })

    expect(created.map(({ json, pairedItem }) => [json.first_name, pairedItem?.item])).toEqual([
      ['Ada', 0],
      ['Grace', 1],
    ])
    expect(found?.json.first_name).toBe('Grace')
    expect(deleted?.json).toEqual({ success: true })
  })

  test('a list returns as many items as asked for, or those of all pages', async () => {
    const credentials = credentialsOf(await open({ env: { RATE_LIMIT_PER_MINUTE: '1000' } }))
    const pack = await loadPackage()
    const items = Array.from({ length: 53 }, (_, n) => ({ name: `Tag ${n}` }))
    await execute(pack, credentials, {
      parameters: { resource: 'Tags', operation: 'createTag', color: '#00B388' },
      items,
      perItem: ({ name }) => ({ name }),
    })
    const list = { resource: 'Tags', operation: 'listTags' }

    const all = await execute(pack, credentials, { parameters: { ...list, returnAll: true } })
    const some = await execute(pack, credentials, { parameters: { ...list, limit: 51 } })
    const byDefault = await execute(pack, credentials, { parameters: list })

    expect(all.map(({ json }) => json.name)).toEqual(items.map(({ name }) => name))
    expect(some).toHaveLength(51)
    expect(byDefault).toHaveLength(50)
  })

  test('a refusal stops the workflow with what to do, or becomes an item', async () => {
    const credentials = credentialsOf(await open())
    const pack = await loadPackage()
    const parameters = { resource: 'Tags', operation: 'createTag', name: 'Urgent', color: 'red' }

    const error = await execute(pack, credentials, { parameters }).catch((reason: unknown) => reason)
    const items = await execute(pack, credentials, { parameters, continueOnFail: true })

    expect(error).toMatchObject({ httpCode: '400', message: expect.any(String), description: expect.any(String) })
    expect(items).toEqual([{ json: { error: (error as Error).message }, pairedItem: { item: 0 } }])
    await expect(execute(pack, credentials, { parameters: { resource: 'Tags', operation: 'getTag' } })).rejects.toThrow(
      'id is missing',
    )
  })

  test('an idempotency key of the user makes a change once', async () => {
    const credentials = credentialsOf(await open())
    const pack = await loadPackage()
    const parameters = {
      resource: 'Teams',
      operation: 'createTeam',
      name: 'Support',
      additionalFields: { 'Idempotency-Key': 'order-4711' },
    }

    const [first] = await execute(pack, credentials, { parameters })
    const [second] = await execute(pack, credentials, { parameters })
    const teams = await execute(pack, credentials, { parameters: { resource: 'Teams', operation: 'listTeams' } })

    expect(second?.json.id).toBe(first?.json.id)
    expect(teams.filter(({ json }) => json.name === 'Support')).toHaveLength(1)
  })

  test('lists, choices and JSON are sent in the types of the API', async () => {
    const credentials = credentialsOf(await open())
    const pack = await loadPackage()
    const webhooks = { resource: 'Webhooks', operation: 'createWebhook', url: 'https://example.com/hook' }

    const forms = ['call.ended, contact.created', ['call.ended', 'contact.created'], '["call.ended","contact.created"]']
    for (const events of forms) {
      const [made] = await execute(pack, credentials, { parameters: { ...webhooks, additionalFields: { events } } })
      expect(made?.json).toMatchObject({ webhook: { events: ['call.ended', 'contact.created'] } })
      expect(made?.json.signing_secret).toMatch(/^whsec_/)
    }
    const [invited] = await execute(pack, credentials, {
      parameters: {
        resource: 'Users',
        operation: 'inviteUser',
        email: 'ada@example.com',
        first_name: 'Ada',
        last_name: 'Lind',
        additionalFields: { role_ids: ['agent'], wrap_up_time: 20 },
      },
    })
    expect(invited?.json).toMatchObject({ email: 'ada@example.com', wrap_up_time: 20 })
    const wrong = { resource: 'Analytics', operation: 'createReportExport', input: '{"report":' }
    await expect(execute(pack, credentials, { parameters: wrong })).rejects.toThrow('input is not valid JSON')
  })

  test('an active workflow starts with the selected events, and its webhook is deleted with it', async () => {
    const app = await open()
    const credentials = credentialsOf(app)
    const pack = await loadPackage()
    const workflow = await workflowWith(pack, credentials, { events: ['contact.created'] })
    const webhooksNow = () =>
      execute(pack, credentials, { parameters: { resource: 'Webhooks', operation: 'listWebhooks' } })
    const createContact = (name: string) =>
      execute(pack, credentials, {
        parameters: {
          resource: 'Contacts',
          operation: 'createContact',
          phone_numbers: phone('+33755990011'),
          additionalFields: { first_name: name },
        },
      })

    await workflow.activate()
    await createContact('Ada')
    await execute(pack, credentials, {
      parameters: { resource: 'Tags', operation: 'createTag', name: 'Urgent', color: '#00B388' },
    })
    await app.settle()

    expect((await webhooksNow()).map(({ json }) => [json.url, json.events, json.custom_name])).toEqual([
      [workflow.url, ['contact.created'], 'n8n: Calls to CRM'],
    ])
    expect(workflow.started.map(({ json }) => json)).toMatchObject([
      { event: 'contact.created', data: { first_name: 'Ada' }, webhook_id: expect.stringMatching(/^msg_/) },
    ])

    await workflow.deactivate()
    await createContact('Grace')
    await app.settle()

    expect(await webhooksNow()).toEqual([])
    expect(workflow.started).toHaveLength(1)
    expect(workflow.data).toEqual({})
  })

  test('a request with a wrong signature is refused and starts nothing', async () => {
    const app = await open()
    const credentials = credentialsOf(app)
    const workflow = await workflowWith(await loadPackage(), credentials, { events: ['contact.created'] })
    await workflow.activate()
    const test = { resource: 'Events', operation: 'createTestEvent', event: 'contact.created' }
    await execute(await loadPackage(), credentials, { parameters: test })
    await app.settle()
    const [{ headers, body } = { headers: {}, body: '' }] = workflow.requests
    const {
      'content-length': _length,
      connection: _connection,
      'transfer-encoding': _encoding,
      host: _host,
      ...rest
    } = headers
    const post = (changed: string, more: Record<string, string>) =>
      fetch(workflow.url, { method: 'POST', headers: { ...rest, ...more }, body: changed })

    const statuses = [
      await post(body, {}),
      await post(`${body} `, {}),
      await post(body, { 'webhook-signature': 'v1,AAAA' }),
      await post(body, { 'webhook-timestamp': '1000000000' }),
    ].map(({ status }) => status)

    expect(statuses).toEqual([200, 401, 401, 401])
    expect(workflow.started).toHaveLength(2)
  })

  test('activated again, the webhook follows the selection and is there once', async () => {
    const app = await open()
    const credentials = credentialsOf(app)
    const pack = await loadPackage()
    const workflow = await workflowWith(pack, credentials, { events: ['contact.created'] })
    const webhooksNow = () =>
      execute(pack, credentials, { parameters: { resource: 'Webhooks', operation: 'listWebhooks' } })

    await workflow.activate()
    workflow.parameters = { events: ['contact.created', 'contact.updated'] }
    await workflow.activate()
    const changed = await webhooksNow()
    // n8n was restored from a backup without the data of the node.
    for (const key of Object.keys(workflow.data)) delete workflow.data[key]
    await workflow.activate()
    const restored = await webhooksNow()
    // The webhook was deleted in the dashboard.
    const [{ json } = { json: {} }] = restored
    await execute(pack, credentials, {
      parameters: { resource: 'Webhooks', operation: 'deleteWebhook', webhook_id: json.webhook_id },
    })
    await workflow.activate()
    await execute(pack, credentials, {
      parameters: { resource: 'Events', operation: 'createTestEvent', event: 'contact.updated' },
    })
    await app.settle()

    expect(changed.map((item) => item.json.events)).toEqual([['contact.created', 'contact.updated']])
    expect(restored).toHaveLength(1)
    expect(await webhooksNow()).toHaveLength(1)
    expect(workflow.started.map((item) => item.json.event)).toEqual(['contact.updated'])
  })

  test('the trigger offers the events that webhooks accept', async () => {
    const credentials = credentialsOf(await open())
    const pack = await loadPackage()
    const [property] = pack.trigger.description.properties
    const offered = (property?.options ?? []).map((option) => 'value' in option && option.value) as string[]
    const workflow = await workflowWith(pack, credentials, { events: offered })

    await workflow.activate()

    expect(offered.length).toBeGreaterThan(60)
    expect(workflow.data.webhookId).toEqual(expect.any(String))
    const none = await workflowWith(pack, credentials, { events: [] })
    await expect(none.activate()).rejects.toThrow('Select at least one event')
  })
})

/** A server that is overloaded in the ways of proxies; the retries are what is tested. */
async function overloaded(...statuses: number[]) {
  const keys: unknown[] = []
  const server = createServer((request, response: ServerResponse) => {
    request.resume()
    keys.push(request.headers['idempotency-key'])
    const status = statuses[keys.length - 1] ?? 200
    response.writeHead(status, { 'content-type': 'application/json', 'retry-after': '0' })
    response.end(status === 200 ? '{"tag":{"id":1}}' : '{"error":"Busy","troubleshoot":"Wait"}')
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close())
  return { keys, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, apiId: 'a', apiToken: 'b' }
}

test('a change is repeated with the same key when the server asks for it, and not more than five times', async () => {
  const pack = await loadPackage()
  const parameters = { resource: 'Tags', operation: 'createTag', name: 'Urgent', color: '#00B388' }
  const [busy, down, broken] = [
    await overloaded(429, 503),
    await overloaded(...Array(9).fill(503)),
    await overloaded(500),
  ]

  expect(await execute(pack, busy, { parameters })).toMatchObject([{ json: { id: 1 } }])
  expect(new Set(busy.keys).size).toBe(1)
  expect(busy.keys).toHaveLength(3)
  await expect(execute(pack, down, { parameters })).rejects.toMatchObject({ message: 'Busy', httpCode: '503' })
  expect(down.keys).toHaveLength(5)
  await expect(execute(pack, broken, { parameters })).rejects.toMatchObject({ httpCode: '500' })
  expect(broken.keys).toHaveLength(1)
})

test('every operation can be selected, and its parameters have names of their own', async () => {
  const { action } = await loadPackage()
  const { properties } = action.description
  const selectable = properties
    .filter(({ name }) => name === 'operation')
    .flatMap(({ options = [] }) => options.map((option) => ('value' in option ? option.value : '')))

  expect(selectable.toSorted()).toEqual(operations.map(({ name }) => name).toSorted())
  for (const { resource, name } of operations) {
    const shown = properties.filter((property) => isFor(property, resource, name)).map((property) => property.name)
    expect(new Set(shown).size, name).toBe(shown.length)
  }
})

function isFor({ displayOptions }: NodeProperty, resource: string, operation: string): boolean {
  const { show = {} } = displayOptions ?? {}
  return (show.resource?.includes(resource) ?? true) && (show.operation?.includes(operation) ?? true)
}
