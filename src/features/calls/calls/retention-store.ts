import type { Db } from '../../../db/database.ts'

/** Callback requests that were served or have expired. */
export async function deleteOldCallbackRequests(db: Db, before: number): Promise<void> {
  await db.deleteFrom('callback_request').where('expires_at', '<', before).execute()
}
