import { breakable, escapeHtml as e } from './html-text.ts'
import { type Rendered, renderMarkdown } from './markdown.ts'
import type { DocsPage } from './pages.ts'
import { type OperationEntry, objectsIntro, sentence } from './reference.ts'
import { keyFields, tryIt } from './try-it.ts'

export interface Shell {
  pages: readonly DocsPage[]
  /** Path of the base URL, usually empty. */
  root: string
  version: string
  /** URLs of stylesheet and script. */
  style: string
  script: string
}

/** A complete HTML page. */
export function htmlOf(page: DocsPage, shell: Shell): string {
  const { root } = shell
  const content = page.reference ? referenceContent(page.reference, root) : renderMarkdown(page.markdown, { root })
  const title = page.address === '/docs' ? 'Hookswitch documentation' : `${page.title} · Hookswitch documentation`
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${e(title)}</title>
<meta name="description" content="${e(page.about)}">
<link rel="stylesheet" href="${root}${shell.style}">
<link rel="alternate" type="text/markdown" href="${root}${page.address}.md">
<link rel="icon" href="${icon}">
<script src="${root}${shell.script}" defer></script>
</head>
<body${page.reference ? ' class="wide"' : ''} data-root="${e(root)}">
<a class="skip" href="#content">Skip to content</a>
<header class="top">
<a class="brand" href="${root}/docs">${logo}<span>Hookswitch</span> <small>${e(shell.version)}</small></a>
<button type="button" class="menu-button" aria-expanded="false" aria-controls="menu">Menu</button>
<div class="links"><a href="${root}${page.address}.md">View as Markdown</a> <a href="${root}/openapi.json">OpenAPI</a></div>
</header>
<div class="frame">
<nav id="menu" aria-label="Documentation">
${menu(page, content, shell)}
</nav>
<main id="content" tabindex="-1">
${content.html}
</main>
</div>
</body>
</html>
`
}

interface Content extends Rendered {
  /** An additional menu below that of the pages. */
  menu?: string
}

function menu(current: DocsPage, content: Content, { pages, root }: Shell): string {
  const item = (page: DocsPage) => {
    const here = page === current
    const link = `<a href="${root}${page.address}"${here ? ' aria-current="page"' : ''}>${e(page.title)}</a>`
    return `<li>${link}${here ? sectionMenu(content) : ''}</li>`
  }
  const groups = [...new Set(pages.map(({ group }) => group))].map((group) => {
    const items = pages.filter((page) => page.group === group).map(item)
    return `<p class="pages-group">${e(group)}</p><ul class="pages">${items.join('\n')}</ul>`
  })
  return `${groups.join('\n')}${content.menu ?? ''}`
}

const sectionMenu = ({ sections }: Rendered) =>
  sections.length === 0
    ? ''
    : `<ul class="sections">${sections.map(({ id, title }) => `<li><a href="#${id}">${e(title)}</a></li>`).join('')}</ul>`

function referenceContent({ intro, content }: NonNullable<DocsPage['reference']>, root: string): Content {
  const taken = new Set<string>()
  const render = (markdown: string) => renderMarkdown(markdown, { root, taken }).html
  const top = render(intro)
  const groups = content.groups.map(
    ({ name, text, entries }) =>
      `<section class="group" aria-labelledby="${groupId(name)}"><h2 id="${groupId(name)}">${e(name)}</h2>${render(text)}
${entries.map((entry) => operation(entry, render)).join('\n')}</section>`,
  )
  const objects = content.objects.map(
    ({ id, title, words }) =>
      `<article class="object" id="${id}"><h3>${e(title)} ${anchor(id)}</h3>${render(words)}</article>`,
  )
  return {
    html: `${top}${search}<form hidden>${keyFields}</form>
${groups.join('\n')}
<section class="group objects" aria-labelledby="objects"><h2 id="objects">Objects</h2>${render(objectsIntro)}
${objects.join('\n')}</section>`,
    sections: [],
    menu: `<div class="in-page">${content.groups.map(groupMenu).join('\n')}
<div class="in-group"><a class="group-link" href="#objects">Objects</a></div></div>`,
  }
}

const groupId = (name: string) => `group-${name.toLowerCase().replace(/[^a-z0-9]+/g, '-')}`
const anchor = (id: string) => `<a class="anchor" href="#${id}" aria-label="Link to this section">#</a>`
const verb = (method: string, shown = method) => `<span class="verb ${method.toLowerCase()}">${shown}</span>`

const search = `<div class="search" role="search"><label for="search">Search operations</label>
<input id="search" type="search" autocomplete="off" spellcheck="false" placeholder="team, POST, /v2/users …" aria-describedby="found">
<kbd aria-hidden="true">/</kbd><p id="found" role="status" aria-live="polite"></p></div>`

function operation(entry: OperationEntry, render: (markdown: string) => string): string {
  const { id, method, path, summary, deprecated, access, words, samples } = entry
  const marks = [deprecated && mark('deprecated'), access === 'app' && mark('session')].filter(Boolean).join(' ')
  const find = e(`${method} ${path} ${summary} ${deprecated ? 'deprecated' : ''}`.toLowerCase())
  return `<article class="operation" id="${id}" data-find="${find}">
<h3>${verb(method)} <code>${breakable(path)}</code> ${marks} ${anchor(id)}</h3>
<p class="lead">${e(sentence(summary))}</p>
<div class="columns"><div class="words">${render(words)}</div>
<div class="samples">${render(samples)}${tryIt(entry)}</div></div>
</article>`
}

const mark = (word: string) => `<span class="flag">${word}</span>`

const groupMenu = ({ name, entries }: { name: string; entries: OperationEntry[] }) =>
  `<div class="in-group"><a class="group-link" href="#${groupId(name)}">${e(name)}</a><ul>${entries
    .map(
      ({ id, method, summary, deprecated }) =>
        `<li data-of="${id}"${deprecated ? ' class="old"' : ''}><a href="#${id}">${verb(method, method.slice(0, 4).replace('DELE', 'DEL'))} ${e(summary.split(';', 1)[0] ?? '')}</a></li>`,
    )
    .join('')}</ul></div>`

// A telephone cradle with its hook switch up: off-hook.
const cradle = 'M3 15h18v3H3zM5 15V9h3v3h2V7h4v5h2V9h3v6z'
const logo = `<svg viewBox="0 0 24 24" width="24" height="24" aria-hidden="true"><path fill="currentColor" d="${cradle}"/></svg>`
const icon = `data:image/svg+xml,${encodeURIComponent(
  `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 24 24"><path fill="#0c7a68" d="${cradle}"/></svg>`,
)}`
