import { createHash } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { setImmediate as letOthersRun } from 'node:timers/promises'
import { promisify } from 'node:util'
import { brotliDecompress } from 'node:zlib'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Links } from '../services.ts'
import { type CompressedFile, compressOnce, encodingFor } from './compression.ts'
import { placeholderLinks, withLinks } from './docs/placeholders.ts'
import type { DocsContent, DocsFile } from './docs/render.ts'
import type { Page } from './server.ts'

interface DocsOptions {
  /** The sandbox has additional routes. */
  edition: 'sandbox' | 'production'
  links: Links
  /** Rendered on the first request without a build. */
  source: Omit<DocsContent, 'links'>
}

/**
 * The OpenAPI document and the documentation pages. The build renders them, because rendering takes more than a second;
 * the server inserts its own URLs and compresses off the main thread.
 */
export function docsPages({ edition, links, source }: DocsOptions): Page {
  let served: Promise<ServedDocs> | undefined
  const docs = () => {
    served ??= templatesOf(edition, source).then((templates) => servedDocs(templates, links))
    return served
  }
  return (server) => {
    for (const address of ['/openapi.json', '/app/openapi.json', '/llms.txt', '/docs', '/docs.md', '/docs/*'])
      serve(server, address, docs)
  }
}

/** A file with placeholders for the URLs of the installation. */
interface Template extends Omit<DocsFile, 'text'> {
  address: string
  hash: string
  text(): Promise<string>
}

const fromSource = new Map<string, Promise<Template[]>>()

/** Rendered by the build; when run from source, rendered once per process. */
async function templatesOf(edition: string, source: DocsOptions['source']): Promise<Template[]> {
  const built = builtTemplates(edition)
  if (built) return built
  const known = fromSource.get(edition) ?? renderedTemplates(source)
  fromSource.set(edition, known)
  return known
}

/** Index of the rendered files of an edition, which are compressed with Brotli. */
export interface DocsIndexEntry extends Omit<Template, 'text'> {
  file: string
}

function builtTemplates(edition: string): Template[] | undefined {
  const folder = path.join(import.meta.dirname, 'docs', edition)
  const index = path.join(folder, 'index.json')
  if (!existsSync(index)) return undefined
  const entries: DocsIndexEntry[] = JSON.parse(readFileSync(index, 'utf8'))
  const textOf = async (file: string) =>
    (await promisify(brotliDecompress)(await readFile(path.join(folder, file)))).toString()
  return entries.map(({ file, ...entry }) => ({ ...entry, text: () => textOf(file) }))
}

async function renderedTemplates(source: DocsOptions['source']): Promise<Template[]> {
  const { renderDocs } = await import('./docs/render.ts')
  const files = renderDocs({ ...source, links: placeholderLinks })
  return [...files].map(([address, { text, ...file }]) => ({
    ...file,
    address,
    hash: contentHash(text),
    text: async () => text,
  }))
}

export function contentHash(...parts: string[]): string {
  const hash = createHash('sha256')
  for (const part of parts) hash.update(part)
  return hash.digest('base64url').slice(0, 16)
}

type ServedDocs = Map<string, ServedFile>

interface ServedFile extends Omit<DocsFile, 'text'> {
  etag: string
  bytes(): Promise<Buffer>
  /** Only compressed pages are kept in memory: uncompressed they are several megabytes. */
  compressed: CompressedFile
}

const servedDocs = (templates: readonly Template[], links: Links): ServedDocs =>
  new Map(
    templates.map(({ address, type, immutable, hash, text }) => [
      address,
      {
        type,
        immutable,
        etag: `W/"${contentHash(hash, JSON.stringify(links))}"`,
        bytes: async () => filledIn(await text(), type, links),
        compressed: {},
      },
    ]),
  )

const pieceLength = 128 * 1_024

/** In chunks of whole lines, so that a long page does not block other requests. */
async function filledIn(text: string, type: DocsFile['type'], links: Links): Promise<Buffer> {
  const pieces: Buffer[] = []
  for (let from = 0; from < text.length; ) {
    const line = text.indexOf('\n', from + pieceLength)
    const end = line === -1 ? text.length : line + 1
    pieces.push(Buffer.from(withLinks(text.slice(from, end), type, links)))
    from = end
    await letOthersRun()
  }
  return Buffer.concat(pieces)
}

// No external or inline content; pages may connect to this server only.
const contentSecurityPolicy =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; " +
  "frame-ancestors 'none'; base-uri 'none'; form-action 'none'"

function serve(server: FastifyInstance, address: string, docs: () => Promise<ServedDocs>): void {
  server.get(address, async (request: FastifyRequest, reply: FastifyReply) => {
    const [asked = ''] = request.url.split('?', 1)
    const file = (await docs()).get(asked.replace(/\/$/, ''))
    if (!file) return reply.callNotFound()
    reply.headers({
      etag: file.etag,
      'cache-control': file.immutable ? 'public, max-age=31536000, immutable' : 'no-cache',
      vary: 'accept-encoding',
    })
    if (file.type === 'text/html') reply.header('content-security-policy', contentSecurityPolicy)
    if (request.headers['if-none-match']?.includes(file.etag)) return reply.code(304).send()
    reply.header('content-type', `${file.type}; charset=utf-8`)
    const encoding = encodingFor(request.headers['accept-encoding'])
    if (!encoding) return reply.send(await file.bytes())
    return reply.header('content-encoding', encoding).send(await compressOnce(file.compressed, encoding, file.bytes))
  })
}
