import type { Db } from '../../db/database.ts'

// Retention of what has no owner that would delete it. Of all companies.

/** Mails, sent or not: their text is encrypted, their recipient and subject are not. */
export async function deleteOldMails(db: Db, before: number): Promise<void> {
  await db.deleteFrom('mail').where('created_at', '<', before).execute()
}

/** A payload may hold an e-mail address or a phone number. */
export async function deleteFailedJobs(db: Db, before: number): Promise<void> {
  await db.deleteFrom('job').where('failed_at', '<', before).execute()
}

/** Requests for a callback that were served or have expired. */
export async function deleteOldCallbackRequests(db: Db, before: number): Promise<void> {
  await db.deleteFrom('callback_request').where('expires_at', '<', before).execute()
}

/** Numbers a dialer campaign has called; the campaign itself stays. */
export async function deleteCalledNumbers(db: Db, before: number): Promise<void> {
  await db.deleteFrom('dialer_number').where('called', '=', 1).where('created_at', '<', before).execute()
}
