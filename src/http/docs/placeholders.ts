import type { Links } from '../../services.ts'
import { breakable, escapeHtml } from './html-text.ts'
import type { DocsFile } from './render.ts'

// The build renders the documentation before the URLs of an installation are known. It renders these placeholders, and
// the server replaces them.

const rootPlaceholder = '/hookswitch-root-path'

export const placeholderLinks: Links = {
  api: `https://hookswitch-api-base${rootPlaceholder}`,
  dashboard: 'https://hookswitch-dashboard-base',
  assets: 'https://hookswitch-assets-base',
  short: 'https://hookswitch-short-base',
}

/** The file with the URLs of this installation. */
export function withLinks(text: string, type: DocsFile['type'], links: Links): string {
  let filled = text
  for (const [name, placeholder] of Object.entries(placeholderLinks)) {
    const link = links[name as keyof Links]
    if (type !== 'text/html') {
      filled = filled.replaceAll(placeholder, () => (type === 'application/json' ? inJson(link) : link))
      continue
    }
    filled = filled.replaceAll(placeholder, () => escapeHtml(link))
    filled = filled.replaceAll(breakable(placeholder), () => breakable(link))
  }
  const root = new URL(links.api).pathname.replace(/\/$/, '')
  return type === 'text/html' ? filled.replaceAll(rootPlaceholder, () => escapeHtml(root)) : filled
}

const inJson = (text: string) => JSON.stringify(text).slice(1, -1)
