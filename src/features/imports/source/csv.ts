import { type CsvFiles, csvKinds, objectsInCsv } from '../../../domain/import/csv.ts'
import { nestedId, type SourceObject, sourceId, sourceList } from '../../../domain/import/values.ts'
import { hashOf } from '../../../lib/secrets.ts'
import { type SourceClient, SourceUnavailable } from './client.ts'

/** The source of all objects from CSV files: a row that was imported from another file is the same row. */
const csvUrl = 'csv'

/** The source of a run: an unfinished one is continued with the same files only. */
export const csvSourceOf = (files: CsvFiles) => `${csvUrl}:${hashOf(JSON.stringify(files)).slice(0, 16)}`

export const isCsvSource = (source: string) => source.startsWith(`${csvUrl}:`)

/** CSV files with the lists of the public API. */
export function createCsvSource(files: CsvFiles): SourceClient {
  const lists = new Map<string, SourceObject[]>()
  for (const kind of csvKinds) {
    const text = files[kind]
    const objects = text === undefined ? [] : objectsInCsv(kind, text, (content) => hashOf(content).slice(0, 32))
    if ('problem' in objects) throw new SourceUnavailable(`${kind}: ${objects.problem}`)
    lists.set(kind, objects)
  }
  const calls = lists.get('calls') ?? []
  const distinct = (ids: (string | undefined)[]) => [...new Set(ids.filter((id) => id !== undefined))]
  return {
    url: csvUrl,
    references: {
      users: distinct(calls.map(({ user }) => nestedId(user))),
      numbers: distinct(calls.map(({ number }) => nestedId(number))),
      tags: distinct(calls.flatMap(({ tags }) => sourceList(tags).map(({ id }) => sourceId(id)))),
    },
    async get(path) {
      const { pathname, searchParams } = new URL(path, 'http://localhost')
      const root = pathname.replace('/v1/', '')
      if (root.includes('/')) return { status: 404, body: null }
      const [page, perPage] = [Number(searchParams.get('page')), Number(searchParams.get('per_page'))]
      const all = lists.get(root) ?? []
      const meta = { total: all.length, per_page: perPage }
      return { status: 200, body: { meta, [root]: all.slice((page - 1) * perPage, page * perPage) } }
    },
    lines: async () => ({ status: 404, lines: [], isEnd: true }),
    download: async () => undefined,
    requests: () => 0,
  }
}
