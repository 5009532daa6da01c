import { readFileSync } from 'node:fs'
import { get, type IncomingMessage } from 'node:http'
import { Script } from 'node:vm'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import { Type } from 'typebox'
import { describe, expect, test } from 'vitest'
import { operations } from '../packages/client/src/generated/operations.ts'
import { eventKind, eventNames, serviceEventNames } from '../src/domain/events.ts'
import { routes } from '../src/features/index.ts'
import { eventDocsFor } from '../src/features/integrations/catalogue/catalogue.ts'
import { snakeCase } from '../src/http/docs/client-methods.ts'
import { htmlOf } from '../src/http/docs/layout.ts'
import { docsLogo } from '../src/http/docs/logo.ts'
import { renderMarkdown } from '../src/http/docs/markdown.ts'
import { operationIdOf } from '../src/http/docs/operation-ids.ts'
import { docsPagesOf } from '../src/http/docs/pages.ts'
import { placeholderLinks, withLinks } from '../src/http/docs/placeholders.ts'
import { renderDocs } from '../src/http/docs/render.ts'
import { script } from '../src/http/docs/script.ts'
import { searchScript } from '../src/http/docs/search-script.ts'
import { style } from '../src/http/docs/style.ts'
import { openApi } from '../src/http/openapi.ts'
import { route } from '../src/http/route.ts'
import { sandboxRoutes } from '../src/sandbox/index.ts'
import type { Links } from '../src/services.ts'
import { monday, testApp } from './kit/app.ts'

const about = { server: 'http://127.0.0.1:3000', version: '0.0.0' }
const shell = { root: '', version: '0.0.0', style: '/s.css', script: '/s.js' }
const policy =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; " +
  "frame-ancestors 'none'; base-uri 'none'; form-action 'none'"

const everyPage = docsPagesOf(openApi([...routes, ...sandboxRoutes], about), new Map())
const pageAddresses = everyPage.map(({ address }) => address)

const sameLinks = (url: string): Links => ({ api: url, dashboard: url, assets: url, short: url })

const matches = (text: string, pattern: RegExp) => [...text.matchAll(pattern)].map((match) => match[1] ?? '')
const idsIn = (html: string) => matches(html, / id="([^"]*)"/g)
const decoded = (text: string) => text.replaceAll('&#39;', "'").replaceAll('&quot;', '"').replaceAll('&amp;', '&')

