import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { onTestFinished } from 'vitest'

/** The rows of each list of a source, by its name: `contacts`. */
export type SourceRows = Record<string, object[]>

export interface StandInOptions {
  /** Called before each response; the rows may be changed. A status is returned instead of the list. */
  onRequest?: (list: string, nth: number) => { status: number; headers?: Record<string, string> } | undefined
  /** Rows that the pages of a list reach; 400 after them. */
  maxReachable?: number
}

/** Rows without a valid time are in every period. */
const isAfter = (row: object, from: number) => {
  const time = Number('started_at' in row ? row.started_at : 'created_at' in row ? row.created_at : Number.NaN)
  return Number.isNaN(time) || time >= from
}

/** A server with the lists of the public API, for rows that no server of ours would show. */
export async function sourceStandIn(rows: SourceRows = {}, options: StandInOptions = {}): Promise<string> {
  const { onRequest, maxReachable = 10_000 } = options
  const counts = new Map<string, number>()
  const server = createServer((request, response) => {
    const url = new URL(request.url ?? '', 'http://localhost')
    const root = url.pathname.split('/').at(-1) ?? ''
    const nth = (counts.get(root) ?? 0) + 1
    counts.set(root, nth)
    const instead = onRequest?.(root, nth)
    if (instead) return void response.writeHead(instead.status, instead.headers).end('{}')
    if (url.pathname.startsWith('/v1/export/')) return void response.writeHead(404).end('{}')
    const [page, perPage] = [Number(url.searchParams.get('page')), Number(url.searchParams.get('per_page'))]
    if (page * perPage > maxReachable) return void response.writeHead(400).end('{}')
    const from = Number(url.searchParams.get('from') ?? 0)
    const all = (rows[root] ?? []).filter((row) => typeof row !== 'object' || isAfter(row, from))
    const list = all.slice((page - 1) * perPage, page * perPage)
    const meta = { total: all.length, count: list.length, current_page: page, per_page: perPage }
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ meta, [root]: list }))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}
