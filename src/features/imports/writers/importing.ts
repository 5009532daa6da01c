import type { Tx } from '../../../db/database.ts'
import type { CompanyId } from '../../../db/tables.ts'
import type { ImportedIds } from '../../../domain/import/calls.ts'
import type { ImportKind } from '../../../domain/import/kinds.ts'
import type { SourceList } from '../../../domain/import/paging.ts'
import type { SourceObject } from '../../../domain/import/values.ts'
import type { Services } from '../../../services.ts'
import type { PastMedium } from '../../messages/index.ts'
import type { ImportRun } from '../runs/store.ts'
import type { SourceClient } from '../source/client.ts'

/** A run and what its writers need. */
export interface Importing {
  services: Services
  companyId: CompanyId
  run: ImportRun
  source: SourceClient
  /** Ids of the objects imported so far. */
  ids: ImportedIds
}

/** A row in the transaction that writes its page. */
export interface RowWriting extends Importing {
  tx: Tx
  row: SourceObject
  sourceId: string
  /** Its id here, if it was imported before. */
  known: string | undefined
  /** Files and results of the row that were read before the transaction. */
  prepared: PreparedRow | undefined
  /** A Number that was imported with a call. */
  learnNumber(sourceId: string, id: number): void
  /** Adds a line to the report. */
  toCheck(reason: string): void
}

export interface PreparedRow {
  recording?: PreparedAudio
  voicemail?: PreparedAudio
  media?: PastMedium[]
  /** Lines of the report. */
  toCheck: string[]
}

/** A key of the file store. */
export interface PreparedAudio {
  file: string
  ms: number
}

export type RowOutcome =
  | { outcome: 'created' | 'existing' | 'updated'; ownId: string; pending?: boolean }
  | { problem: string }
  /** Not imported and not reported: a later import brings it. */
  | { outcome: 'skipped' }

export interface RowImport {
  kind: ImportKind
  /** Requests that a row needs, before the transaction. */
  prepare?(importing: Importing, row: SourceObject, sourceId: string): Promise<PreparedRow>
  write(writing: RowWriting): Promise<RowOutcome>
}

export interface KindImport extends RowImport {
  list: SourceList
}
