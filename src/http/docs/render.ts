import { createHash } from 'node:crypto'
import type { Links } from '../../services.ts'
import { internalOpenApi, openApi } from '../openapi.ts'
import type { Route } from '../route.ts'
import type { EventDocs } from './events.ts'
import { exampleInstant } from './example.ts'
import { htmlOf } from './layout.ts'
import { docsPagesOf } from './pages.ts'
import { script } from './script.ts'
import { llmsFull, llmsIndex, searchIndex } from './search-index.ts'
import { style } from './style.ts'

export interface DocsContent {
  routes: readonly Route[]
  version: string
  links: Links
  /** Schemas of all events, and samples at this time. */
  events(context: { links: Links; at: number }): EventDocs
}

/** A documentation file before compression. */
export interface DocsFile {
  type: 'text/html' | 'text/markdown' | 'text/plain' | 'text/css' | 'text/javascript' | 'application/json'
  text: string
  /** The URL contains a content hash, so cached copies never become stale. */
  immutable: boolean
}

/** The OpenAPI document, documentation pages, stylesheet and script, by URL path. */
export function renderDocs({ routes, version, links, events: eventsAt }: DocsContent): Map<string, DocsFile> {
  const events = eventsAt({ links, at: exampleInstant })
  const document = openApi(routes, { server: links.api, version, events })
  const internal = internalOpenApi(routes, { server: links.api, version })
  const pages = docsPagesOf(document, events)
  const root = new URL(links.api).pathname.replace(/\/$/, '')
  const styleAddress = `/docs/assets/${hashOf(style)}.css`
  const scriptAddress = `/docs/assets/${hashOf(script)}.js`
  const shell = { pages, root, version, style: styleAddress, script: scriptAddress }
  const files = new Map<string, DocsFile>([
    ['/openapi.json', { type: 'application/json', text: JSON.stringify(document), immutable: false }],
    ['/app/openapi.json', { type: 'application/json', text: JSON.stringify(internal), immutable: false }],
    ['/docs/search.json', { type: 'application/json', text: searchIndex(pages), immutable: false }],
    ['/llms.txt', { type: 'text/plain', text: llmsIndex(pages, links), immutable: false }],
    ['/docs/llms-full.txt', { type: 'text/plain', text: llmsFull(pages), immutable: false }],
    [styleAddress, { type: 'text/css', text: style, immutable: true }],
    [scriptAddress, { type: 'text/javascript', text: script, immutable: true }],
  ])
  for (const page of pages) {
    files.set(page.address, { type: 'text/html', text: htmlOf(page, shell), immutable: false })
    files.set(`${page.address}.md`, { type: 'text/markdown', text: page.markdown, immutable: false })
  }
  return files
}

const hashOf = (content: string) => createHash('sha256').update(content).digest('base64url').slice(0, 16)