describe('the pages', () => {
  test('each page is HTML at its address and Markdown at the same address with .md', async () => {
    const { anonymous } = await testApp()

    for (const address of pageAddresses) {
      const page = await anonymous('GET', address)
      const twin = await anonymous('GET', `${address}.md`)
      const title = decoded(/<h1[^>]*>([^<]+)<\/h1>/.exec(page.text)?.[1] ?? '')

      expect([page.status, page.headers.get('content-type')], address).toEqual([200, 'text/html; charset=utf-8'])
      expect([twin.status, twin.headers.get('content-type')], address).toEqual([200, 'text/markdown; charset=utf-8'])
      expect(twin.text.startsWith(`# ${title}\n`), address).toBe(true)
      expect(page.text + twin.text, address).not.toMatch(/\{\{[a-z_]+\}\}/)
    }
  })

  test('every link between the pages leads somewhere, anchors included', async () => {
    const { anonymous, base } = await testApp()
    const seen = new Map<string, { found: boolean; text: string; ids: Set<string> }>()
    const visit = async (address: string) => {
      const { status, text } = await anonymous('GET', address)
      const page = seen.get(address) ?? { found: status === 200, text, ids: new Set(idsIn(text)) }
      seen.set(address, page)
      return page
    }

    const broken: string[] = []
    for (const address of pageAddresses) {
      const { text } = await visit(address)
      for (const href of new Set(matches(text, /<a [^>]*href="([^"]*)"/g))) {
        const target = new URL(decoded(href), base + address)
        if (target.origin !== base) continue
        const { found, ids } = seen.get(target.pathname) ?? (await visit(target.pathname))
        const anchor = decodeURIComponent(target.hash.slice(1))
        if (!found || (anchor !== '' && !ids.has(anchor))) broken.push(`${address} → ${href}`)
      }
    }

    expect(broken).toEqual([])
  })

  test('no id stands twice on a page, and labels name a field', async () => {
    const { anonymous } = await testApp()

    for (const address of pageAddresses) {
      const { text } = await anonymous('GET', address)
      const ids = idsIn(text)
      const lost = matches(text, /<label for="([^"]*)"/g).filter((id) => !ids.includes(id))

      expect(
        ids.filter((id, place) => ids.indexOf(id) !== place),
        address,
      ).toEqual([])
      expect(lost, address).toEqual([])
    }
  })

  test('nothing is loaded from elsewhere and nothing is inline', async () => {
    const { anonymous, base } = await testApp()

    for (const address of pageAddresses) {
      const { text, headers } = await anonymous('GET', address)
      const loaded = [
        ...matches(text, /<(?:script|img)[^>]* src="([^"]*)"/g),
        ...matches(text, /<link [^>]*href="([^"]*)"/g),
      ]

      expect(headers.get('content-security-policy'), address).toBe(policy)
      expect(
        loaded.filter((link) => !link.startsWith('/') && !link.startsWith('data:image/svg+xml')),
        address,
      ).toEqual([])
      expect(text, address).not.toMatch(/<style|<script>|<script (?!src=)| style="| on[a-z]+="/)
      for (const link of loaded.filter((one) => one.startsWith('/'))) {
        expect((await anonymous('HEAD', base + link)).status, link).toBe(200)
      }
    }
    expect(style).not.toMatch(/url\(|@import/)
    expect(script).not.toMatch(/https?:|innerHTML|localStorage|sessionStorage|cookie/)
  })

  test('the script is valid JavaScript, and it and the stylesheet may be kept for good', async () => {
    const { anonymous } = await testApp()
    const { text } = await anonymous('GET', '/docs')
    const assets = matches(text, /"(\/docs\/assets\/[^"]+)"/g)

    expect(assets).toHaveLength(2)
    for (const asset of assets) {
      const { headers } = await anonymous('GET', asset)
      expect(headers.get('cache-control')).toBe('public, max-age=31536000, immutable')
    }
    expect(() => new Script(script)).not.toThrow()
  })

  test('a page that did not change is not sent again', async () => {
    const { anonymous } = await testApp()
    const { headers } = await anonymous('GET', '/docs/errors')

    const again = await anonymous('GET', '/docs/errors', undefined, { 'if-none-match': headers.get('etag') ?? '' })

    expect([again.status, again.text, headers.get('cache-control')]).toEqual([304, '', 'no-cache'])
  })

  test('a page is compressed with what the client accepts, and names one version of the content in every encoding', async () => {
    const { base } = await testApp()
    const pageAs = (encoding: string) => encodedPage(`${base}/docs/events`, encoding)
    const identity = await pageAs('identity')

    const brotli = await pageAs('gzip, deflate, br')
    const gzipped = await pageAs('gzip, br;q=0')

    expect([identity.encoding, brotli.encoding, gzipped.encoding]).toEqual([undefined, 'br', 'gzip'])
    expect(brotliDecompressSync(brotli.body).equals(identity.body)).toBe(true)
    expect(gunzipSync(gzipped.body).equals(identity.body)).toBe(true)
    expect(brotli.body.length).toBeLessThan(identity.body.length / 5)
    expect(new Set([identity.etag, brotli.etag, gzipped.etag]).size).toBe(1)
  })

  test('HEAD answers like GET, without the page', async () => {
    const { anonymous } = await testApp()

    const answer = await anonymous('HEAD', '/docs/events')

    expect([answer.status, answer.text]).toEqual([200, ''])
    expect(Number(answer.headers.get('content-length'))).toBeGreaterThan(50_000)
  })

  test('an unknown page is an error of the API', async () => {
    const { anonymous } = await testApp()

    const answer = await anonymous('GET', '/docs/nowhere')

    expect([answer.status, answer.json.error, answer.json.success]).toEqual([404, 'Not Found', false])
  })
})

