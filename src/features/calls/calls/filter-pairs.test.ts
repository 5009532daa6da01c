import { expect, test } from 'vitest'
import { onAnyDatabase } from '../../../../test/kit/app.ts'
import { recordOf } from '../../../../test/kit/calls.ts'
import { addNumber, addUser } from '../../../../test/kit/flows.ts'
import { transaction } from '../../../db/database.ts'
import { day, minute } from '../../../lib/clock.ts'
import { seededRandom } from '../../../lib/random.ts'
import { putTags } from './notes-store.ts'
import { insertCall, updateRecord } from './store.ts'

interface Made {
  id: number
  direction: string
  userId: number | null
  numberId: number
  phone: string
  tags: number[]
  isMissed: boolean
  startedAt: number
}

onAnyDatabase('filters of a call search together', (open) => {
  test('any two filters find exactly the calls that fit both, also after a tagged call was transferred', async () => {
    const app = await open()
    const { a, clock } = app
    const random = seededRandom(7)
    const numbers = [await addNumber(a), await addNumber(a)]
    const users = [await addUser(a, 'Ada'), await addUser(a, 'Bo')]
    const tags: number[] = []
    for (const name of ['Order', 'Urgent', 'Late']) {
      tags.push((await a.api('POST', '/v1/tags', { name, color: '#00aa77' })).json.tag.id)
    }
    // One number of the company calls the other: it is found as the far end, too.
    const phones = ['+33199000001', '+33199000002', numbers[0]?.digits ?? '']
    const made: Made[] = []
    await transaction(app.db, async (tx) => {
      for (let i = 0; i < 300; i++) {
        const startedAt = clock.now() - 60 * day + i * 200 * minute
        const direction = random.pick(['inbound', 'outbound'] as const)
        const numberId = random.pick(numbers).id
        const userId = random.next() < 0.2 ? null : random.pick(users).id
        const phone = random.pick(phones)
        const missed = () => (random.next() < 0.4 ? ('agents_did_not_answer' as const) : null)
        const base = recordOf(numberId, startedAt, { direction })
        const record = { ...base, userId, external: phone, missedReason: missed() }
        const id = await insertCall(tx, a.id, { uuid: `pair-${i}`, record })
        const mine = tags.filter(() => random.next() < 0.4)
        await putTags(tx, a.id, { id }, mine, { by: null, at: startedAt })
        const transferred = random.next() < 0.3 ? random.pick(users).id : userId
        const missedReason = missed()
        await updateRecord(tx, a.id, id, { ...record, userId: transferred, missedReason }, 'done')
        const isMissed = missedReason !== null
        made.push({ id, direction, userId: transferred, numberId, phone, tags: mine, isMissed, startedAt })
      }
    })
    const own = numbers[0]
    if (!own) throw new Error('a number was made')
    const since = Math.floor((clock.now() - 30 * day) / 1_000)
    const filters: { query: string; fits: (call: Made) => boolean }[] = [
      { query: `user_id=${users[0]?.id}`, fits: ({ userId }) => userId === users[0]?.id },
      { query: `tags=${tags[0]}`, fits: (call) => call.tags.includes(tags[0] ?? 0) },
      {
        query: `tags=${tags[1]}&tags=${tags[2]}`,
        fits: (call) => [tags[1], tags[2]].every((tag) => call.tags.includes(tag ?? 0)),
      },
      { query: 'direction=outbound', fits: ({ direction }) => direction === 'outbound' },
      { query: `phone_number=${encodeURIComponent(phones[0] ?? '')}`, fits: ({ phone }) => phone === phones[0] },
      {
        query: `phone_number=${encodeURIComponent(own.digits)}`,
        fits: ({ phone, numberId }) => phone === own.digits || numberId === own.id,
      },
      { query: 'missed=true', fits: ({ isMissed }) => isMissed },
      { query: `from=${since}`, fits: ({ startedAt }) => startedAt >= since * 1_000 },
    ]

    for (const [i, first] of filters.entries()) {
      for (const second of filters.slice(i)) {
        if (first !== second && first.query.startsWith('phone') && second.query.startsWith('phone')) continue
        const query = first === second ? first.query : `${first.query}&${second.query}`
        const fitting = made.filter((call) => first.fits(call) && second.fits(call))
        const { json } = await a.api('GET', `/v1/calls/search?per_page=50&order=desc&${query}`)
        expect(json.meta.total, query).toBe(fitting.length)
        const newest = fitting.map(({ id }) => id).reverse()
        expect(
          json.calls.map(({ id }: { id: number }) => id),
          query,
        ).toEqual(newest.slice(0, 50))
      }
    }
  })
})
