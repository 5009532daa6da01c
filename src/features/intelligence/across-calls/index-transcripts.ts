import { transaction } from '../../../db/database.ts'
import { enqueue } from '../../../jobs/queue.ts'
import { inBatches } from '../../../lib/in-batches.ts'
import type { Services } from '../../../services.ts'
import { indexSomeTranscripts } from './index-store.ts'

const atOnce = 20
const batchesPerRun = 25

/** The job after an upgrade: indexes transcripts of earlier releases in batches. */
export function transcriptIndexer({ db, clock, log }: Services) {
  return async ({ after }: { after: number }) => {
    let last: number | undefined = after
    let batches = 0
    await inBatches(clock, async () => {
      const from = last ?? after
      last = await transaction(db, (tx) => indexSomeTranscripts(tx, from, atOnce))
      return last === undefined || ++batches === batchesPerRun ? 0 : 1
    })
    if (last !== undefined) await enqueue(db, 'transcript.index', { after: last }, clock.now())
    else log.info({ event: 'transcripts.indexed' }, 'all transcripts are indexed')
  }
}
