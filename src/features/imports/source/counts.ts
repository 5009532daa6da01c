import { type ImportKind, importKinds } from '../../../domain/import/kinds.ts'
import { listStart, pathOfPage, readSourcePage, type SourceList } from '../../../domain/import/paging.ts'
import { withoutTrailing } from '../../../lib/text.ts'
import { type SourceClient, SourceKeyRejected, SourceUnavailable } from './client.ts'

/** How many objects the source has; null: it does not show them. */
export type SourceCounts = Record<ImportKind, number | null>

/** CSV files are read page by page. */
export function sourceListOf({ references }: SourceClient, { list }: { list: SourceList }): SourceList {
  return references ? { path: list.path, root: list.root } : list
}

/** Reads no rows: the first page of each list has the total. */
export async function countSource(
  source: SourceClient,
  lists: readonly { kind: ImportKind; list: SourceList }[],
  callsSince: number,
): Promise<SourceCounts> {
  const counts = Object.fromEntries(importKinds.map((kind) => [kind, null])) as SourceCounts
  for (const one of lists) {
    const { kind } = one
    const list = sourceListOf(source, one)
    const start = listStart(kind === 'calls' ? Math.floor(callsSince / 1_000) : 0)
    const { status, body } = await source.get(pathOfPage(list, start, 1))
    if (status === 401 || status === 403)
      throw new SourceKeyRejected(`the source rejected the API key (${list.path}: HTTP status ${status})`)
    const page = status === 200 ? readSourcePage(list, start, body) : undefined
    if (!page) throw new SourceUnavailable(`${list.path}: HTTP status ${status} without a list of ${list.root}`)
    counts[kind] = page.total
  }
  return counts
}

/** The base URL of a server, without a trailing slash; undefined if it is none. */
export function sourceUrlIn(text: string): string | undefined {
  if (!URL.canParse(text)) return undefined
  const url = new URL(text)
  const isPlain = url.username === '' && url.password === '' && url.search === '' && url.hash === ''
  if (!isPlain || !['http:', 'https:'].includes(url.protocol)) return undefined
  return url.origin + withoutTrailing(url.pathname, '/')
}
