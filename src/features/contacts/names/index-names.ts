import { transaction } from '../../../db/database.ts'
import { enqueue } from '../../../jobs/queue.ts'
import { inBatches } from '../../../lib/in-batches.ts'
import type { Services } from '../../../services.ts'
import { forgetWords, indexSomeNames } from './store.ts'

const atOnce = 200
const batchesPerRun = 25

/** The job after an upgrade: indexes contacts of earlier releases in batches. */
export function nameIndexer({ db, clock, log }: Services) {
  return async ({ after }: { after: number }) => {
    let last: number | undefined = after
    let batches = 0
    await inBatches(clock, async () => {
      const from = last ?? after
      last = await transaction(db, (tx) => indexSomeNames(tx, from, atOnce))
      return last === undefined || ++batches === batchesPerRun ? 0 : 1
    })
    if (last !== undefined) await enqueue(db, 'contact.index_names', { after: last }, clock.now())
    else log.info({ event: 'contacts.names_indexed' }, 'all contact names are indexed')
  }
}

/** The job after a deletion or a change of name. */
export function wordForgetter({ db }: Services) {
  return ({ companyId, words }: { companyId: number; words: string[] }) =>
    transaction(db, (tx) => forgetWords(tx, companyId, words))
}
