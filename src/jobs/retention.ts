import type { Db } from '../db/database.ts'

/** A payload may contain an e-mail address or a phone number. */
export async function deleteFailedJobs(db: Db, before: number): Promise<void> {
  await db.deleteFrom('job').where('failed_at', '<', before).execute()
}
