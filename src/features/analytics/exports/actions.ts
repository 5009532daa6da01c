import { randomUUID } from 'node:crypto'
import { transaction } from '../../../db/database.ts'
import type { ReportParams } from '../../../domain/analytics/report-params.ts'
import type { Caller } from '../../../http/caller.ts'
import { unprocessable } from '../../../http/errors.ts'
import { enqueue } from '../../../jobs/queue.ts'
import type { Services } from '../../../services.ts'
import { actorOf, audit, userIdOf } from '../../accounts/index.ts'
import { countPending, type Export, insertExport } from './store.ts'

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
