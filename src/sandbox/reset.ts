import { transaction } from '../db/database.ts'
import type { CompanyId } from '../db/tables.ts'
import { lockCompany } from '../features/accounts/companies/store.ts'
import { scheduleReconciliation } from '../features/integrations/webhooks/reconciliation.ts'
import { markWebhookDeleted } from '../features/integrations/webhooks/store.ts'
import { deleteSource } from '../features/intelligence/results/raw-audio.ts'
import { badRequest } from '../http/errors.ts'
import { cancelJobsOf } from '../jobs/queue.ts'
import type { Services } from '../services.ts'
import { describeAll, writeMain, writeSecond } from './demo-company.ts'
import { makeSounds } from './past-calls.ts'
import { soundFilesOf, webhookIdsOf, wipeCompany } from './reset/store.ts'
import { readSeeded, writeSeeded } from './seed.ts'

/** Resets a demo company to its seed. Publishes no events: its webhooks are deleted as well. */
export async function resetCompany(services: Services, companyId: CompanyId, wanted?: number): Promise<void> {
  const { db, clock, calls, files, sandbox } = services
  const before = await readSeeded(db)
  const known = [before?.main, before?.second].find((one) => one?.companyId === companyId)
  if (!before || !known) throw badRequest('Only the two demo companies can be reset')
  const write = known === before.main ? writeMain : writeSecond
  const seed = wanted ?? before.seed
  const displays = await describeAll()
  await calls.endAll(companyId)
  const { old, sounds, raw } = await transaction(db, async (tx) => {
    await lockCompany(tx, companyId)
    const at = clock.now()
    const old = await soundFilesOf(tx, companyId)
    const jobs = await cancelJobsOf(tx, companyId)
    await wipeCompany(tx, companyId, known)
    for (const id of await webhookIdsOf(tx, companyId)) {
      await markWebhookDeleted(tx, companyId, id, at)
      await scheduleReconciliation(tx, companyId, id, at)
    }
    await sandbox?.faults.forget(tx, companyId)
    const { sounds } = await write({ services, tx, seed, at, displays, known })
    if (known === before.main) await writeSeeded(tx, { ...before, seed })
    return { old, sounds, raw: jobs.flatMap(rawSourceOf) }
  })
  await makeSounds(services, sounds)
  for (const source of raw) await deleteSource(source)
  const isNeeded = (file: string) => sounds.some((sound) => sound.file === file)
  for (const file of old.filter((one) => !isNeeded(one))) await files.remove(file)
}

/** Source file of a job that converts or transcribes audio outside the file store. */
function rawSourceOf(payload: string): string[] {
  const { source }: { source?: unknown } = JSON.parse(payload)
  return typeof source === 'string' ? [source] : []
}
