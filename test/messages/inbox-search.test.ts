import { expect, test } from 'vitest'
import { onBothDatabases } from '../kit/app.ts'
import { openShop } from '../kit/messages.ts'
import { colleague } from '../kit/visitor.ts'

onBothDatabases('searching a large inbox', (open) => {
  test('continues where the previous request ended, until everything was searched', async () => {
    const shop = await openShop(open)
    const { a, line, db, clock } = shop
    const root = await colleague(shop, a, 'admin')
    const at = clock.now()
    const row = (n: number) => ({
      id: `00000000-0000-4000-8000-${100_000_000_000 + n}`,
      company_id: a.id,
      number_id: line.id,
      external: `+3361${1_000_000 + n}`,
      participants: null,
      who: `+3361${1_000_000 + n}`,
      inbox: 1 as const,
      unread: 0,
      assigned_user_id: null,
      archived: 0 as const,
      last_at: at - n,
      last_message: n === 3 || n === 10_020 ? 'Where is my parcel?' : 'Thank you',
      last_direction: 'inbound' as const,
      created_at: at - n,
    })
    for (let from = 0; from < 10_050; from += 1_005) {
      const rows = Array.from({ length: 1_005 }, (_, i) => row(from + i))
      await db.insertInto('conversation').values(rows).execute()
    }
    const ask = async (query: string) => (await root.ask('GET', `/v1/conversations?search=${query}`)).json
    const ids = (page: { conversations: { id: string }[] }) => page.conversations.map(({ id }) => Number(id.slice(-6)))

    const first = await ask('parcel')
    const second = await ask(`parcel&after=${first.next}`)
    const nothing = await ask('1010020')
    const found = await ask(`1010020&after=${nothing.next}`)
    const common = await ask('thank&limit=2')

    expect([ids(first), ids(second), second.next]).toEqual([[3], [10_020], null])
    expect([ids(nothing), ids(found), found.next]).toEqual([[], [10_020], null])
    expect(ids(common)).toEqual([0, 1])
    expect(ids(await ask(`thank&limit=2&after=${common.next}`))).toEqual([2, 4])
  })
})
