import { seedCalls } from './calls/seed.ts'
import { bulkRow } from './exports/bulk.ts'
import { plainExport, plainExportOfServer } from './exports/plain.ts'
import { type Measured, measureExport } from './exports/product.ts'
import { seedServer } from './exports/seed-server.ts'
import { print, type Row } from './kit.ts'
import { buildProgram, startProduct, temporaryFolder } from './servers.ts'

const isQuick = process.argv.includes('--quick')
const many = isQuick ? 50_000 : 1_000_000
const maxSeconds = 60
const maxMemory = 200

/** A million calls as a file: how long, how much memory, and how much slower than a loop written by hand. */
export async function bench(): Promise<Row[]> {
  await buildProgram()
  return [...(await onEmbedded()), ...(await onServer())]
}

async function onEmbedded(): Promise<Row[]> {
  const folder = temporaryFolder()
  await (await startProduct(folder)).stop()
  const started = performance.now()
  await seedCalls(folder, many)
  print(`embedded: ${many} calls seeded in ${secondsSince(started)} s`)
  const plain = await plainExport(folder)
  print(`embedded: ${plain.rows} rows by hand in ${plain.seconds.toFixed(1)} s`)
  const product = await startProduct(folder)
  const measured = await measureExport(product, folder)
  const bulk = await bulkRow(product, folder, Math.min(many, 200_000))
  await product.stop()
  return [...rowsFor('embedded', measured, plain), bulk]
}

async function onServer(): Promise<Row[]> {
  const folder = temporaryFolder()
  const server = await seedServer(folder, many)
  if (!server) {
    print('PostgreSQL is not there: left out')
    return []
  }
  try {
    const plain = await plainExportOfServer(server.url)
    print(`PostgreSQL: ${plain.rows} rows by hand in ${plain.seconds.toFixed(1)} s`)
    const product = await startProduct(folder, { env: { DATABASE_URL: server.url } })
    const measured = await measureExport(product, folder)
    await product.stop()
    return rowsFor('PostgreSQL', measured, plain)
  } finally {
    await server.stop()
  }
}

function rowsFor(store: string, measured: Measured, plain: { rows: number; seconds: number }): Row[] {
  const { rows, seconds, memory } = measured
  const [rate, byHand] = [rows / seconds, plain.rows / plain.seconds]
  const calls = `${rows.toLocaleString('en')} calls, ${store}`
  return [
    {
      row: `CALLS_HISTORY of ${calls}, against a SELECT written to CSV by hand`,
      figure: `${Math.round(rate)} rows/s`,
      baseline: `${Math.round(byHand)} rows/s`,
      ratio: rate / byHand,
      aim: { atLeast: 0.5 },
    },
    {
      row: `time for ${calls}`,
      figure: `${seconds.toFixed(1)} s`,
      ...(isQuick ? {} : { aim: { atMost: maxSeconds, of: seconds, onClock: true } }),
    },
    {
      row: `memory above idle, ${store}`,
      figure: `${Math.round(memory)} MB`,
      aim: { atMost: maxMemory, of: memory },
    },
  ]
}

const secondsSince = (started: number) => ((performance.now() - started) / 1_000).toFixed(1)
