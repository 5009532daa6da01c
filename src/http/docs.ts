import { createHash } from 'node:crypto'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Samples } from './docs/events.ts'
import { exampleInstant } from './docs/example.ts'
import { htmlOf } from './docs/layout.ts'
import { docsPagesOf, pageAddresses } from './docs/pages.ts'
import { script } from './docs/script.ts'
import { style } from './docs/style.ts'
import { type About, openApi } from './openapi.ts'
import type { Route } from './route.ts'
import type { Page } from './server.ts'

interface Content extends About {
  routes: readonly Route[]
  /** Of events that happened at this instant. */
  samples(at: number): Samples
}

/** The OpenAPI document and the pages that explain it; made at the first request, then kept. */
export function docsPages(about: Content): Page {
  let made: Map<string, File> | undefined
  const files = () => {
    made ??= filesOf(about)
    return made
  }
  return (server) => {
    for (const address of ['/openapi.json', '/docs', '/docs.md', '/docs/*']) serve(server, address, files)
  }
}

interface File {
  type: string
  bytes: Buffer
  etag: string
  cache: string
  security?: string
}

// Nothing from elsewhere, nothing inline; the page may speak to this server only.
const contentSecurityPolicy =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; " +
  "frame-ancestors 'none'; base-uri 'none'; form-action 'none'"

const hashOf = (content: string | Buffer) => createHash('sha256').update(content).digest('base64url').slice(0, 16)
const styleAddress = `/docs/assets/${hashOf(style)}.css`
const scriptAddress = `/docs/assets/${hashOf(script)}.js`

const addresses = new Set([
  '/openapi.json',
  styleAddress,
  scriptAddress,
  ...pageAddresses.flatMap((address) => [address, `${address}.md`]),
])

function filesOf({ routes, samples, ...about }: Content): Map<string, File> {
  const document = openApi(routes, about)
  const pages = docsPagesOf(document, samples(exampleInstant))
  const root = new URL(about.server).pathname.replace(/\/$/, '')
  const shell = { pages, root, version: about.version, style: styleAddress, script: scriptAddress }
  const files = new Map([
    ['/openapi.json', file('application/json', JSON.stringify(document))],
    // The address changes with the content, so a copy never gets old.
    [styleAddress, { ...file('text/css', style), cache: forever }],
    [scriptAddress, { ...file('text/javascript', script), cache: forever }],
  ])
  for (const page of pages) {
    files.set(page.address, { ...file('text/html', htmlOf(page, shell)), security: contentSecurityPolicy })
    files.set(`${page.address}.md`, file('text/markdown', page.markdown))
  }
  return files
}

const forever = 'public, max-age=31536000, immutable'

function file(type: string, text: string): File {
  const bytes = Buffer.from(text)
  return { type: `${type}; charset=utf-8`, bytes, etag: `"${hashOf(bytes)}"`, cache: 'no-cache' }
}

function serve(server: FastifyInstance, address: string, files: () => Map<string, File>): void {
  server.get(address, async (request: FastifyRequest, reply: FastifyReply) => {
    const [asked = ''] = request.url.split('?', 1)
    const wanted = asked.replace(/\/$/, '')
    // An address that no page has is not worth rendering them all.
    const found = addresses.has(wanted) ? files().get(wanted) : undefined
    if (!found) return reply.callNotFound()
    reply.headers({ etag: found.etag, 'cache-control': found.cache })
    if (found.security) reply.header('content-security-policy', found.security)
    if (request.headers['if-none-match']?.includes(found.etag)) return reply.code(304).send()
    return reply.header('content-type', found.type).send(found.bytes)
  })
}
