import type { CodeSample } from './code-samples.ts'
import { objectsAddress } from './fields.ts'
import { breakable, escapeHtml as e } from './html-text.ts'
import { docsLogo } from './logo.ts'
import { codeBlock, type Rendered, renderMarkdown } from './markdown.ts'
import { type DocsPage, groupAddress, type ReferencePart } from './pages.ts'
import { type OperationEntry, objectsIntro, type Reference, sentence } from './reference.ts'
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
<div class="find" role="search"><input id="find" type="search" autocomplete="off" spellcheck="false" placeholder="Search the documentation" aria-label="Search the documentation" aria-controls="finds"><kbd aria-hidden="true">/</kbd>
<div id="finds" hidden><p role="status" aria-live="polite"></p><ol></ol></div></div>
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
    const here = page === current || (page.reference !== undefined && current.reference !== undefined)
    const link = `<a href="${root}${page.address}"${here ? ' aria-current="page"' : ''}>${e(page.title)}</a>`
    return `<li>${link}${here ? sectionMenu(content) : ''}</li>`
  }
  const groups = [...new Set(pages.map(({ group }) => group))].map((group) => {
    const items = pages.filter((page) => page.group === group && isListed(page)).map(item)
    return `<p class="pages-group">${e(group)}</p><ul class="pages">${items.join('\n')}</ul>`
  })
  return `${groups.join('\n')}${content.menu ?? ''}`
}

/** The pages inside the reference have a menu of their own. */
const isListed = ({ reference }: DocsPage) => !reference || reference.part === 'overview'

const sectionMenu = ({ sections }: Rendered) =>
  sections.length === 0
    ? ''
    : `<ul class="sections">${sections.map(({ id, title }) => `<li><a href="#${id}">${e(title)}</a></li>`).join('')}</ul>`

function referenceContent(reference: ReferencePart, root: string): Content {
  const taken = new Set<string>()
  const render = (markdown: string) => renderMarkdown(markdown, { root, taken }).html
  return { html: partHtml(reference, root, render), sections: [], menu: referenceMenu(reference, root) }
}

type Render = (markdown: string) => string

function partHtml(reference: ReferencePart, root: string, render: Render): string {
  switch (reference.part) {
    case 'overview':
      return `${render(reference.intro)}${search}${reference.content.groups.map((group) => overviewOf(group, root, render)).join('\n')}`
    case 'group':
      return `<h1 id="top">${e(reference.group.name)}</h1>${render(reference.group.text)}<form hidden>${keyFields}</form>
${reference.group.entries.map((entry) => operation(entry, render)).join('\n')}`
    case 'objects':
      return `<h1 id="top">Objects</h1>${render(objectsIntro)}
${reference.content.objects.map(({ id, title, words }) => `<article class="object" id="${id}"><h3>${e(title)} ${anchor(id)}</h3>${render(words)}</article>`).join('\n')}`
  }
}

type Group = Reference['groups'][number]

/** The operations of a group, as rows that lead to its page. */
function overviewOf({ name, text, entries }: Group, root: string, render: Render): string {
  const id = `group-${groupAddress(name).split('/').at(-1)}`
  const rows = entries.map(({ id: operationId, method, path, summary, deprecated }) => {
    const find = e(`${method} ${path} ${summary} ${operationId} ${deprecated ? 'deprecated' : ''}`.toLowerCase())
    const target = `${root}${groupAddress(name)}#${operationId}`
    return `<li id="${operationId}" data-find="${find}"${deprecated ? ' class="old"' : ''}><a href="${target}">${verb(method)} <code>${breakable(path)}</code> <span>${e(summary)}</span></a></li>`
  })
  return `<section class="group" aria-labelledby="${id}"><h2 id="${id}"><a href="${root}${groupAddress(name)}">${e(name)}</a></h2>${render(text)}
<ul class="operations">${rows.join('\n')}</ul></section>`
}

function referenceMenu(reference: ReferencePart, root: string): string {
  const shown = reference.part === 'group' ? reference.group : undefined
  const groups = reference.content.groups.map((group) => {
    const here = group === shown
    const link = `<a class="group-link" href="${root}${groupAddress(group.name)}"${here ? ' aria-current="page"' : ''}>${e(group.name)}</a>`
    return `<div class="in-group">${link}${here ? `<ul>${group.entries.map(menuItem).join('')}</ul>` : ''}</div>`
  })
  const isObjects = reference.part === 'objects'
  const objects = `<div class="in-group"><a class="group-link" href="${root}${objectsAddress}"${isObjects ? ' aria-current="page"' : ''}>Objects</a></div>`
  return `<div class="in-page">${groups.join('\n')}\n${objects}</div>`
}

const menuItem = ({ id, method, summary, deprecated }: OperationEntry) =>
  `<li${deprecated ? ' class="old"' : ''}><a href="#${id}">${verb(method, method.slice(0, 4).replace('DELE', 'DEL'))} ${e(summary.split(';', 1)[0] ?? '')}</a></li>`

const anchor = (id: string) => `<a class="anchor" href="#${id}" aria-label="Link to this section">#</a>`
const verb = (method: string, shown = method) => `<span class="verb ${method.toLowerCase()}">${shown}</span>`

const search = `<div class="search" role="search"><label for="search">Filter operations</label>
<input id="search" type="search" autocomplete="off" spellcheck="false" placeholder="team, POST, /v2/users …" aria-describedby="found">
<p id="found" role="status" aria-live="polite"></p></div>`

function operation(entry: OperationEntry, render: Render): string {
  const { id, method, path, summary, deprecated, words, codes, answer } = entry
  const marks = deprecated ? '<span class="flag">deprecated</span>' : ''
  return `<article class="operation" id="${id}">
<h3>${verb(method)} <code>${breakable(path)}</code> ${marks} ${anchor(id)}</h3>
<p class="lead">${e(sentence(summary))}</p>
<div class="columns"><div class="words">${render(words)}</div>
<div class="samples">${tabs(id, codes)}${render(answer)}${tryIt(entry)}</div></div>
</article>`
}

/** Without the script only the first language is shown. */
function tabs(id: string, codes: CodeSample[]): string {
  const buttons = codes.map(
    ({ language, title }, n) =>
      `<button type="button" role="tab" id="${id}-tab-${language}" aria-controls="${id}-${language}" aria-selected="${n === 0}"${n === 0 ? '' : ' tabindex="-1"'} data-tab="${language}">${title}</button>`,
  )
  const panels = codes.map(
    ({ language, code }, n) =>
      `<div role="tabpanel" id="${id}-${language}" aria-labelledby="${id}-tab-${language}" data-panel="${language}"${n === 0 ? '' : ' hidden'}>${codeBlock(code, language)}</div>`,
  )
  return `<div class="tabs"><div role="tablist" aria-label="Language of the example">${buttons.join('')}</div>${panels.join('')}</div>`
}

const logo = docsLogo.replace('<svg ', '<svg width="24" height="24" aria-hidden="true" ')
const icon = `data:image/svg+xml,${encodeURIComponent(docsLogo)}`
