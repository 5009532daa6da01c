import { openApi } from './openapi.ts'
import type { Route } from './route.ts'
import type { Page } from './server.ts'

/** The OpenAPI document and the pages that explain it. */
export function docsPages(about: { routes: readonly Route[]; server: string; version: string }): Page {
  let document: string | undefined
  return (server) => {
    server.get('/openapi.json', async (_request, reply) => {
      document ??= JSON.stringify(openApi(about.routes, about))
      return reply.header('content-type', 'application/json; charset=utf-8').send(document)
    })
  }
}
