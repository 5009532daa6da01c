import { expect, test } from 'vitest'
import { monday, onAnyDatabase } from '../../../../test/kit/app.ts'
import { transaction } from '../../../db/database.ts'
import { day, hour } from '../../../lib/clock.ts'
import { seededRandom } from '../../../lib/random.ts'
import { findContact } from './store.ts'
import { insertContact, updateContact } from './write-store.ts'

onAnyDatabase('contacts between two times', (open) => {
  test('totals are exact for every edge, by creation and by last change', async () => {
    const { app, a } = await open()
    const random = seededRandom(11)
    const blank = { firstName: null, lastName: null, companyName: null, information: null, phones: [], emails: [] }
    const made: { id: number; created: number; updated: number }[] = []
    await transaction(app.services.db, async (tx) => {
      for (let i = 0; i < 120; i++) {
        const created = monday - 20 * day + random.integer(0, 19 * day)
        const id = await insertContact(tx, a.id, blank, created)
        const updated = random.next() < 0.5 ? created : created + random.integer(0, day * 3)
        const contact = await findContact(tx, a.id, id)
        if (contact && updated !== created) await updateContact(tx, a.id, contact, { information: 'x' }, updated)
        made.push({ id, created, updated })
      }
    })
    const [gone] = made.splice(17, 1)
    await a.api('DELETE', `/v1/contacts/${gone?.id}`)

    const moments = [0, 3 * hour, 2 * day, 2 * day + 5 * hour, 11 * day, 19 * day, 30 * day].map(
      (ms) => monday - 20 * day + ms,
    )
    for (const [column, orderBy] of [
      ['created', 'created_at'],
      ['updated', 'updated_at'],
    ] as const) {
      for (const from of [undefined, ...moments]) {
        for (const to of [undefined, ...moments]) {
          if (from !== undefined && to !== undefined && from > to) continue
          const range = [from && `from=${from / 1_000}`, to && `to=${to / 1_000}`].filter(Boolean).join('&')
          const { json } = await a.api('GET', `/v1/contacts?order_by=${orderBy}&${range}`)
          const inside = made.filter((one) => one[column] >= (from ?? 0) && one[column] <= (to ?? Infinity) + 999)
          expect(json.meta.total, `${orderBy} ${range}`).toBe(inside.length)
        }
      }
    }
  })
})
