import { hour } from '../../../lib/clock.ts'
import { isoMillis } from '../../../lib/time-format.ts'
import { exportPlaceholders, exportRefs, type FactRenderer, payloadOf } from '../../publishing/index.ts'
import type { Export } from './store.ts'
import { ReportCreated, ReportFailed, reportCreated, reportFailed } from './view.ts'

export interface ExportFact {
  kind: 'export'
  event: 'created' | 'failed'
  made: Export
}

declare module '../../publishing/publish.ts' {
  interface FactsByKind {
    export: ExportFact
  }
}

const exampleExport = (at: number) => ({
  id: '1f0c2b7a-5d1e-4c3f-9a57-2f6f0a9b8c11',
  name: 'weekly',
  createdAt: at,
  error: null,
})

export const analyticsPayloads = {
  'analytics.report_created': payloadOf(ReportCreated)(({ links, at }) =>
    reportCreated(exampleExport(at), {
      url: `${links.assets}/exports/1/${exampleExport(at).id}/weekly.csv?expires=…`,
      until: isoMillis(at + hour),
    }),
  ),
  'analytics.report_failed': payloadOf(ReportFailed)(({ at }) => reportFailed(exampleExport(at))),
}

export const renderExportFacts: FactRenderer<ExportFact> = async () => {
  return ({ made, event }) => {
    const resourceKey = `export:${made.id}`
    if (event === 'failed' || made.file === null) {
      const data = analyticsPayloads['analytics.report_failed'].write(reportFailed(made))
      return [{ name: 'analytics.report_failed', resourceKey, data }]
    }
    const data = analyticsPayloads['analytics.report_created'].write(reportCreated(made, exportPlaceholders(made.id)))
    return [{ name: 'analytics.report_created', resourceKey, data, assetRefs: exportRefs(made.id, made.file) }]
  }
}
