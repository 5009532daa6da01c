import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { onTestFinished } from 'vitest'

/** The rows of each list of a source, by its name: `contacts`. */
export type SourceRows = Record<string, object[]>

/** A server with the lists of the public API, for rows that no server of ours would show. */
export async function sourceStandIn(rows: SourceRows = {}): Promise<string> {
  const server = createServer((request, response) => {
    const url = new URL(request.url ?? '', 'http://localhost')
    const root = url.pathname.split('/').at(-1) ?? ''
    const [page, perPage] = [Number(url.searchParams.get('page')), Number(url.searchParams.get('per_page'))]
    const from = Number(url.searchParams.get('from') ?? 0)
    const all = (rows[root] ?? []).filter((row) => typeof row !== 'object' || !('created_at' in row) || Number(row.created_at) >= from)
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
