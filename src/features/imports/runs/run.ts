import { type Tx, transaction } from '../../../db/database.ts'
import { isUnavailable } from '../../../db/errors.ts'
import type { CompanyId } from '../../../db/tables.ts'
import type { CsvFiles } from '../../../domain/import/csv.ts'
import type { ImportKind } from '../../../domain/import/kinds.ts'
import { type ListPosition, listStart, pathOfPage, readSourcePage } from '../../../domain/import/paging.ts'
import {
  sourceId as idIn,
  isSourceObject,
  type SourceObject,
  sourceObject,
  sourceText,
} from '../../../domain/import/values.ts'
import { enqueue } from '../../../jobs/queue.ts'
import { day } from '../../../lib/clock.ts'
import type { SafeFetch } from '../../../lib/safe-fetch.ts'
import { randomId } from '../../../lib/secrets.ts'
import type { Services } from '../../../services.ts'
import { findNumberByDigits, findUser } from '../../accounts/index.ts'
import { findCall, findTagNamed } from '../../calls/index.ts'
import { createSourceClient, type SourceAccess, SourceKeyRejected, SourceUnavailable } from '../source/client.ts'
import { sourceListOf } from '../source/counts.ts'
import { createCsvSource, isCsvSource } from '../source/csv.ts'
import { importCalls } from '../writers/calls.ts'
import { importContacts } from '../writers/contacts.ts'
import type { Importing, KindImport, PreparedRow, RowImport, RowOutcome } from '../writers/importing.ts'
import { importMessages } from '../writers/messages.ts'
import { importNumbers } from '../writers/numbers.ts'
import { importTags, importTeams, importUsers } from '../writers/people.ts'
import { type CallResults, type RefusedEndpoints, readResults, writeImportedResults } from '../writers/results.ts'
import { importWebhooks } from '../writers/webhooks.ts'
import {
  countPendingCalls,
  importedAmong,
  importedIds,
  insertImported,
  markNotPending,
  nextPendingCalls,
} from './objects-store.ts'
import {
  findImportRun,
  holdImportRun,
  type ImportProgress,
  type ImportRemark,
  importProgressOf,
  insertImportRemarks,
  saveImportProgress,
  updateImportRun,
} from './store.ts'

// Runs an import. A page of the source is written in one transaction with the position of the next one and the ids of
// its rows: a process that is killed at any point leaves whole pages, and the next one continues after them.

export const listImports: readonly KindImport[] = [
  importUsers,
  importTeams,
  importTags,
  importNumbers,
  importContacts,
  importWebhooks,
  importCalls,
]

/** Calls of the last six months are imported: the API shows no older ones. */
export const importedHistoryMs = 183 * day

/** Another process continues the run, or it was stopped. */
class ImportSuperseded extends Error {}

export interface ImportTools {
  /** For runs of the operator: any address is allowed. */
  trusted: SafeFetch
  timeoutMs?: number | undefined
}

export function importRunner(services: Services, { trusted, timeoutMs }: ImportTools) {
  const { db, vault, clock, log } = services
  return async (
    { companyId, runId }: { companyId: CompanyId; runId: number },
    isStopped: () => boolean = () => false,
  ): Promise<void> => {
    const run = await findImportRun(db, companyId, runId)
    if (run?.state !== 'running' || run.credentialsSealed === null) return
    const sealed = JSON.parse(vault.open(run.credentialsSealed))
    const runner = randomId()
    await updateImportRun(db, companyId, runId, { runner })
    const ids = { users: new Map(), teams: new Map(), tags: new Map(), numbers: new Map() }
    try {
      const source = isCsvSource(run.source)
        ? createCsvSource(sealed as CsvFiles)
        : createSourceClient({
            http: run.byOperator ? trusted : services.outbound,
            clock,
            access: { url: run.source, ...(sealed as Omit<SourceAccess, 'url'>) },
            isStopped,
            ...(timeoutMs !== undefined && { timeoutMs }),
          })
      const importing: Importing = { services, companyId, run, source, ids }
      for (const progress of await importProgressOf(db, companyId, runId)) {
        if (!progress.finished) await importKind({ ...importing, ids: await idsFor(importing) }, runner, progress)
      }
      await finish(importing, runner)
    } catch (error) {
      if (error instanceof ImportSuperseded) return
      // The next process continues.
      if (isStopped()) return enqueue(db, 'company.import', { companyId, runId }, clock.now())
      if (isUnavailable(error)) throw error
      const isOfSource = error instanceof SourceUnavailable
      log.warn({ event: 'import.failed', companyId, runId, error }, 'import failed')
      const reason = isOfSource ? error.message : 'an internal error; see the log of the server'
      await updateImportRun(db, companyId, runId, { state: 'failed', error: reason, runner: null })
    }
  }
}

