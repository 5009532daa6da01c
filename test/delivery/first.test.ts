import { expect, test } from 'vitest'
import { onBothDatabases } from '../kit/app.ts'
import { receiver } from '../kit/receiver.ts'

onBothDatabases('a webhook', (open) => {
  test('gets what happens, signed, in the contract’s envelope', async () => {
    const { a, app, clock } = await open()
    const customer = await receiver()
    const made = await a.api('POST', '/v1/webhooks', { url: customer.url, events: ['contact.created'] })
    expect(made.status).toBe(201)
    const { signing_secret } = made.json
    const { token, webhook_id } = made.json.webhook
    customer.verifyWith(signing_secret)

    await a.api('POST', '/v1/contacts', { first_name: 'Ada', phone_numbers: [{ label: 'W', value: '+33176360695' }] })
    await app.settle()

    expect(customer.got).toHaveLength(1)
    const [first] = customer.got
    expect(Object.keys(first?.body)).toEqual(['resource', 'event', 'timestamp', 'token', 'data'])
    expect(first?.body).toMatchObject({
      resource: 'contact',
      event: 'contact.created',
      token,
      timestamp: Math.floor(clock.now() / 1000),
    })
    const log = await a.api('GET', `/v1/webhooks/${webhook_id}/deliveries`)
    expect(log.json.deliveries).toMatchObject([{ state: 'delivered', status: 204, attempts_made: 1, sequence: 1 }])
    const one = await a.api('GET', `/v1/webhooks/${webhook_id}/deliveries/${log.json.deliveries[0].id}`)
    expect(one.json.delivery.attempts).toMatchObject([{ number: 1, status: 204, error: null }])
    expect(one.json.delivery.body).toContain('"event":"contact.created"')
  })
})
