import { mkdirSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { brotliCompressSync, constants } from 'node:zlib'
import { routes } from '../src/features/index.ts'
import { eventDocsFor } from '../src/features/integrations/catalogue/catalogue.ts'
import { placeholderLinks } from '../src/http/docs/placeholders.ts'
import { renderDocs } from '../src/http/docs/render.ts'
import { contentHash, type DocsIndexEntry } from '../src/http/docs.ts'
import { version } from '../src/lib/version.ts'
import { sandboxRoutes } from '../src/sandbox/index.ts'

// Above quality 5 the build takes seconds longer, for a tenth of the bytes.
const params = { [constants.BROTLI_PARAM_QUALITY]: 5 }

/**
 * Renders the documentation of both editions into a folder, with placeholders for the addresses of an installation.
 * Compressed, because it would be half of the installed package.
 */
export function buildDocs(folder: string): void {
  const editions = { production: routes, sandbox: [...routes, ...sandboxRoutes] }
  for (const [edition, ofEdition] of Object.entries(editions)) {
    const files = renderDocs({ routes: ofEdition, version, links: placeholderLinks, events: eventDocsFor })
    const into = path.join(folder, edition)
    mkdirSync(into, { recursive: true })
    const index: DocsIndexEntry[] = []
    for (const [address, { type, text, immutable }] of files) {
      const file = `${address.slice(1).replaceAll('/', '_')}${type === 'text/html' ? '.html' : ''}.br`
      writeFileSync(path.join(into, file), brotliCompressSync(text, { params }))
      index.push({ address, type, immutable, file, hash: contentHash(text) })
    }
    writeFileSync(path.join(into, 'index.json'), JSON.stringify(index))
  }
}
