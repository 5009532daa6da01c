import { Marked, type RendererObject, type Tokens } from 'marked'
import { breakable, escapeHtml } from './html-text.ts'

export interface Rendered {
  html: string
  /** Second-level headings: the table of contents. */
  sections: { id: string; title: string }[]
}

export interface RenderOptions {
  /** Prepended to absolute paths: the path of the base URL. */
  root: string
  /** Ids in use on the page; extended by rendering. */
  taken?: Set<string>
}

/** Markdown to HTML. Embedded HTML is escaped: field descriptions are rendered too. */
export function renderMarkdown(markdown: string, { root, taken = new Set() }: RenderOptions): Rendered {
  const sections: Rendered['sections'] = []
  const renderer: RendererObject = {
    html: ({ text }) => escapeHtml(text),
    heading({ depth, tokens, text }) {
      const inner = this.parser.parseInline(tokens)
      // Headings such as "Parameters" repeat under every operation and need no anchor.
      if (depth > 3) return `<h${depth}>${inner}</h${depth}>\n`
      const id = freeId(slug(text), taken)
      if (depth === 2) sections.push({ id, title: plain(text) })
      if (depth === 1) return `<h1 id="${id}">${inner}</h1>\n`
      return `<h${depth} id="${id}">${inner} <a class="anchor" href="#${id}" aria-label="Link to this section">#</a></h${depth}>\n`
    },
    link({ href, tokens }) {
      const inner = this.parser.parseInline(tokens)
      const target = safeTarget(href, root)
      return target === undefined ? inner : `<a href="${escapeHtml(target)}">${inner}</a>`
    },
    image: ({ text }) => escapeHtml(text),
    codespan: ({ text }) => `<code>${breakable(text)}</code>`,
    code: ({ text, lang }) => fence(text, lang ?? ''),
    table(token) {
      const cell = (part: Tokens.TableCell) => this.parser.parseInline(part.tokens)
      return tableOf(
        token.header.map(cell),
        token.header.map(({ text }) => plain(text)),
        token.rows.map((row) => row.map(cell)),
      )
    },
  }
  return { html: new Marked({ gfm: true, async: false, renderer }).parse(markdown, { async: false }), sections }
}

const plain = (text: string) => text.replace(/[`*_]/g, '')

const slug = (text: string) =>
  plain(text)
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-|-$/g, '')

function freeId(wanted: string, taken: Set<string>): string {
  let id = wanted
  for (let n = 2; taken.has(id); n++) id = `${wanted}-${n}`
  taken.add(id)
  return id
}

/** Our own pages, anchors and http(s) links; a `javascript:` link stays text. */
function safeTarget(href: string, root: string): string | undefined {
  if (href.startsWith('#')) return href
  if (/^\/(?!\/)/.test(href)) return root + href
  return /^https?:\/\//i.test(href) ? href : undefined
}

/** On narrow screens rows become cards with column labels; roles keep the table semantics for screen readers. */
function tableOf(header: string[], labels: string[], rows: string[][]): string {
  const head = header.map((text) => `<th role="columnheader" scope="col">${text}</th>`).join('')
  const body = rows.map((row) => {
    const cells = row.map(
      (text, column) => `<td role="cell" data-label="${escapeHtml(labels[column] ?? '')}">${text}</td>`,
    )
    return `<tr role="row">${cells.join('')}</tr>`
  })
  return (
    `<table role="table"><thead role="rowgroup"><tr role="row">${head}</tr></thead>` +
    `<tbody role="rowgroup">${body.join('\n')}</tbody></table>\n`
  )
}

const languageNames: Record<string, string> = {
  sh: 'Shell',
  json: 'JSON',
  http: 'HTTP',
  text: 'Text',
  js: 'JavaScript',
  python: 'Python',
  php: 'PHP',
  go: 'Go',
}

/** A code fence may have a title after the language; then it is collapsed. */
function fence(text: string, info: string): string {
  const [, language = '', title = ''] = /^(\S*)\s*(.*)$/.exec(info) ?? []
  const block = codeBlock(text, language)
  if (title === '') return block
  return `<details class="folded"><summary><code>${breakable(title)}</code></summary>${block}</details>\n`
}

export function codeBlock(text: string, language: string): string {
  const name = languageNames[language] ?? 'Code'
  const inner = language === 'json' ? colouredJson(text) : escapeHtml(text)
  // Focusable, so that long lines can be scrolled with the keyboard.
  return `<div class="code" data-language="${name}"><pre tabindex="0" role="region" aria-label="${name} example"><code>${inner}</code></pre></div>\n`
}

const jsonToken = /"(?:\\.|[^"\\])*"|\b(?:true|false|null)\b|-?\b\d+(?:\.\d+)?\b/g

function colouredJson(text: string): string {
  let html = ''
  let end = 0
  for (const match of text.matchAll(jsonToken)) {
    const [token] = match
    html += escapeHtml(text.slice(end, match.index))
    end = match.index + token.length
    html += `<span class="${kindOf(token, text.slice(end, end + 1))}">${escapeHtml(token)}</span>`
  }
  return html + escapeHtml(text.slice(end))
}

function kindOf(token: string, next: string): 'k' | 's' | 'n' {
  if (!token.startsWith('"')) return 'n'
  return next === ':' ? 'k' : 's'
}
