import { type Static, Type } from 'typebox'
import { type CsvFiles, maxCsvCharacters } from '../../../domain/import/csv.ts'
import { importKinds } from '../../../domain/import/kinds.ts'
import { badRequest, notFound, unprocessable } from '../../../http/errors.ts'
import { type Route, route } from '../../../http/route.ts'
import { Id, nullable, oneOf, Timestamp, text } from '../../../http/schemas.ts'
import type { Services } from '../../../services.ts'
import { actorOf, userIdOf } from '../../accounts/index.ts'
import { createSourceClient, type SourceAccess, SourceKeyRejected, SourceUnavailable } from '../source/client.ts'
import { countSource, sourceUrlIn } from '../source/counts.ts'
import { createCsvSource } from '../source/csv.ts'
import { continueImport, importReport, startImport, stopImport } from './actions.ts'
import { importedHistoryMs, listImports } from './run.ts'
import { findImportRun, importProgressOf, latestImportRuns } from './store.ts'
import { importRunView } from './view.ts'

const tag = 'Company'
const roles = ['owner'] as const

const ImportKindView = oneOf(importKinds)
const Count = Type.Integer({ minimum: 0 })

const ImportView = Type.Object({
  id: Type.Integer(),
  source: Type.String({ description: 'Base URL of the other server; starts with `csv:` for CSV files' }),
  merge: Type.Boolean({ description: 'Existing objects are changed, too' }),
  state: oneOf(['running', 'stopped', 'failed', 'done']),
  error: nullable(Type.String({ description: 'Why it failed' })),
  created_at: Timestamp,
  finished_at: nullable(Timestamp),
  progress: Type.Array(
    Type.Object({
      kind: ImportKindView,
      total: nullable(Type.Integer({ description: 'How many the source has; null until it is known' })),
      created: Count,
      existing: Count,
      updated: Count,
      rejected: Count,
      finished: Type.Boolean(),
    }),
  ),
  remarks: Type.Array(
    Type.Object({
      kind: ImportKindView,
      source_id: Type.String({ description: 'ID of the object at the source' }),
      severity: oneOf(['rejected', 'check']),
      reason: Type.String(),
    }),
    { description: 'Rows that were rejected, and settings to check; the first 500' },
  ),
})

const csvText = (objects: string) =>
  Type.Optional(Type.String({ maxLength: maxCsvCharacters, description: `CSV file with ${objects}` }))

const CsvFilesBody = Type.Object(
  { users: csvText('users'), contacts: csvText('contacts'), calls: csvText('past calls') },
  { description: 'Instead of a server: the texts of CSV files with the names of columns in the first line' },
)

const sourceFields = {
  files: Type.Optional(CsvFilesBody),
  url: Type.Optional(
    text(2_048, { description: 'Base URL of the other server', examples: ['https://phone.example.com'] }),
  ),
  api_key: Type.Optional(text(255, { description: 'API ID of a key of the other server' })),
  api_token: Type.Optional(
    text(255, { description: 'Token of the key. It is stored encrypted until the import is done' }),
  ),
}

const bodyLimit = 16 * 1_048_576

interface SourceBody {
  files?: CsvFiles
  url?: string
  api_key?: string
  api_token?: string
}

function sourceIn(services: Services, body: SourceBody): SourceAccess | { files: CsvFiles } {
  if (body.files) {
    const size = Object.values(body.files).reduce((sum, file) => sum + file.length, 0)
    if (size === 0) throw unprocessable('`files` must have a file that is not empty')
    if (size > maxCsvCharacters) throw badRequest('`files` must have at most 8 MB together')
    return { files: body.files }
  }
  const { url, api_key, api_token } = body
  for (const [name, value] of Object.entries({ url, api_key, api_token }))
    if (value === undefined) throw unprocessable(`\`${name}\` is missing`)
  return accessIn(services, { url: url ?? '', api_key: api_key ?? '', api_token: api_token ?? '' })
}

function accessIn(services: Services, body: { url: string; api_key: string; api_token: string }): SourceAccess {
  const url = sourceUrlIn(body.url)
  if (url === undefined) throw badRequest('`url` must be the base URL of a server, without a query')
  const problem = services.outbound.urlProblem(url)
  if (problem) throw badRequest(`\`url\` ${problem}`)
  return { url, apiId: body.api_key, apiToken: body.api_token }
}

/** One attempt: the user waits for the response. */
async function countsOf(services: Services, from: SourceAccess | { files: CsvFiles }) {
  const { outbound: http, clock } = services
  try {
    const source =
      'files' in from
        ? createCsvSource(from.files)
        : createSourceClient({ http, clock, access: from, maxAttempts: 1, timeoutMs: 10_000 })
    return await countSource(source, listImports, clock.now() - importedHistoryMs)
  } catch (error) {
    if (error instanceof SourceKeyRejected)
      throw badRequest('The other server rejected this `api_token`. Check the API ID, too')
    if (error instanceof SourceUnavailable && 'files' in from) throw badRequest(`The file of ${error.message}`)
    if (error instanceof SourceUnavailable)
      throw badRequest(`The server at this \`url\` cannot be read: ${error.message}`)
    throw error
  }
}