async function idsFor({ services: { db }, companyId, source }: Importing): Promise<Importing['ids']> {
  const of = (kind: ImportKind) => importedIds(db, companyId, source.url, kind)
  const ids = {
    users: await of('users'),
    teams: await of('teams'),
    tags: await of('tags'),
    numbers: await of('numbers'),
  }
  const { users, numbers, tags } = source.references ?? { users: [], numbers: [], tags: [] }
  const add = (to: Map<string, number>, name: string, found: { id: number } | undefined) =>
    found && to.set(name, found.id)
  for (const email of users) add(ids.users, email, await findUser(db, companyId, email))
  for (const digits of numbers) add(ids.numbers, digits, await findNumberByDigits(db, companyId, digits))
  for (const name of tags) add(ids.tags, name, await findTagNamed(db, companyId, name))
  return ids
}

async function finish({ services, companyId, run }: Importing, runner: string): Promise<void> {
  await transaction(services.db, async (tx) => {
    if (!(await holdImportRun(tx, companyId, run.id, runner))) throw new ImportSuperseded()
    const done = { state: 'done', error: null, runner: null, credentials_sealed: null } as const
    await updateImportRun(tx, companyId, run.id, { ...done, finished_at: services.clock.now() })
  })
}

async function importKind(importing: Importing, runner: string, progress: ImportProgress): Promise<void> {
  if (progress.kind === 'results') return importResults(importing, runner, progress)
  const kind = listImports.find((one) => one.kind === progress.kind)
  if (!kind) return importFromExport(importing, runner, importMessages, progress)
  const start = kind.kind === 'calls' ? importing.services.clock.now() - importedHistoryMs : 0
  let at: ListPosition | null = progress.position ? JSON.parse(progress.position) : listStart(Math.floor(start / 1_000))
  let counts = progress
  while (at) {
    const page = await readPage(importing, kind, at)
    const prepared = await prepareRows(importing, kind, page.rows)
    const { next } = page
    const before: ImportProgress = {
      ...counts,
      // Later pages count what is left.
      total: Math.max(counts.total ?? 0, page.total),
      position: next && JSON.stringify(next),
      finished: next === null,
    }
    counts = await writePage(importing, runner, kind, { rows: page.rows, prepared, before })
    at = next
  }
}

async function readPage({ source }: Importing, kind: KindImport, at: ListPosition) {
  const list = sourceListOf(source, kind)
  const { status, body } = await source.get(pathOfPage(list, at))
  if (status === 401 || status === 403)
    throw new SourceKeyRejected(`the source rejected the API key (${list.path}: HTTP status ${status})`)
  const page = status === 200 ? readSourcePage(list, at, body) : undefined
  if (!page) throw new SourceUnavailable(`${list.path}: HTTP status ${status} without a list of ${list.root}`)
  return page
}

async function prepareRows(importing: Importing, kind: RowImport, rows: readonly SourceObject[]) {
  const prepared = new Map<string, PreparedRow>()
  const { prepare } = kind
  if (!prepare) return prepared
  const { services, companyId, source } = importing
  const ids = rows.flatMap(({ id }) => idIn(id) ?? [])
  const known = await importedAmong(services.db, companyId, source.url, kind.kind, ids)
  const waiting = rows.filter(({ id }) => !known.has(idIn(id) ?? ''))
  const worker = async () => {
    for (let row = waiting.shift(); row; row = waiting.shift()) {
      const id = idIn(row.id)
      if (id !== undefined) prepared.set(id, await prepare(importing, row, id))
    }
  }
  await Promise.all(Array.from({ length: concurrentDownloads }, worker))
  return prepared
}

