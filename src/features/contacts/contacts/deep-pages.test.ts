import { expect, test } from 'vitest'
import { monday, onAnyDatabase } from '../../../../test/kit/app.ts'
import { transaction } from '../../../db/database.ts'
import { day, minute } from '../../../lib/clock.ts'
import { insertContact } from './write-store.ts'

const perPage = 50

onAnyDatabase('deep pages of contacts', (open) => {
  test('a page far behind holds what follows the page before it, oldest or newest first', async () => {
    const { app, a } = await open()
    const contact = { firstName: null, lastName: null, companyName: null, information: null, phones: [], emails: [] }
    const ids: number[] = []
    await transaction(app.services.db, async (tx) => {
      for (let i = 0; i < 1_300; i++) {
        // Forty days, on some of them very many, with pauses between.
        const createdAt = monday - 80 * day + Math.floor((i * i) / 1_300 / 32.5) * 2 * day + i * minute
        ids.push(await insertContact(tx, a.id, contact, createdAt))
      }
    })
    for (const id of [ids[3], ids[700], ids[1_299]]) await a.api('DELETE', `/v1/contacts/${id}`)

    const read = async (order: string) => {
      const found: number[] = []
      for (let page = 1; page <= 27; page++) {
        const { json } = await a.api('GET', `/v1/contacts?per_page=${perPage}&page=${page}&order=${order}`)
        found.push(...json.contacts.map(({ id }: { id: number }) => id))
      }
      return found
    }
    const oldestFirst = await read('asc')
    const newestFirst = await read('desc')

    expect(oldestFirst).toHaveLength(1_297)
    expect(new Set(oldestFirst).size).toBe(1_297)
    expect(newestFirst).toEqual([...oldestFirst].reverse())
  })
})
