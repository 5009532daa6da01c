import { expect, test } from 'vitest'
import { minute } from '../../src/lib/clock.ts'
import { onAnyDatabase } from '../kit/app.ts'
import { customer, openShop } from '../kit/messages.ts'
import { receiver } from '../kit/receiver.ts'
import { must } from '../kit/webhooks.ts'

onAnyDatabase('message callbacks', (open) => {
  test('a deleted contact disappears from the stored copies; messages of other contacts keep theirs', async () => {
    const shop = await openShop(open)
    const { a, clock, db, line } = shop
    const crm = await receiver()
    must(await a.api('POST', `/v1/numbers/${line.id}/messages/configuration`, { callbackUrl: crm.url }), 200, 201)
    const contact = async (first_name: string, value: string): Promise<number> => {
      const body = { first_name, phone_numbers: [{ label: 'Work', value }] }
      return must(await a.api('POST', '/v1/contacts', body), 200, 201).json.contact.id
    }
    const zenobia = await contact('Zenobia', customer)
    await contact('Quentin', '+33612340078')
    for (const to of [customer, '+33612340078']) {
      must(await shop.send({ to, body: 'Hello' }, `/v1/numbers/${line.id}/messages/send`), 200)
    }
    await clock.advance(minute)
    const copies = async (name: string) => {
      const rows = await db.selectFrom('message_callback').select('data').where('company_id', '=', a.id).execute()
      return rows.filter(({ data }) => data.includes(name)).length
    }
    const before = [await copies('Zenobia'), await copies('Quentin')]

    must(await a.api('DELETE', `/v1/contacts/${zenobia}`), 204)
    await shop.settle()

    expect(before).toEqual([2, 2])
    expect([await copies('Zenobia'), await copies('Quentin')]).toEqual([0, 2])
    expect(crm.got.filter(({ body }) => body.data.contact?.first_name === 'Zenobia')).toHaveLength(2)
  })
})
