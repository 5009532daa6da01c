import { readFileSync } from 'node:fs'
import { gzipSync } from 'node:zlib'
import { build } from 'esbuild'
import { startPostgres } from '../test/kit/postgres.ts'
import { median, milliseconds, print, type Row } from './kit.ts'
import { type Rate, type Request, rateOf } from './load.ts'
import { seedContacts } from './seed.ts'
import { basic, buildProgram, readDemo, root, type Server, startProduct, temporaryFolder } from './servers.ts'
import { loadPage, openBrowser } from './web/browser.ts'

const rounds = 9

/** What the developer platform adds: safe retries, compressed lists, the reference, the client package. */
export async function bench(): Promise<Row[]> {
  await buildProgram()
  return [...(await sqliteRows()), ...(await postgresRows()), ...(await referenceRows()), await clientRow()]
}

interface Pair {
  /** Median of what the one costs more than the other in the same round, of CPU and by the clock. */
  ofCpu: number
  ofClock: number
  with: number
  without: number
}

/** Each round measures both, one right after the other and in turn first: what disturbs the machine disturbs both. */
async function paired(one: () => Promise<Rate>, other: () => Promise<Rate>): Promise<Pair> {
  await one()
  await other()
  const pairs: { one: Rate; other: Rate }[] = []
  for (let round = 0; round < rounds; round++) {
    if (round % 2 === 0) pairs.push({ one: await one(), other: await other() })
    else {
      const before = await other()
      pairs.push({ one: await one(), other: before })
    }
  }
  return {
    ofCpu: median(pairs.map((pair) => pair.other.ofCpu / pair.one.ofCpu)),
    ofClock: median(pairs.map((pair) => pair.other.ofClock / pair.one.ofClock)),
    with: median(pairs.map((pair) => pair.one.ofCpu)),
    without: median(pairs.map((pair) => pair.other.ofCpu)),
  }
}

function costRow(row: string, pair: Pair, atMost: number): Row {
  print(`${row}: ${pair.ofCpu.toFixed(3)} of CPU, ${pair.ofClock.toFixed(3)} by the clock`)
  return {
    row,
    figure: `${Math.round(pair.with)}/s of CPU (${pair.ofClock.toFixed(2)} by the clock)`,
    baseline: `${Math.round(pair.without)}/s of CPU`,
    ratio: pair.ofCpu,
    aim: { atMost },
  }
}

async function keyRow(product: Server, authorization: string, database: string): Promise<Row> {
  const request: Request = {
    method: 'POST',
    headers: { authorization, 'content-type': 'application/json' },
    body: JSON.stringify({
      first_name: 'Camille',
      last_name: 'Customer',
      phone_numbers: [{ label: 'Work', value: '+33 1 99 00 00 00' }],
    }),
  }
  const pair = await paired(
    () => rateOf(product, '/v1/contacts', { ...request, uniqueHeader: 'Idempotency-Key' }),
    () => rateOf(product, '/v1/contacts', request),
  )
  return costRow(`POST contact with an Idempotency-Key, against one without, ${database}`, pair, 1.05)
}

async function sqliteRows(): Promise<Row[]> {
  const folder = temporaryFolder()
  await (await startProduct(folder)).stop()
  await seedContacts(folder, 10_000)
  const product = await startProduct(folder)
  try {
    const authorization = basic(readDemo(folder))
    return [...(await listRows(product, authorization)), await keyRow(product, authorization, 'SQLite')]
  } finally {
    await product.stop()
  }
}

async function postgresRows(): Promise<Row[]> {
  const server = await startPostgres(undefined, { durable: true })
  if (!server) return []
  const folder = temporaryFolder()
  const product = await startProduct(folder, { env: { DATABASE_URL: server.url } })
  try {
    return [await keyRow(product, basic(readDemo(folder)), 'PostgreSQL')]
  } finally {
    await product.stop()
    await server.stop()
  }
}

/** A page of the size that clients read most, and the largest one. */
async function listRows(product: Server, authorization: string): Promise<Row[]> {
  const rows: Row[] = []
  for (const perPage of [20, 50]) {
    const list = `/v1/contacts?per_page=${perPage}`
    const plain = { authorization, 'accept-encoding': 'identity' }
    const packed = { authorization, 'accept-encoding': 'gzip' }
    const pair = await paired(
      () => rateOf(product, list, { headers: packed }),
      () => rateOf(product, list, { headers: plain }),
    )
    const before = await bytesOf(product.url + list, plain)
    const after = await bytesOf(product.url + list, packed)
    rows.push(costRow(`compressed list of ${perPage} contacts, against one that is not`, pair, 1.1), {
      row: `compressed list of ${perPage} contacts: share of its bytes that is saved`,
      figure: `${after} bytes`,
      baseline: `${before} bytes`,
      ratio: 1 - after / before,
      aim: { atLeast: 0.6 },
    })
  }
  return rows
}

/** Of the body as it is sent; fetch counts what it unpacked, so the length is that of the header. */
async function bytesOf(url: string, headers: Record<string, string>): Promise<number> {
  const response = await fetch(url, { headers })
  const body = await response.arrayBuffer()
  return Number(response.headers.get('content-length') ?? body.byteLength)
}

async function referenceRows(): Promise<Row[]> {
  const browser = await openBrowser()
  if (!browser) return []
  const { url, stop } = await startProduct(temporaryFolder())
  const pages = ['/docs/reference', '/docs/reference/calls']
  const times = new Map<string, number[]>(pages.map((page) => [page, []]))
  const bytes = new Map<string, number>()
  for (let round = 0; round <= rounds; round++) {
    for (const path of pages) {
      const loaded = await loadPage(browser, { url, cookie: 'none=1', path, content: 'main h1' })
      // The first compresses the files.
      if (round > 0) times.get(path)?.push(loaded.interactiveMs)
      bytes.set(path, loaded.bytes)
    }
  }
  await browser.close()
  await stop()
  return pages.map((path) => {
    const ms = median(times.get(path) ?? [])
    return {
      row: `${path}, until interactive with an empty cache`,
      figure: `${milliseconds(ms)} (${((bytes.get(path) ?? 0) / 1_000).toFixed(0)} KB)`,
      aim: { atMost: 1_000, of: ms, onClock: true },
    }
  })
}

async function clientRow(): Promise<Row> {
  const { outputFiles } = await build({
    entryPoints: [`${root}/packages/client/src/index.ts`],
    bundle: true,
    minify: true,
    format: 'esm',
    write: false,
  })
  const { length } = gzipSync(outputFiles[0]?.contents ?? '')
  const { version } = JSON.parse(readFileSync(`${root}/packages/client/package.json`, 'utf8')) as { version: string }
  return {
    row: `@hookswitch/client ${version}, everything, minified and compressed`,
    figure: `${(length / 1_024).toFixed(1)} KB`,
    aim: { atMost: 15, of: length / 1_024 },
  }
}
