import path from 'node:path'
import { parseArgs } from 'node:util'
import { startPostgres } from '../test/kit/postgres.ts'
import { type Company, type Cost, databaseOf, openCompany } from './growth/company.ts'
import { type Question, questions } from './growth/questions.ts'
import { median, milliseconds, print, quantile, type Row } from './kit.ts'
import { buildProgram } from './servers.ts'

type StoreKind = 'sqlite' | 'postgres'

const warmUp = 5

/**
 * What every list, filter and search costs a company with a million rows of each kind, against one with ten thousand: CPU
 * of the product's main thread and of the database, because the clock of a busy machine says nothing.
 */
export async function bench(): Promise<Row[]> {
  const { values } = parseArgs({
    args: process.argv.slice(3),
    options: {
      store: { type: 'string' },
      rows: { type: 'string', default: '1000000' },
      times: { type: 'string', default: '15' },
      only: { type: 'string', default: '' },
      // Both keep the seeded rows for the next run: the folder of the data, and for PostgreSQL a server of one's own.
      keep: { type: 'string' },
      server: { type: 'string' },
    },
  })
  await buildProgram()
  const stores = (values.store ? [values.store] : ['sqlite', 'postgres']) as StoreKind[]
  const rows: Row[] = []
  const { keep, server, only } = values
  for (const store of stores)
    rows.push(
      ...(await benchStore({ store, keep, server, only, many: Number(values.rows), times: Number(values.times) })),
    )
  return rows
}

interface Options {
  store: StoreKind
  many: number
  times: number
  only: string
  keep?: string | undefined
  server?: string | undefined
}

async function benchStore({ store, many, times, only, keep, server: own }: Options): Promise<Row[]> {
  const temporary = store === 'postgres' && !own ? await startPostgres() : undefined
  const server = own ?? temporary?.url
  if (store === 'postgres' && !server) throw new Error('PostgreSQL is not installed')
  const open = async (name: string, rows: number, accounts: number) =>
    openCompany(
      { rows, accounts },
      {
        folder: keep && path.join(keep, `${store}-${name}-${rows}`),
        database: store === 'postgres' && server ? await databaseOf(server, `growth_${name}_${rows}`) : undefined,
      },
    )
  const small = await open('small', 10_000, 200)
  const large = await open('large', many, Math.max(200, Math.round(many / 100)))
  try {
    const rows: Row[] = []
    const ofSmall = questions(small.seeding)
    for (const [index, question] of questions(large.seeding).entries()) {
      if (!new RegExp(only).test(question.what)) continue
      const few = ofSmall[index]
      if (!few) throw new Error('both companies are asked the same')
      rows.push(await rowFor(store, [small, large], [few, question], times))
    }
    return rows
  } finally {
    await small.stop()
    await large.stop()
    await temporary?.stop()
  }
}

/** A failed request is a row that misses its aim; the others are still measured. */
async function rowFor(store: StoreKind, companies: Company[], asked: Question[], times: number): Promise<Row> {
  const what = asked[0]?.what ?? ''
  try {
    const costs = await measure(companies, asked, times)
    return rowOf(store, what, costs[0] ?? [], costs[1] ?? [])
  } catch (error) {
    print(`${store}: ${what}: ${String(error)}`)
    return { row: `${store}: ${what}`, figure: 'failed', aim: { atMost: 2, of: Number.POSITIVE_INFINITY } }
  }
}

type Costs = Pick<Cost, 'ms' | 'blockedMs' | 'total'>[]

/** In turn, so that other load on the machine affects both. */
async function measure(companies: Company[], asked: Parameters<Company['ask']>[0][], times: number): Promise<Costs[]> {
  const costs: Costs[] = companies.map(() => [])
  for (let n = 0; n < warmUp + times; n++) {
    for (const [i, company] of companies.entries()) {
      const question = asked[i]
      if (!question) continue
      const cost = await company.ask(question)
      if (n >= warmUp) costs[i]?.push(cost)
    }
  }
  return costs
}

function rowOf(store: StoreKind, what: string, few: Costs, many: Costs): Row {
  const [small, large] = [median(few.map(({ ms }) => ms)), median(many.map(({ ms }) => ms))]
  const blocked = quantile(
    many.map(({ blockedMs }) => blockedMs),
    0.9,
  )
  const [found, foundByFew] = [many[0]?.total, few[0]?.total].map((total) => total?.toLocaleString('en'))
  const totals = found === undefined ? '' : ` (${found} of them, against ${foundByFew})`
  const isBlocking = blocked > 20
  print(`${store}: ${what}: ${milliseconds(large)} against ${milliseconds(small)}`)
  return {
    row: `${store}: ${what}${totals}`,
    figure: `${milliseconds(large)}, blocks ${milliseconds(blocked)}`,
    baseline: milliseconds(small),
    ratio: large / small,
    aim: isBlocking ? { atMost: 20, of: blocked } : { atMost: 2 },
  }
}