const CountsView = Type.Object(
  Object.fromEntries(importKinds.map((kind) => [kind, nullable(Count)])) as Record<
    (typeof importKinds)[number],
    ReturnType<typeof nullable<typeof Count>>
  >,
  { description: 'Objects of the source; null: not known before the import' },
)

const countImport = route({
  method: 'POST',
  path: '/v1/company_imports/counts',
  summary: 'Count what an import would bring over',
  description: 'Reads the totals of the other server or of CSV files, and writes nothing.',
  tag,
  access: 'app',
  roles,
  body: Type.Object(sourceFields),
  bodyLimit,
  errors: [{ status: 400, when: 'the source cannot be read, or rejects the API key' }],
  reply: { status: 200, body: Type.Object({ counts: CountsView }) },
  handle: async ({ body, services }) => ({ counts: await countsOf(services, sourceIn(services, body)) }),
})

const createImport = route({
  method: 'POST',
  path: '/v1/company_imports',
  summary: 'Start an import from another server or CSV files',
  description: 'A background job imports the company. An unfinished import from the same server is continued.',
  tag,
  access: 'app',
  roles,
  body: Type.Object({ ...sourceFields, merge: Type.Optional(Type.Boolean()) }),
  bodyLimit,
  errors: [
    { status: 400, when: 'the source cannot be read, or rejects the API key' },
    { status: 422, when: 'an import from a different server is in progress' },
  ],
  reply: { status: 201, body: Type.Object({ import: ImportView }) },
  async handle({ body, caller, services, address }) {
    const source = sourceIn(services, body)
    await countsOf(services, source)
    const id = await startImport(services, caller.companyId, {
      ...source,
      merges: body.merge === true,
      byOperator: false,
      createdBy: userIdOf(caller),
      actor: actorOf(caller),
      address,
      queued: true,
    })
    return { import: await shown(services, caller.companyId, id) }
  },
})

const listRuns = route({
  method: 'GET',
  path: '/v1/company_imports',
  summary: 'List imports',
  description: 'The ten latest ones, without the rows that were rejected.',
  tag,
  access: 'app',
  roles,
  reply: { status: 200, body: Type.Object({ imports: Type.Array(ImportView) }) },
  async handle({ caller: { companyId }, services: { db } }) {
    const runs = await latestImportRuns(db, companyId, 10)
    return {
      imports: await Promise.all(
        runs.map(async (run) => importRunView(run, await importProgressOf(db, companyId, run.id), [])),
      ),
    }
  },
})

const ImportParams = Type.Object({ id: Id })
const load = async ({
  params,
  caller,
  services,
}: {
  params: Static<typeof ImportParams>
  caller: { companyId: number }
  services: Services
}) => findImportRun(services.db, caller.companyId, params.id)

const readImport = route({
  method: 'GET',
  path: '/v1/company_imports/:id',
  summary: 'Get an import with its progress and report',
  tag,
  access: 'app',
  roles,
  params: ImportParams,
  load,
  reply: { status: 200, body: Type.Object({ import: ImportView }) },
  handle: async ({ loaded, caller, services }) => ({ import: await shown(services, caller.companyId, loaded.id) }),
})

const endImport = route({
  method: 'POST',
  path: '/v1/company_imports/:id/stop',
  summary: 'Stop an import',
  description: 'What was imported stays. The import can be continued.',
  tag,
  access: 'app',
  roles,
  params: ImportParams,
  load,
  errors: [{ status: 422, when: 'the import is not in progress' }],
  reply: { status: 200, body: Type.Object({ import: ImportView }) },
  async handle({ loaded, caller, services }) {
    await stopImport(services, caller.companyId, loaded)
    return { import: await shown(services, caller.companyId, loaded.id) }
  },
})

const resumeImport = route({
  method: 'POST',
  path: '/v1/company_imports/:id/continue',
  summary: 'Continue an import',
  tag,
  access: 'app',
  roles,
  params: ImportParams,
  load,
  errors: [{ status: 422, when: 'the import is in progress or done' }],
  reply: { status: 200, body: Type.Object({ import: ImportView }) },
  async handle({ loaded, caller, services, address }) {
    if (loaded.state !== 'stopped' && loaded.state !== 'failed')
      throw unprocessable('Only an import that was stopped or has failed can be continued')
    await continueImport(services, caller.companyId, loaded, { actor: actorOf(caller), address })
    return { import: await shown(services, caller.companyId, loaded.id) }
  },
})

async function shown(services: Services, companyId: number, id: number) {
  const report = await importReport(services, companyId, id)
  if (!report) throw notFound()
  return importRunView(report.run, report.progress, report.remarks)
}

export const importRoutes: Route[] = [countImport, createImport, listRuns, readImport, endImport, resumeImport]
