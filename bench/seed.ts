import path from 'node:path'
import { openDatabase, transaction } from '../src/db/database.ts'
import { insertContact } from '../src/features/contacts/contacts/write-store.ts'
import { day, systemClock } from '../src/lib/clock.ts'
import { seededRandom } from '../src/lib/random.ts'

const year = 365 * day

/** Contacts of the demo company, spread over a year, as an office makes them. The server must not run meanwhile. */
export async function seedContacts(dataDir: string, count: number): Promise<void> {
  const clock = systemClock()
  const database = await openDatabase({ kind: 'embedded', folder: path.resolve(dataDir) }, clock)
  const { id: companyId } = await database.db
    .selectFrom('company')
    .select('id')
    .where('name', '=', 'Demo Company')
    .executeTakeFirstOrThrow()
  const random = seededRandom(1)
  const begin = clock.now() - 2 * year
  for (let from = 0; from < count; from += 5_000) {
    await transaction(database.db, async (tx) => {
      for (let i = from; i < Math.min(from + 5_000, count); i++) {
        const createdAt = begin + Math.floor((i / count) * year)
        await insertContact(tx, companyId, contact(i, random.next()), createdAt)
      }
    })
  }
  await database.close()
}

const contact = (i: number, random: number) => ({
  firstName: 'Camille',
  lastName: `Customer ${i}`,
  companyName: random < 0.6 ? 'Example Trading Ltd' : null,
  information: null,
  phones: [{ label: 'Work', value: `+33199${String(i).padStart(6, '0')}` }],
  emails: random < 0.7 ? [{ label: 'Work', value: `customer${i}@customers.test` }] : [],
})
