import { transaction } from '../../../db/database.ts'
import { inBatches } from '../../../lib/in-batches.ts'
import type { Services } from '../../../services.ts'
import { deleteOldDirectMessages, listCompanies } from '../../accounts/index.ts'
import { deletedBefore, retentionOf } from '../../calls/index.ts'
import { deleteOldMessages } from './retention-store.ts'

const some = 100

/**
 * Deletes messages, with their attachments, and messages between users that are older than the retention period of
 * their company.
 */
export async function applyMessageRetention(services: Services): Promise<void> {
  const { db, clock, files } = services
  for (const { id } of await listCompanies(db)) {
    const before = deletedBefore('messages', await retentionOf(db, id), clock.now())
    if (before === null) continue
    await inBatches(clock, async () => {
      const { deleted, files: keys } = await transaction(db, (tx) => deleteOldMessages(tx, id, before, some))
      // After the commit: a message must not name a file that is gone.
      for (const key of keys) await files.remove(key)
      return deleted
    })
    await inBatches(clock, () => transaction(db, (tx) => deleteOldDirectMessages(tx, id, before, some)))
  }
}
