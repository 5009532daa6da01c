import type { Db } from '../database.ts'

/** Pending jobs keep running under the new names of their kinds. */
export async function up(db: Db) {
  for (const [from, to] of [
    ['call.transcribe', 'call.build_transcript'],
    ['call.listen', 'call.speech_to_text'],
  ] as const) {
    await db.updateTable('job').set({ kind: to }).where('kind', '=', from).execute()
  }
}
