import type { Links } from '../../services.ts'
import { snakeCase } from './client-methods.ts'
import type { DocsPage } from './pages.ts'

/** A section of a page, as the search of the documentation finds it. */
interface SearchEntry {
  /** Address with the anchor of the section. */
  at: string
  page: string
  title: string
  text: string
  /** Whole words that name the section: methods of the client packages, status codes. */
  words: string
}

/** What people search that a title does not say. */
const otherWords: Record<string, string> = {
  '/docs/errors#status-codes': '400 401 403 404 409 413 415 422 429 500 503 http status code',
  '/docs/errors#400-or-422': '400 422 validation',
  '/docs/conventions#authentication': '401 403 login password token basic bearer',
  '/docs/conventions#rate-limit': '429 too many requests throttling quota',
  '/docs/conventions#idempotent-requests': '409 idempotency-key duplicate retry',
}

/** The index of the full-text search, loaded by the browser with the first search. */
export function searchIndex(pages: readonly DocsPage[]): string {
  return JSON.stringify(pages.flatMap(entriesOf))
}

function entriesOf({ address, title, markdown, reference }: DocsPage): SearchEntry[] {
  if (reference?.part === 'overview') return []
  const sections = reference ? reference.sections : sectionsOf(markdown)
  return sections.map((section) => {
    const at = section.id === '' ? address : `${address}#${section.id}`
    const methods = reference?.part === 'group' ? [section.id, snakeCase(section.id)] : []
    return {
      at,
      page: title,
      title: section.title || title,
      text: plainText(section.text),
      words: [...new Set(methods), otherWords[at] ?? ''].join(' ').trim(),
    }
  })
}

export interface DocsSection {
  id: string
  title: string
  text: string
}

/** Split at headings of the second and third level; anchors as markdown.ts makes them. */
function sectionsOf(markdown: string): DocsSection[] {
  const sections: DocsSection[] = [{ id: '', title: '', text: '' }]
  const taken = new Map<string, number>()
  let isCode = false
  for (const line of markdown.split('\n')) {
    if (/^\s*```/.test(line)) isCode = !isCode
    const [, level = '', heading = ''] = isCode ? [] : (/^(#{1,3}) (.*)$/.exec(line) ?? [])
    if (heading === '') {
      const last = sections.at(-1)
      if (last) last.text += `${line}\n`
      continue
    }
    const id = anchorOf(heading, taken)
    if (level !== '#') sections.push({ id, title: heading.replace(/[`*_]/g, ''), text: '' })
  }
  return sections
}

function anchorOf(heading: string, taken: Map<string, number>): string {
  const slug = heading
    .replace(/[`*_]/g, '')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-|-$/g, '')
  const count = (taken.get(slug) ?? 0) + 1
  taken.set(slug, count)
  return count === 1 ? slug : `${slug}-${count}`
}

const plainText = (markdown: string) =>
  markdown
    .replace(/\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replace(/^\s*```.*$/gm, ' ')
    .replace(/^\|[\s|:-]+\|$/gm, ' ')
    .replace(/[`*|#>]/g, ' ')
    .replace(/\s+/g, ' ')
    .trim()

/** `/llms.txt`: what the documentation has, with the addresses of its Markdown, as https://llmstxt.org proposes. */
export function llmsIndex(pages: readonly DocsPage[], { api }: Links): string {
  const listed = pages.filter(({ reference }) => !reference || reference.part === 'overview')
  const groups = [...new Set(listed.map(({ group }) => group))].map((group) => {
    const items = listed
      .filter((page) => page.group === group)
      .map(({ address, title, about }) => `- [${title}](${api}${address}.md): ${about}`)
    return `## ${group}\n\n${items.join('\n')}`
  })
  return `${[
    '# Hookswitch',
    '> A business phone system that companies run themselves: calls, messages, contacts and call flows with a REST API, signed webhooks and a simulated phone network.',
    `The API is described at ${api}/openapi.json (OpenAPI 3.1, with all events as webhooks). All pages in one file: ${api}/docs/llms-full.txt`,
    ...groups,
  ].join('\n\n')}\n`
}

/** `/docs/llms-full.txt`: all pages in one Markdown file. */
export const llmsFull = (pages: readonly DocsPage[]): string =>
  pages
    .filter(({ reference }) => !reference || reference.part === 'overview')
    .map(({ markdown }) => markdown.trim())
    .join('\n\n---\n\n')
    .concat('\n')
