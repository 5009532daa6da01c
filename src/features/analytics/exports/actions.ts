import { randomUUID } from 'node:crypto'
import { transaction } from '../../../db/database.ts'
import type { ReportParams } from '../../../domain/analytics/report-params.ts'
import type { Caller } from '../../../http/caller.ts'
import { unprocessable } from '../../../http/errors.ts'
import { enqueue } from '../../../jobs/queue.ts'
import type { Services } from '../../../services.ts'
import { actorOf, audit, userIdOf } from '../../accounts/index.ts'
import { countPending, deleteExport, type Export, insertExport } from './store.ts'

const maxPending = 50

export async function createExport(
  services: Services,
  caller: Caller,
  params: ReportParams,
  address: string,
): Promise<Export> {
  const { db, clock } = services
  const { companyId } = caller
  return transaction(db, async (tx) => {
    if ((await countPending(tx, companyId)) >= maxPending) {
      throw unprocessable(`${maxPending} reports are being created already; wait until some of them are done`)
    }
    const id = randomUUID()
    const at = clock.now()
    const made = await insertExport(tx, companyId, { id, params, at, by: userIdOf(caller) })
    await enqueue(tx, 'analytics.export', { companyId, exportId: id }, at, `analytics.export:${id}`)
    await audit(services, tx, companyId, {
      actor: actorOf(caller),
      action: 'report.exported',
      target: `export:${id}`,
      details: { report: params.reportName },
      address,
    })
    return made
  })
}

/** Deletes the file before the row, so that a failure can be repeated. A run in progress finds no row and removes its own file. */
export async function removeExport(services: Services, caller: Caller, made: Export, address: string): Promise<void> {
  const { db, files } = services
  const { companyId } = caller
  if (made.file !== null) await files.remove(made.file)
  await transaction(db, async (tx) => {
    await deleteExport(tx, companyId, made.id)
    await audit(services, tx, companyId, {
      actor: actorOf(caller),
      action: 'export.deleted',
      target: `export:${made.id}`,
      details: { name: made.name, report: made.params.reportName },
      address,
    })
  })
}
