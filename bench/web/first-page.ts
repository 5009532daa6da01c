import type { Browser } from 'playwright-core'
import { timingClient } from '../client.ts'
import { median, milliseconds, print, type Row } from '../kit.ts'
import { readDemo, startProduct, temporaryFolder } from '../servers.ts'
import { type Loaded, loadPage } from './browser.ts'
import { signIn } from './sign-in.ts'

const rounds = 7
const kilobytes = (bytes: number) => `${(bytes / 1_000).toFixed(0)} KB`

/** The first pages of both apps in a browser with an empty cache, against a page of documentation from the same server. */
export async function firstPageRows(browser: Browser): Promise<Row[]> {
  const folder = temporaryFolder()
  const { url, stop } = await startProduct(folder)
  const cookie = await signIn(timingClient(url), url, readDemo(folder).users[0])
  const pages = {
    'first page of the dashboard': { path: '/dashboard', content: 'main h1', maxBytes: 400_000 },
    'live page': { path: '/dashboard/live', content: 'section[aria-label="Active calls"]', maxBytes: 400_000 },
    'call list': { path: '/dashboard/calls', content: 'main table tbody tr a', maxBytes: 400_000 },
    'phone app': { path: '/phone', content: 'main', maxBytes: 300_000 },
    'page of documentation': { path: '/docs/errors', content: 'main', maxBytes: 400_000 },
  }
  const loads = new Map<string, Loaded[]>(Object.keys(pages).map((name) => [name, []]))
  for (let round = 0; round <= rounds; round++) {
    for (const [name, { path, content }] of Object.entries(pages)) {
      const loaded = await loadPage(browser, { url, cookie, path, content })
      // The first compresses the files.
      if (round > 0) loads.get(name)?.push(loaded)
    }
  }
  await stop()
  const of = (name: string, pick: (loaded: Loaded) => number) => median((loads.get(name) ?? []).map(pick))
  const bare = of('page of documentation', ({ interactiveMs }) => interactiveMs)
  return Object.entries(pages)
    .filter(([name]) => name !== 'page of documentation')
    .flatMap(([name, { maxBytes }]): Row[] => {
      const bytes = of(name, (loaded) => loaded.bytes)
      const interactive = of(name, ({ interactiveMs }) => interactiveMs)
      const cpu = of(name, ({ cpuMs }) => cpuMs)
      print(`${name}: ${kilobytes(bytes)}, of them ${kilobytes(of(name, ({ scripts }) => scripts))} scripts`)
      return [
        {
          row: `${name}, all bytes over the network`,
          figure: kilobytes(bytes),
          aim: { atMost: maxBytes, of: bytes },
        },
        {
          row: `${name}, until interactive with an empty cache`,
          figure: `${milliseconds(interactive)} (${milliseconds(cpu)} of CPU)`,
          baseline: milliseconds(bare),
          ratio: interactive / bare,
          aim: { atMost: 1_000, of: interactive, onClock: true },
        },
      ]
    })
}