const concurrentDownloads = 6

interface PageToWrite {
  rows: readonly SourceObject[]
  prepared: ReadonlyMap<string, PreparedRow>
  /** The progress, without the rows of the page. */
  before: ImportProgress
}

interface PageResult {
  progress: ImportProgress
  remarks: ImportRemark[]
  numbers: Map<string, number>
}

/** If a row fails, the others are written one by one, and the row is reported. */
async function writePage(importing: Importing, runner: string, kind: RowImport, page: PageToWrite) {
  const { services, companyId, run } = importing
  const write = (rows: readonly SourceObject[], save: (tx: Tx, result: PageResult) => Promise<void>) =>
    transaction(services.db, async (tx) => {
      if (!(await holdImportRun(tx, companyId, run.id, runner))) throw new ImportSuperseded()
      const result = await writeRows(importing, tx, kind, { ...page, rows })
      await save(tx, result)
      return result
    })
  const save = async (tx: Tx, { progress, remarks }: PageResult) => {
    await insertImportRemarks(tx, companyId, run.id, remarks)
    await saveImportProgress(tx, companyId, run.id, progress)
  }
  try {
    return learned(importing, await write(page.rows, save))
  } catch (error) {
    if (error instanceof ImportSuperseded || isUnavailable(error) || page.rows.length === 0) throw error
    services.log.warn(
      { event: 'import.page_failed', companyId, runId: run.id, kind: kind.kind, error },
      'import page failed',
    )
  }
  return rowByRow(importing, kind, page, write, save)
}

function learned({ ids }: Importing, { progress, numbers }: PageResult): ImportProgress {
  for (const [sourceId, id] of numbers) (ids.numbers as Map<string, number>).set(sourceId, id)
  return progress
}

async function rowByRow(
  importing: Importing,
  { kind }: RowImport,
  page: PageToWrite,
  write: (rows: readonly SourceObject[], save: (tx: Tx, result: PageResult) => Promise<void>) => Promise<PageResult>,
  save: (tx: Tx, result: PageResult) => Promise<void>,
): Promise<ImportProgress> {
  const { companyId, run } = importing
  const failed: SourceObject[] = []
  for (const row of page.rows) {
    try {
      // The position stays: only rows and remarks are saved.
      const alone = await write([row], (tx, { remarks }) => insertImportRemarks(tx, companyId, run.id, remarks))
      const { created, existing, updated, rejected } = learned(importing, alone)
      page.before = { ...page.before, created, existing, updated, rejected }
    } catch (error) {
      if (error instanceof ImportSuperseded || isUnavailable(error)) throw error
      failed.push(row)
    }
  }
  const remarks = failed.map(({ id }) => remark(kind, idIn(id) ?? '', 'rejected', 'the row could not be stored'))
  const rejected = page.before.rejected + failed.length
  const { progress } = await write([], (tx, result) =>
    save(tx, { ...result, remarks, progress: { ...result.progress, rejected } }),
  )
  return { ...progress, rejected }
}

const remark = (kind: ImportKind, source_id: string, severity: ImportRemark['severity'], reason: string) => ({
  kind,
  source_id,
  severity,
  reason,
})

async function writeRows(importing: Importing, tx: Tx, kind: RowImport, page: PageToWrite): Promise<PageResult> {
  const { companyId, source } = importing
  const ids = page.rows.map(({ id, webhook_id }) => idIn(webhook_id ?? id))
  const known = await importedAmong(
    tx,
    companyId,
    source.url,
    kind.kind,
    ids.flatMap((id) => id ?? []),
  )
  const result: PageResult = { progress: { ...page.before }, remarks: [], numbers: new Map() }
  for (const [index, row] of page.rows.entries()) {
    const sourceId = ids[index]
    const toCheck = (reason: string) => void result.remarks.push(remark(kind.kind, sourceId ?? '', 'check', reason))
    const written: RowOutcome =
      sourceId === undefined
        ? { problem: 'the row has no id' }
        : await kind.write({
            ...importing,
            ids: { ...importing.ids, numbers: new Map([...importing.ids.numbers, ...result.numbers]) },
            tx,
            row,
            sourceId,
            known: known.get(sourceId),
            prepared: page.prepared.get(sourceId),
            toCheck,
            learnNumber: (id, own) => void result.numbers.set(id, own),
          })
    if ('problem' in written) {
      result.progress.rejected++
      result.remarks.push(remark(kind.kind, sourceId ?? '', 'rejected', written.problem))
    } else if (written.outcome !== 'skipped' && sourceId !== undefined) {
      const isRepeated = known.has(sourceId)
      if (!isRepeated) {
        const { ownId, pending = false } = written
        await insertImported(tx, companyId, source.url, { kind: kind.kind, sourceId, ownId, pending })
        known.set(sourceId, ownId)
      }
      result.progress[written.outcome]++
    }
  }
  return result
}