/** `fetch` decodes on its own; this does not. */
const encodedPage = (url: string, encoding: string) =>
  new Promise<{ encoding: string | undefined; etag: string | undefined; body: Buffer }>((resolve, reject) => {
    const answered = (response: IncomingMessage) => {
      const chunks: Buffer[] = []
      response.on('data', (chunk: Buffer) => chunks.push(chunk))
      response.on('end', () => {
        const { 'content-encoding': used, etag } = response.headers
        resolve({ encoding: used, etag, body: Buffer.concat(chunks) })
      })
    }
    get(url, { headers: { 'accept-encoding': encoding } }, answered).on('error', reject)
  })

describe('pages rendered by the build', () => {
  const all = [...routes, ...sandboxRoutes]
  const rendered = (links: Links) => renderDocs({ routes: all, version: '0.0.0', links, events: eventDocsFor })

  test.each([
    ['one address for everything', sameLinks('http://127.0.0.1:3000')],
    ['a path in front', sameLinks('https://phone.example.test/hookswitch')],
    [
      'four addresses',
      {
        api: 'https://api.example.test',
        dashboard: 'https://office.example.test',
        assets: 'https://files.example.test/a',
        short: 'https://s.example.test',
      },
    ],
  ])('become those of an installation with %s', (_what, links) => {
    const templates = rendered(placeholderLinks)
    const pages = rendered(links)

    expect([...templates.keys()]).toEqual([...pages.keys()])
    for (const [address, { type, text }] of pages) {
      const filled = withLinks(templates.get(address)?.text ?? '', type, links)
      expect(filled === text, address).toBe(true)
    }
  })
})

