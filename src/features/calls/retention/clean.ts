import { transaction } from '../../../db/database.ts'
import type { CompanyId } from '../../../db/tables.ts'
import { keptSince } from '../../../domain/call/history.ts'
import { inBatches } from '../../../lib/in-batches.ts'
import type { Services } from '../../../services.ts'
import { expireEntries, listCompanies } from '../../accounts/index.ts'
import { deleteUseBefore } from '../../voice-agents/index.ts'
import { deleteSound } from '../calls/actions.ts'
import { deleteGeneratedInsights } from '../calls/results-store.ts'
import { deleteCallsBefore } from '../calls/retention.ts'
import { findCall } from '../calls/store.ts'
import { deletedBefore } from './periods.ts'
import { callsWithOld, type Reached, retentionOf, soundOf } from './store.ts'

const some = 50

/**
 * Deletes data of calls, and audit log entries, older than the retention periods of each company. Calls go after their
 * parts, with all their data.
 */
export async function applyRetention(services: Services): Promise<void> {
  const now = services.clock.now()
  for (const { id } of await listCompanies(services.db)) {
    const periods = await retentionOf(services.db, id)
    for (const kind of ['recordings', 'voicemails', 'transcripts'] as const) {
      const before = deletedBefore(kind, periods, now)
      if (periods[kind] !== null && before !== null) await deleteOldData(services, id, kind, before)
    }
    const callsBefore = deletedBefore('calls', periods, now) ?? keptSince(now)
    await deleteCallsBefore(services, id, callsBefore)
    await deleteUseBefore(services.db, id, new Date(callsBefore).toISOString().slice(0, 10))
    const entriesBefore = deletedBefore('audit_log', periods, now)
    if (entriesBefore !== null) await expireEntries(services, id, entriesBefore)
  }
}

async function deleteOldData(
  services: Services,
  companyId: CompanyId,
  kind: 'recordings' | 'voicemails' | 'transcripts',
  before: number,
): Promise<void> {
  const { db, clock } = services
  const sound = soundOf[kind]
  let after: Reached = { at: 0, id: 0 }
  await inBatches(clock, async () => {
    const calls = await callsWithOld(db, companyId, kind, { before, after, limit: some })
    for (const { id, at } of calls) {
      after = { at, id }
      const call = sound && (await findCall(db, companyId, id))
      if (sound && call) await deleteSound(services, call, sound)
      if (!sound) {
        await transaction(db, async (tx) => {
          for (const of of ['recording', 'voicemail'] as const) await deleteGeneratedInsights(tx, companyId, id, of)
        })
      }
    }
    return calls.length
  })
}