const callsPerBatch = 10

async function importResults(importing: Importing, runner: string, progress: ImportProgress): Promise<void> {
  const { services, companyId, run, source } = importing
  const { db } = services
  const refused: RefusedEndpoints = new Set()
  let counts: ImportProgress = {
    ...progress,
    total: progress.total ?? (await countPendingCalls(db, companyId, source.url)),
  }
  for (;;) {
    const batch = await nextPendingCalls(db, companyId, source.url, callsPerBatch)
    const found = await Promise.all(
      batch.map(async ({ sourceId, callId }) => ({
        callId,
        results: await readResults(importing, sourceId, refused),
      })),
    )
    const withResults = found.filter((one): one is { callId: number; results: CallResults } => Boolean(one.results))
    counts = {
      ...counts,
      // A call without a transcript has no results.
      total: Math.max(0, (counts.total ?? 0) - (found.length - withResults.length)),
      created: counts.created + withResults.length,
      finished: batch.length === 0,
    }
    await transaction(db, async (tx) => {
      if (!(await holdImportRun(tx, companyId, run.id, runner))) throw new ImportSuperseded()
      for (const { callId, results } of withResults) {
        const call = await findCall(tx, companyId, callId)
        if (call) await writeImportedResults(importing, tx, callId, call.endedAt ?? call.startedAt, results)
      }
      await markNotPending(
        tx,
        companyId,
        source.url,
        batch.map(({ sourceId }) => sourceId),
      )
      await saveImportProgress(tx, companyId, run.id, counts)
    })
    if (batch.length === 0) return
  }
}

const rowsPerTransaction = 100

/** A bulk export is one stream; each line has the cursor of the next one. Servers without this extension have no list. */
async function importFromExport(importing: Importing, runner: string, kind: RowImport, progress: ImportProgress) {
  const { services, companyId, run, source } = importing
  let counts = { ...progress, total: progress.total ?? 0 }
  let cursor = progress.position
  for (let isEnd = false; !isEnd; ) {
    const part = await source.lines(
      `/v1/export/${kind.kind}${cursor === null ? '' : `?cursor=${encodeURIComponent(cursor)}`}`,
    )
    if (part.status >= 400 && !source.references) {
      const reason = `the source does not show its messages (HTTP status ${part.status})`
      await insertImportRemarks(services.db, companyId, run.id, [remark(kind.kind, '', 'check', reason)])
    }
    const lines = part.lines.filter(isSourceObject).filter(({ end }) => end !== true)
    isEnd = part.isEnd
    if (!isEnd && sourceText(lines.at(-1)?.cursor) === cursor)
      throw new SourceUnavailable('the export does not advance')
    for (let from = 0; from < lines.length || isEnd; from += rowsPerTransaction) {
      const some = lines.slice(from, from + rowsPerTransaction)
      const rows = some.map((line) => sourceObject(line[exportedWord]))
      cursor = sourceText(some.at(-1)?.cursor) ?? cursor
      const finished = isEnd && from + rowsPerTransaction >= lines.length
      const total = counts.total + rows.length
      const before = { ...counts, total, position: cursor, finished }
      const prepared = await prepareRows(importing, kind, rows)
      counts = { ...(await writePage(importing, runner, kind, { rows, prepared, before })), total }
      if (finished) break
    }
  }
}

const exportedWord = 'message'
