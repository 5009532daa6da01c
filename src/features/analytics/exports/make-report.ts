import { transaction } from '../../../db/database.ts'
import { isUnavailable } from '../../../db/errors.ts'
import type { CompanyId } from '../../../db/tables.ts'
import { csvLine } from '../../../domain/analytics/csv.ts'
import { rangeOf } from '../../../domain/analytics/range.ts'
import { columnsOf } from '../../../domain/analytics/reports.ts'
import { zoneOf } from '../../../domain/analytics/zone.ts'
import type { JobPayloads } from '../../../jobs/payloads.ts'
import { second } from '../../../lib/clock.ts'
import { randomId } from '../../../lib/secrets.ts'
import type { Services } from '../../../services.ts'
import { publish } from '../../publishing/index.ts'
import { openReport } from './rows.ts'
import { changeRun, type Export, lockExport } from './store.ts'
import { reportFailure } from './view.ts'

/** Maximum number of runs before a report fails. */
const maxTries = 5
const progressIntervalMs = second
// Large writes: one of this size costs the disk little more than one of a single line.
const chunkBytes = 256 * 1024

/**
 * Job: writes the file, then completes the export in one transaction. An interrupted run leaves a file of its own name, which
 * the next run removes before it starts.
 */
export function exportReportJob(services: Services) {
  const { db, files, log } = services
  return async (job: JobPayloads['analytics.export'], isStopped: () => boolean): Promise<void> => {
    const { companyId, exportId, isPast = false } = job
    const started = await startRun(services, companyId, exportId)
    if (!started) return
    const { made, left } = started
    if (made.tries > maxTries) return fail(services, made)
    const run = { id: exportId, file: made.file }
    try {
      if (left !== null) await files.remove(left)
      const written = await write(services, made, isStopped)
      const isOurs = await finish(services, made, written, isPast)
      if (!isOurs && made.file !== null) await files.remove(made.file)
    } catch (error) {
      if (made.file !== null)
        await files
          .remove(made.file)
          .catch(() => log.warn({ event: 'export.file_left', exportId }, 'could not remove an incomplete report file'))
      // A shutdown or an unavailable database does not count against the report.
      if (isStopped() || isUnavailable(error)) {
        await changeRun(db, companyId, run, { tries: made.tries - 1 }).catch(() => undefined)
      } else if (made.tries >= maxTries) {
        log.error({ event: 'export.failed', exportId, error }, 'could not create a report')
        return fail(services, made)
      }
      throw error
    }
  }
}

/** Claims the export for this run; returns the file that an earlier run left. */
function startRun({ db }: Services, companyId: CompanyId, id: string) {
  return transaction(db, async (tx) => {
    const before = await lockExport(tx, companyId, id)
    if (before?.status !== 'PENDING') return undefined
    const file = `exports/${companyId}/${id}-${randomId().toLowerCase()}.csv`
    const tries = before.tries + 1
    const nextRun = { file, tries, rows: 0, looked_at: 0, to_look_at: null }
    await changeRun(tx, companyId, before, nextRun)
    return { made: { ...before, file, tries }, left: before.file }
  })
}

interface WrittenFile {
  rows: number
  bytes: number
  looked: number
}

class Stopped extends Error {}

async function write(services: Services, made: Export, isStopped: () => boolean): Promise<WrittenFile> {
  const { db, clock, files } = services
  const { companyId, params, file } = made
  const zone = zoneOf(params.timezone)
  // Relative to the time of the request, in every run.
  const range = rangeOf(params.dateFilter, zone, made.createdAt)
  const report = await openReport(db, companyId, params, range, zone)
  const run = { id: made.id, file }
  await changeRun(db, companyId, run, { to_look_at: report.all })
  let rows = 0
  let looked = 0
  let progressSavedAt = clock.steadyNow()

  async function* pieces(): AsyncGenerator<Uint8Array> {
    let held = csvLine(columnsOf(params.reportName))
    for await (const batch of report.batches) {
      for (const row of batch.rows) held += csvLine(row)
      rows += batch.rows.length
      looked += batch.looked
      if (held.length >= chunkBytes) {
        yield Buffer.from(held)
        held = ''
      }
      if (isStopped()) throw new Stopped('stopped before the report was complete')
      if (clock.steadyNow() - progressSavedAt >= progressIntervalMs) {
        progressSavedAt = clock.steadyNow()
        if (!(await changeRun(db, companyId, run, { rows, looked_at: looked })))
          throw new Stopped('another run has claimed the export')
      }
      await others()
    }
    yield Buffer.from(held)
  }

  const bytes = await files.write(file ?? '', pieces())
  return { rows, bytes, looked }
}

/** The embedded database is synchronous: yields to other requests between batches. */
const others = () => new Promise<void>((resolve) => setImmediate(resolve))

/** False: another run has claimed the export, or it was deleted. */
function finish(services: Services, made: Export, written: WrittenFile, isPast: boolean): Promise<boolean> {
  const { db, clock } = services
  const { rows, bytes, looked } = written
  return transaction(db, async (tx) => {
    const end = { status: 'COMPLETED' as const, finished_at: clock.now(), rows, bytes, looked_at: looked }
    if (!(await changeRun(tx, made.companyId, made, end))) return false
    if (!isPast) await publish(services, tx, made.companyId, [{ kind: 'export', event: 'created', made }])
    return true
  })
}

async function fail(services: Services, made: Export): Promise<void> {
  const { db, clock } = services
  await transaction(db, async (tx) => {
    const end = { status: 'FAILED' as const, finished_at: clock.now(), error: reportFailure }
    if (!(await changeRun(tx, made.companyId, made, end))) return
    await publish(services, tx, made.companyId, [
      { kind: 'export', event: 'failed', made: { ...made, error: reportFailure } },
    ])
  })
}
