import { day } from '../../../lib/clock.ts'
import { inBatches } from '../../../lib/in-batches.ts'
import type { Services } from '../../../services.ts'
import { listCompanies } from '../../accounts/index.ts'
import { deleteExport, oldExports } from './store.ts'

const keptMs = 30 * day
const some = 50

/** Older exports are deleted. */
export const exportsSince = (now: number): number => now - keptMs

/** Deletes reports after 30 days, the file before its row. */
export async function deleteOldExports({ db, clock, files }: Services): Promise<void> {
  const before = exportsSince(clock.now())
  for (const { id: companyId } of await listCompanies(db)) {
    await inBatches(clock, async () => {
      const old = await oldExports(db, companyId, before, some)
      for (const { id, file } of old) {
        if (file !== null) await files.remove(file)
        await deleteExport(db, companyId, id)
      }
      return old.length
    })
  }
}
