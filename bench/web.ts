import { parseArgs } from 'node:util'
import { milliseconds, print, quantile, type Row } from './kit.ts'
import { buildProgram } from './servers.ts'
import { openBrowser } from './web/browser.ts'
import { firstPageRows } from './web/first-page.ts'
import { liveRows } from './web/live-rows.ts'
import { paletteRows, type StoreKind } from './web/palette.ts'
import { rings } from './web/rings.ts'
import { firstLoad } from './web/sizes.ts'

const agents = 200
const calls = 300
const kilobytes = (bytes: number) => `${(bytes / 1_000).toFixed(0)} KB`

const parts = ['sizes', 'pages', 'live', 'palette', 'rings'] as const

export async function bench(): Promise<Row[]> {
  const { values } = parseArgs({
    args: process.argv.slice(3),
    options: {
      only: { type: 'string' },
      store: { type: 'string' },
      calls: { type: 'string', default: '1000000' },
      times: { type: 'string', default: '20' },
    },
  })
  await buildProgram()
  const isChosen = (part: (typeof parts)[number]) => values.only === undefined || values.only === part
  const stores = (values.store ? [values.store] : ['sqlite', 'postgres']) as StoreKind[]
  const browser = isChosen('pages') || isChosen('live') ? await openBrowser() : undefined
  try {
    const rows: Row[] = isChosen('sizes') ? scriptSizes() : []
    if (browser && isChosen('pages')) rows.push(...(await firstPageRows(browser)))
    if (browser && isChosen('live')) rows.push(...(await liveRows(browser, 500)))
    for (const store of isChosen('palette') ? stores : [])
      rows.push(...(await paletteRows({ store, calls: Number(values.calls), times: Number(values.times) })))
    if (isChosen('rings')) rows.push(await ringRow())
    return rows
  } finally {
    await browser?.close()
  }
}

function scriptSizes(): Row[] {
  const phone = firstLoad('phone')
  const dashboard = firstLoad('dashboard', [/\/home-/])
  return [
    {
      row: 'first load of the phone app, compressed script',
      figure: kilobytes(phone),
      aim: { atMost: 300_000, of: phone },
    },
    {
      row: 'first page of the dashboard, compressed script',
      figure: kilobytes(dashboard),
      aim: { atMost: 400_000, of: dashboard },
    },
  ]
}

async function ringRow(): Promise<Row> {
  const late = await rings(agents, calls)
  print(`${late.length} rings`)
  const p99 = quantile(late, 0.99)
  return {
    row: `a ring, from the engine's commit to the phone app, ${agents} connected`,
    figure: `p50 ${milliseconds(quantile(late, 0.5))}, p99 ${milliseconds(p99)}`,
    aim: { atMost: 100, of: p99, onClock: true },
  }
}
