import type { Db } from '../../../db/database.ts'

/** Requests for a callback that were served or have expired. */
export async function deleteOldCallbackRequests(db: Db, before: number): Promise<void> {
  await db.deleteFrom('callback_request').where('expires_at', '<', before).execute()
}