describe('statements of the pages', () => {
  test('every registered operation is on the reference page, with its own anchor and curl line', async () => {
    const { anonymous, base } = await testApp()
    const { text } = await anonymous('GET', '/docs/reference')
    const twin = (await anonymous('GET', '/docs/reference.md')).text
    const registered = [...routes, ...sandboxRoutes].filter(({ access }) => access !== 'app')

    const ids = idsIn(text)
    for (const route of registered) {
      expect(ids).toContain(operationIdOf(route))
      expect(twin).toContain(`### ${route.method} ${route.path}\n`)
    }
    expect(matches(twin, /(curl) /g)).toHaveLength(registered.length)
    expect(twin).toContain(`curl '${base}/v1/ping'`)
  })

  test('each operation is on the page of its group, with the request in five languages', async () => {
    const { anonymous } = await testApp()
    const groups = everyPage.flatMap(({ address, reference }) =>
      reference?.part === 'group' ? [{ address, entries: reference.group.entries }] : [],
    )

    for (const { address, entries } of groups) {
      const { text } = await anonymous('GET', address)
      for (const { id } of entries) {
        expect(idsIn(text)).toContain(id)
        for (const language of ['sh', 'js', 'python', 'php', 'go']) expect(idsIn(text)).toContain(`${id}-${language}`)
      }
    }
    expect(groups.flatMap(({ entries }) => entries)).toHaveLength(
      [...routes, ...sandboxRoutes].filter(({ access }) => access !== 'app').length,
    )
  })

  test('no page is larger than 400 KB as it is sent', async () => {
    const { base } = await testApp()

    for (const address of [...pageAddresses, '/openapi.json', '/docs/search.json']) {
      const { body } = await encodedPage(base + address, 'gzip')
      expect(body.length, address).toBeLessThan(400_000)
    }
  })

  test('the search index has every page and operation, with anchors that exist', async () => {
    const { anonymous } = await testApp()
    const index: { at: string; title: string; text: string }[] = (await anonymous('GET', '/docs/search.json')).json
    const idsOf = new Map<string, Set<string>>()

    for (const { at } of index) {
      const [address = '', anchor] = at.split('#')
      const ids = idsOf.get(address) ?? new Set(idsIn((await anonymous('GET', address)).text))
      idsOf.set(address, ids)
      if (anchor !== undefined) expect(ids.has(anchor), at).toBe(true)
    }
    expect([...idsOf.keys()].sort()).toEqual(pageAddresses.filter((address) => address !== '/docs/reference').sort())
    expect(index.find(({ title }) => title === 'POST /v1/calls/:id/pause_recording')?.at).toMatch(/#pauseRecording$/)
  })

  test('the search finds the methods of the client packages', async () => {
    const { anonymous } = await testApp()
    const index: { at: string; text: string }[] = (await anonymous('GET', '/docs/search.json')).json
    const places = new Map<string, string[]>()
    for (const { at: address, text } of index)
      for (const word of new Set(text.split(/[\s,():]+/))) places.set(word, [...(places.get(word) ?? []), address])
    const at = (name: string) => places.get(name) ?? []

    for (const [name, operation] of Object.entries(operations)) {
      const found = at(name).find((address) => address.endsWith(`#${name}`))
      expect(found, name).toMatch(/^\/docs\/reference\//)
      expect(at(snakeCase(name)), name).toContain(found)
      const iterator = `iterate_${snakeCase(name).replace(/^list_/, '')}`
      if (/ list=/.test(operation)) expect(at(iterator), name).toContain(found)
      else expect(at(iterator), name).not.toContain(found)
    }
    for (const name of ['createClient', 'verifyWebhook', 'verify_webhook', 'AsyncClient'])
      expect(
        index.some(({ at: address, text }) => address.startsWith('/docs/client-packages') && text.includes(name)),
      ).toBe(true)
  })

  test.each([
    ['createContact', /#createContact$/],
    ['create_contact', /#createContact$/],
    ['webhok', /^\/docs\/webhooks/],
    ['webohok signature', /^\/docs\/webhooks#/],
    ['429', /^\/docs\/(conventions#rate-limit|errors#status-codes)$/],
    ['rate limit', /^\/docs\/conventions#rate-limit$/],
  ])('a search for %s has the right section first', async (asked, address) => {
    const { anonymous } = await testApp()
    const { json: index } = await anonymous('GET', '/docs/search.json')

    const { found } = search(index, asked)

    expect(found[0]?.at).toMatch(address)
  })

  test('the documentation has the logo of the web apps', () => {
    expect(docsLogo).toBe(readFileSync(new URL('../web/kit/ui/icon.svg', import.meta.url), 'utf8').trim())
  })

  test('language models find all pages as Markdown', async () => {
    const { anonymous, base } = await testApp()
    const list = await anonymous('GET', '/llms.txt')
    const full = await anonymous('GET', '/docs/llms-full.txt')

    const linked = matches(list.text, /\]\(([^)]*)\)/g)
    for (const link of linked) {
      const { status, text } = await anonymous('GET', link.replace(base, ''))
      expect([link, status]).toEqual([link, 200])
      expect(full.text).toContain(text.trim())
    }
    expect(linked.length).toBeGreaterThan(30)
    expect(list.headers.get('content-type')).toBe('text/plain; charset=utf-8')
  })

  test('every event is in the catalogue, under its version', async () => {
    const { anonymous } = await testApp()
    const { text } = await anonymous('GET', '/docs/events.md')

    for (const name of [...eventNames, ...serviceEventNames]) expect(text).toContain(`\n| \`${name}\` | V`)
    expect(text).toContain('| `user.created` | V1, deprecated |')
    expect(text).toContain('| `user.created.v2` | V2 |')
  })

  test('every event that exists is shown as a webhook gets it, folded in HTML and in full in Markdown', async () => {
    const { anonymous, app } = await testApp()
    const { text } = await anonymous('GET', '/docs/events')
    const twin = (await anonymous('GET', '/docs/events.md')).text
    const samples = eventDocsFor({ links: app.services.links, at: monday })
    const token = '5b1e0f6c9a7d4e3282c4d90b7a6f1e53'

    for (const [name, { sample }] of samples) {
      const { resource } = eventKind(name)
      const envelope = { resource, event: name, timestamp: monday / 1_000, token, data: JSON.parse(sample) }
      const shown = new RegExp(`\n\`\`\`json ${name.replaceAll('.', '\\.')}\n([^\`]*)\n\`\`\`\n`).exec(twin)?.[1]
      expect(shown, name).toBe(JSON.stringify(envelope, null, 2))
    }
    expect(text.match(/<details class="folded"><summary>/g)).toHaveLength(samples.size)
    expect(text.match(/<details/g)?.length).toBe(text.match(/<\/details>/g)?.length)
  })

  test('the settings are those the program reads', () => {
    const files = ['config.ts', 'config/network-config.ts', 'config/store-config.ts', 'config/voice-config.ts']
    const source = files.map((file) => readFileSync(new URL(`../src/${file}`, import.meta.url), 'utf8')).join('\n')
    const read = new Set(matches(source, /'([A-Z][A-Z_]{3,})'/g))
    const page = readFileSync(new URL('../docs/pages/operating.md', import.meta.url), 'utf8')
    const table = page.slice(page.indexOf('## Settings'), page.indexOf('## First company'))
    const rows = table.split('\n').filter((line) => line.startsWith('| `'))
    const documented = rows.flatMap((row) => matches(row.split('|')[1] ?? '', /`([A-Z_]+)`/g))

    expect(documented.sort()).toEqual([...read].sort())
  })

  test('the examples of the reference work as they stand', async () => {
    const { a, base } = await testApp()
    const { paths } = openApi(routes, { ...about, server: base })
    const creates = Object.entries(paths).filter(([path, { post }]) => post?.requestBody && !/[{]|^\/app/.test(path))

    // Each version invites the same user, so one of them is enough; a code cannot be made up; WhatsApp needs an account,
    // and a campaign an AI voice agent.
    const whatsapp = ['/v1/messages/send/whatsapp/native', '/v1/messages/whatsapp/send']
    const others = ['/v1/users', '/v1/oauth/token', '/v1/outbound-campaigns', ...whatsapp]
    for (const [path, { post }] of creates.filter(([path]) => !others.includes(path))) {
      const answer = await a.api('POST', path, post?.requestBody?.content['application/json'].example)
      const success = Object.keys(post?.responses ?? {}).find((status) => status.startsWith('2'))
      expect(String(answer.status), `${path}: ${answer.text}`).toBe(success)
    }
    expect(creates.length).toBeGreaterThan(4)
  })
})

describe('hostile text', () => {
  const evil = '<script>alert(1)</script> | "x" [click](javascript:alert(1)) ![i](https://evil.test/x.png) ```'
  const hostile = route({
    method: 'POST',
    path: '/v1/evil/:id',
    summary: evil,
    description: evil,
    tag: 'Evil<b>',
    params: Type.Object({ id: Type.Integer({ description: evil }) }),
    body: Type.Object({ 'na<i>me': Type.String({ description: evil, examples: [evil, '</textarea>'] }) }),
    errors: [{ status: 400, when: evil }],
    reply: {
      status: 200,
      body: Type.Object({ text: Type.String({ description: evil, examples: [`${evil}\n\`\`\``] }) }),
    },
    handle: async () => ({ text: '' }),
  })

  test('a description is shown as text, never obeyed', () => {
    const pages = docsPagesOf(openApi([hostile], about), new Map())
    const parts = pages.filter(({ reference }) => reference)
    expect(parts).toHaveLength(3)

    const html = parts.map((page) => htmlOf(page, { ...shell, pages })).join('\n')

    expect(html).toContain('&lt;script&gt;alert(1)&lt;/script&gt;')
    expect(html).not.toMatch(/<script>|<b>|<i>|<img|href="javascript|src="https/i)
    expect(html.match(/<\/textarea>/g)).toHaveLength(1)
    expect(html.match(/<article/g)?.length).toBe(html.match(/<\/article>/g)?.length)
  })
})

test('the title of a folded example is shown as text too', () => {
  const { html } = renderMarkdown('```json <b>"x"\n{}\n```', { root: '' })

  expect(html).toContain(
    '<summary><code>&lt;b&gt;&quot;x&quot;</code></summary><div class="code" data-language="JSON">',
  )
})

test('a browser at the bare address is shown the dashboard', async () => {
  const { anonymous } = await testApp()

  const answer = await anonymous('GET', '/')

  expect([answer.status, answer.headers.get('location')]).toEqual([302, '/dashboard'])
})

type Ranked = (entries: { at: string }[], asked: string) => { found: { at: string }[] }

/** The search as browsers run it. */
const search: Ranked = new Script(`(() => {${searchScript}; return ranked})()`).runInThisContext()
