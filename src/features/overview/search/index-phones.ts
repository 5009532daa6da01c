import { transaction } from '../../../db/database.ts'
import { indexSomePhones } from '../../../db/phone-parts.ts'
import { enqueue } from '../../../jobs/queue.ts'
import { inBatches } from '../../../lib/in-batches.ts'
import type { Services } from '../../../services.ts'

const atOnce = 500
const batchesPerRun = 25

/** The job after an upgrade: indexes phone numbers of earlier releases in batches. */
export function phoneIndexer({ db, clock, log }: Services) {
  return async ({ after }: { after: number }) => {
    let last: number | undefined = after
    let batches = 0
    await inBatches(clock, async () => {
      const from = last ?? after
      last = await transaction(db, (tx) => indexSomePhones(tx, from, atOnce))
      return last === undefined || ++batches === batchesPerRun ? 0 : 1
    })
    if (last !== undefined) await enqueue(db, 'contact.index_phones', { after: last }, clock.now())
    else log.info({ event: 'contacts.phones_indexed' }, 'all phone numbers of contacts are indexed')
  }
}
