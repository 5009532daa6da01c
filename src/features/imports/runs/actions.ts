import { transaction } from '../../../db/database.ts'
import type { CompanyId } from '../../../db/tables.ts'
import type { CsvFiles } from '../../../domain/import/csv.ts'
import { unprocessable } from '../../../http/errors.ts'
import { enqueue } from '../../../jobs/queue.ts'
import type { Services } from '../../../services.ts'
import { type Actor, audit, lockCompany } from '../../accounts/index.ts'
import type { SourceAccess } from '../source/client.ts'
import { csvSourceOf } from '../source/csv.ts'
import {
  findImportRun,
  type ImportRun,
  importProgressOf,
  importRemarksOf,
  insertImportRun,
  unfinishedImportRun,
  updateImportRun,
} from './store.ts'

/** The credentials of a server, or CSV files. */
type ImportSource = SourceAccess | { files: CsvFiles }

export type ImportRequest = ImportSource & {
  merges: boolean
  byOperator: boolean
  createdBy: number | null
  actor: Actor
  address?: string | undefined
  /** False: the process of the command runs it itself. */
  queued: boolean
}

/** Starts an import, or continues the unfinished one of the same source. */
export async function startImport(services: Services, companyId: CompanyId, request: ImportRequest): Promise<number> {
  const { db, clock, vault } = services
  return transaction(db, async (tx) => {
    await lockCompany(tx, companyId)
    const { merges, byOperator, createdBy, actor, address, queued } = request
    const url = 'files' in request ? csvSourceOf(request.files) : request.url
    const sealed = 'files' in request ? request.files : { apiId: request.apiId, apiToken: request.apiToken }
    const credentialsSealed = vault.seal(JSON.stringify(sealed))
    const open = await unfinishedImportRun(tx, companyId)
    if (open && open.source !== url && open.state === 'running')
      throw unprocessable(`An import from ${open.source} is in progress; stop it first`)
    const same = await unfinishedImportRun(tx, companyId, url)
    const runId =
      same?.id ??
      (await insertImportRun(
        tx,
        companyId,
        { source: url, credentialsSealed, merges, byOperator, createdBy },
        clock.now(),
      ))
    if (same) {
      await updateImportRun(tx, companyId, runId, {
        state: 'running',
        error: null,
        runner: null,
        credentials_sealed: credentialsSealed,
        merges: merges ? 1 : 0,
        by_operator: byOperator ? 1 : 0,
      })
    }
    if (queued) await enqueue(tx, 'company.import', { companyId, runId }, clock.now(), importJobKey(runId))
    await audit(services, tx, companyId, {
      actor,
      address,
      action: same ? 'import.continued' : 'import.started',
      target: `import:${runId}`,
      details: { source: url },
    })
    return runId
  })
}

const importJobKey = (runId: number) => `company.import:${runId}`

/** With the credentials of the start, in the background. */
export async function continueImport(
  services: Services,
  companyId: CompanyId,
  run: ImportRun,
  by: { actor: Actor; address?: string | undefined },
): Promise<void> {
  const { db, clock } = services
  await transaction(db, async (tx) => {
    await updateImportRun(tx, companyId, run.id, { state: 'running', error: null, runner: null })
    await enqueue(tx, 'company.import', { companyId, runId: run.id }, clock.now(), importJobKey(run.id))
    const entry = { ...by, action: 'import.continued', target: `import:${run.id}`, details: { source: run.source } }
    await audit(services, tx, companyId, entry)
  })
}

/** A page that is being written is completed or discarded as a whole. */
export async function stopImport(services: Services, companyId: CompanyId, run: ImportRun): Promise<void> {
  if (run.state !== 'running') throw unprocessable('The import is not in progress')
  await updateImportRun(services.db, companyId, run.id, { state: 'stopped', runner: null })
}

export async function importReport({ db }: Services, companyId: CompanyId, runId: number) {
  const run = await findImportRun(db, companyId, runId)
  if (!run) return undefined
  const progress = await importProgressOf(db, companyId, runId)
  return { run, progress, remarks: await importRemarksOf(db, companyId, runId, maxReportedRemarks) }
}

const maxReportedRemarks = 500
