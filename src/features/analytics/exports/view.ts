import { type Static, Type } from 'typebox'
import { reportNames } from '../../../domain/analytics/reports.ts'
import { nullable, oneOf, Timestamp, Url } from '../../../http/schemas.ts'
import { isoMillis } from '../../../lib/time-format.ts'
import type { DownloadAddress } from './links.ts'
import type { Export } from './store.ts'

const Status = oneOf(['PENDING', 'COMPLETED', 'FAILED'])

export const ExportView = Type.Object({
  exportID: Type.String({ format: 'uuid' }),
  createdAt: Timestamp,
  status: Status,
  format: Type.Optional(oneOf(['CSV'], { description: 'COMPLETED only' })),
  exportName: Type.Optional(Type.String({ description: 'COMPLETED only' })),
  isZipCompressed: Type.Optional(Type.Boolean({ description: 'COMPLETED only; false' })),
  downloadUrl: Type.Optional(Type.Unsafe<string>({ ...Url, description: 'COMPLETED only; valid for one hour' })),
  downloadUrlExpiresAt: Type.Optional(Timestamp),
  errorMessage: Type.Optional(Type.String({ description: 'FAILED only' })),
})

/** `download` is set while the file exists. */
export function exportView(made: Export, download: DownloadAddress | undefined): Static<typeof ExportView> {
  const { id, createdAt, status, name, error } = made
  const common = { exportID: id, createdAt: isoMillis(createdAt), status }
  if (status === 'FAILED') return { ...common, errorMessage: error ?? reportFailure }
  if (status === 'PENDING' || !download) return common
  return {
    ...common,
    format: 'CSV',
    exportName: name,
    isZipCompressed: false,
    downloadUrl: download.url,
    downloadUrlExpiresAt: isoMillis(download.expiresAt),
  }
}

/** For the dashboard: includes the progress. */
export const ExportRow = Type.Object({
  ...ExportView.properties,
  exportName: Type.String(),
  reportName: oneOf(reportNames),
  timezone: Type.String(),
  created_by: nullable(Type.Integer()),
  rows: Type.Integer({ description: 'Size of the file in bytes' }),
  bytes: nullable(Type.Integer()),
  progress: Type.Object({
    done: Type.Integer({ description: 'Calls, ring attempts or users processed so far' }),
    total: nullable(Type.Integer({ description: 'null until they are counted' })),
  }),
})

export const exportRow = (made: Export, download: DownloadAddress | undefined): Static<typeof ExportRow> => ({
  ...exportView(made, download),
  exportName: made.name,
  reportName: made.params.reportName,
  timezone: made.params.timezone,
  created_by: made.createdBy,
  rows: made.rows,
  bytes: made.bytes,
  progress: { done: made.lookedAt, total: made.toLookAt },
})

export const reportFailure = 'The report could not be created; request it again'

export const ReportCreated = Type.Object({
  export_id: Type.String(),
  export_name: Type.String(),
  status: oneOf(['COMPLETED']),
  format: oneOf(['CSV']),
  created_at: Timestamp,
  download_url: Type.String(),
  download_url_expires_at: Type.String(),
})

export const ReportFailed = Type.Object({
  export_id: Type.String(),
  status: oneOf(['FAILED']),
  error_message: Type.String(),
  created_at: Timestamp,
})

type ReportOutcome = Pick<Export, 'id' | 'name' | 'createdAt' | 'error'>

/** `url` and `until` are placeholders; the signed URL and its expiry are filled in when the event is sent. */
export const reportCreated = (
  made: ReportOutcome,
  { url, until }: { url: string; until: string },
): Static<typeof ReportCreated> => ({
  export_id: made.id,
  export_name: made.name,
  status: 'COMPLETED',
  format: 'CSV',
  created_at: isoMillis(made.createdAt),
  download_url: url,
  download_url_expires_at: until,
})

export const reportFailed = (made: ReportOutcome): Static<typeof ReportFailed> => ({
  export_id: made.id,
  status: 'FAILED',
  error_message: made.error ?? reportFailure,
  created_at: isoMillis(made.createdAt),
})
