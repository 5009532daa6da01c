import { transaction } from '../../../db/database.ts'
import type { CompanyId } from '../../../db/tables.ts'
import { inBatches } from '../../../lib/in-batches.ts'
import type { Services } from '../../../services.ts'
import { deleteInsights } from './results-store.ts'
import { deleteCalls, deleteOldFacts, oldCalls } from './store.ts'

const some = 50

/** Deletes calls that started before this time, with all their data. */
export async function deleteCallsBefore(
  { db, clock, files }: Services,
  companyId: CompanyId,
  before: number,
): Promise<void> {
  await inBatches(clock, async () => {
    const calls = await oldCalls(db, companyId, before, some)
    // Files first: a call that still exists knows which files are left.
    for (const { recording, voicemail } of calls) {
      if (recording !== null) await files.remove(recording)
      if (voicemail !== null) await files.remove(voicemail)
    }
    const ids = calls.map(({ id }) => id)
    if (ids.length > 0) {
      await transaction(db, async (tx) => {
        await deleteInsights(tx, companyId, ids)
        await deleteCalls(tx, companyId, ids)
      })
    }
    return ids.length
  })
  await deleteOldFacts(db, companyId, before)
}
