import { expect, test } from 'vitest'
import { transaction } from '../../src/db/database.ts'
import { appendEvents } from '../../src/events/log.ts'
import { onBothDatabases, type TestApp } from '../kit/app.ts'
import { receiver } from '../kit/receiver.ts'
import { addContact, addHook, contactEvents, rename } from '../kit/webhooks.ts'

// Deliveries that are leased as they are written and sent without a claim.

async function claims({ anonymous }: TestApp): Promise<number> {
  const { text } = await anonymous('GET', '/metrics')
  return Number(/^hookswitch_claim_seconds_count (\d+)$/m.exec(text)?.[1] ?? Number.NaN)
}

onBothDatabases('a healthy receiver with nothing waiting', (open) => {
  async function proven() {
    const world = await open()
    const customer = await receiver()
    const hook = await addHook(world.a.api, customer, contactEvents)
    const ada = await addContact(world.a.api)
    await world.settle()
    return { world, customer, hook, ada, api: world.a.api }
  }

  test('receives an event without a claim, and the delivery is in the log', async () => {
    const { world, customer, hook, ada, api } = await proven()
    const before = await claims(world)
    const changes = 20
    for (let i = 1; i <= changes; i++) {
      await rename(api, ada, `Ada ${i}`)
      await customer.until((got) => got.length === 1 + i)
      await world.settle()
    }
    // A late notification of the first event may claim once.
    expect((await claims(world)) - before).toBeLessThan(changes / 2)
    const log = await hook.log()
    expect(log.map(({ event, state }) => `${event} ${state}`)).toEqual([
      'contact.created delivered',
      ...Array.from({ length: changes }, () => 'contact.updated delivered'),
    ])
  })

  test('receives the events of one resource in order, however quickly they follow each other', async () => {
    const { world, customer, ada, api } = await proven()
    const names = Array.from({ length: 12 }, (_, i) => `Ada ${i}`)
    for (const name of names) await rename(api, ada, name)
    await world.settle()
    await customer.until((got) => got.length === 1 + names.length)
    expect(customer.got.slice(1).map(({ body }) => body.data.first_name)).toEqual(names)
  })

  test('receives nothing of a transaction that failed, and the next event', async () => {
    const { world, customer, ada, api } = await proven()
    const { clock, db } = world
    const event = { name: 'contact.updated', resource: 'contact', resourceKey: `contact:${ada}` }
    const failing = () =>
      transaction(db, async (tx) => {
        await appendEvents(tx, clock, world.a.id, [{ ...event, occurredAt: clock.now(), data: '{}' }])
        throw new Error('rolled back')
      })
    for (let i = 0; i < 20; i++) await expect(failing()).rejects.toThrow('rolled back')
    await rename(api, ada, 'Augusta')
    await customer.until((got) => got.length === 2)
    expect(customer.got[1]?.body.data.first_name).toBe('Augusta')
  })

  test('receives the next event at its new URL as soon as the change is accepted', async () => {
    const { customer, hook, ada, api } = await proven()
    const moved = await receiver()
    await hook.put({ url: moved.url })
    await rename(api, ada, 'Augusta')
    await moved.until((got) => got.length === 1)
    expect(customer.got.length).toBe(1)
  })
})
