import { isoMillis } from '../../../lib/time-format.ts'
import type { ImportProgress, ImportRemark, ImportRun } from './store.ts'

export const importRunView = (
  run: ImportRun,
  progress: readonly ImportProgress[],
  remarks: readonly ImportRemark[],
) => ({
  id: run.id,
  source: run.source,
  merge: run.merges,
  state: run.state,
  error: run.error,
  created_at: isoMillis(run.createdAt),
  finished_at: run.finishedAt === null ? null : isoMillis(run.finishedAt),
  progress: progress.map(({ kind, total, created, existing, updated, rejected, finished }) => ({
    kind,
    total,
    created,
    existing,
    updated,
    rejected,
    finished,
  })),
  remarks: remarks.map(({ kind, source_id, severity, reason }) => ({ kind, source_id, severity, reason })),
})
