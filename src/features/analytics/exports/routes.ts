import { Type } from 'typebox'
import { parseReportParams } from '../../../domain/analytics/report-params.ts'
import type { Caller } from '../../../http/caller.ts'
import { badRequest, unprocessable } from '../../../http/errors.ts'
import { route } from '../../../http/route.ts'
import type { Services } from '../../../services.ts'
import { createExport, removeExport } from './actions.ts'
import { downloadAddress } from './links.ts'
import { exportsSince } from './retention.ts'
import { ReportInput } from './schemas.ts'
import { type Export, findExport, latestExports } from './store.ts'
import { ExportRow, ExportView, exportRow, exportView } from './view.ts'

const tag = 'Analytics'
const readers = ['owner', 'admin', 'supervisor'] as const
const feature = 'analytics-plus' as const

function downloadOf({ vault, links, clock }: Services, { status, companyId, id, file }: Export) {
  if (status !== 'COMPLETED' || file === null) return undefined
  return downloadAddress(vault, links, { companyId, exportId: id, file }, clock.now())
}

const createReport = route({
  method: 'POST',
  path: '/v1/analytics/report/export',
  summary: 'Export a report',
  description:
    'The report is created in the background; the event `analytics.report_created` or `analytics.report_failed` reports the result. A filter is an Array; ' +
    'a single value is read as an Array of one. Several filters are combined with AND; a filter that does not apply to the ' +
    'report is ignored.',
  tag,
  roles: readers,
  feature,
  body: Type.Object({ input: ReportInput }),
  errors: [
    { status: 400, when: 'a value is invalid, or not exactly one of relative and absoluteRange is given' },
    {
      status: 422,
      when: 'input, reportName, filter, timezone or dateFilter is missing, or 50 reports are being created',
    },
  ],
  reply: { status: 201, body: ExportView },
  async handle({ body, caller, services, address }) {
    const parsed = parseReportParams(body.input)
    if ('missing' in parsed) throw unprocessable(`\`${parsed.missing}\` is mandatory and is missing or blank`)
    if ('invalid' in parsed) throw badRequest(parsed.invalid)
    return exportView(await createExport(services, caller, parsed.params, address), undefined)
  },
})

const ExportParams = Type.Object({
  export_id: Type.String({
    pattern: '^[0-9a-fA-F-]{36}$',
    maxLength: 36,
    examples: ['1f0c2b7a-5d1e-4c3f-9a57-2f6f0a9b8c11'],
  }),
})

interface ExportRequest {
  params: { export_id: string }
  caller: Caller
  services: Services
}

const loadExport = ({ params, caller, services: { db, clock } }: ExportRequest) =>
  findExport(db, caller.companyId, params.export_id.toLowerCase(), exportsSince(clock.now()))

const getReport = route({
  method: 'GET',
  path: '/v1/analytics/report/export/:export_id',
  summary: 'Retrieve an export',
  description: 'Returns a fresh `downloadUrl` each time, for 30 days. Poll once a minute, or wait for the event.',
  tag,
  roles: readers,
  feature,
  params: ExportParams,
  load: loadExport,
  reply: { status: 200, body: ExportView },
  async handle({ loaded, services }) {
    return exportView(loaded, downloadOf(services, loaded))
  },
})

const listExports = route({
  method: 'GET',
  path: '/v1/analytics/exports',
  summary: 'List the latest exports with their progress',
  tag,
  access: 'app',
  roles: readers,
  feature,
  reply: { status: 200, body: Type.Object({ exports: Type.Array(ExportRow) }) },
  async handle({ caller, services }) {
    const since = exportsSince(services.clock.now())
    const made = await latestExports(services.db, caller.companyId, since, 50)
    return { exports: made.map((one) => exportRow(one, downloadOf(services, one))) }
  },
})

const removeReport = route({
  method: 'DELETE',
  path: '/v1/analytics/exports/:export_id',
  summary: 'Delete an export and its file',
  description: 'Download links stop working. An export that is being created is cancelled.',
  tag,
  access: 'app',
  roles: readers,
  feature,
  params: ExportParams,
  load: loadExport,
  reply: { status: 204 },
  async handle({ loaded, caller, services, address }) {
    await removeExport(services, caller, loaded, address)
  },
})

export const analyticsRoutes = [createReport, getReport, listExports, removeReport]
