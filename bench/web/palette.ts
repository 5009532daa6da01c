import { statfs } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { startPostgres } from '../../test/kit/postgres.ts'
import { type Company, type Cost, databaseOf, openCompany } from '../growth/company.ts'
import { median, milliseconds, print, quantile, type Row } from '../kit.ts'
import { seedPalette } from './palette-seed.ts'

export type StoreKind = 'sqlite' | 'postgres'

/** What a user types: common and rare parts, the shortest, and texts without a result. */
const texts: Record<string, string> = {
  'a first name of 6,000 contacts': 'grace',
  'part of a last name': 'ralun',
  'two words': 'nora mar',
  'two frequent words, seldom together': 'nora oscar',
  'two frequent words of many contacts': 'hotel an',
  'two letters': 'an',
  'two letters of most names': 'er',
  'one letter of two words': 'a e',
  'a company': 'bookshop 123',
  'a whole number': '+33 1 91 00 07 00',
  'the last digits of a number': '4321',
  'digits of every number of a contact': '319',
  'digits of all other numbers': '+33 6 39',
  'digits in the middle': '910000',
  'a name that does not exist': 'xyzzy',
  'digits that do not exist': '987654321098',
}

const warmUp = 3

/** Disk space for a million calls with their indexes, on either database. */
const neededBytes = 6e9

interface PaletteOptions {
  store: StoreKind
  calls: number
  times: number
}

/**
 * The palette's search in a company with so many calls and a tenth as many contacts. Baseline: the demo company as it is
 * seeded, asked in turn.
 */
export async function paletteRows({ store, calls, times }: PaletteOptions): Promise<Row[]> {
  const { bavail, bsize } = await statfs(tmpdir())
  if (bavail * bsize < neededBytes) throw new Error(`${tmpdir()} has too little free space for ${calls} calls`)
  const server = store === 'postgres' ? await startPostgres() : undefined
  if (store === 'postgres' && !server) {
    print('PostgreSQL is not installed: not measured')
    return []
  }
  const open = async (name: string, rows: number, seed = seedPalette) =>
    openCompany({ rows, accounts: 0 }, { database: server && (await databaseOf(server.url, name)), seed })
  const demo = await open('demo', 0, async () => {})
  const large = await open('large', calls)
  try {
    return await searchRows(store, demo, large, times)
  } finally {
    await demo.stop()
    await large.stop()
    await server?.stop()
  }
}

async function searchRows(store: StoreKind, demo: Company, large: Company, times: number): Promise<Row[]> {
  const all: Cost[] = []
  const rows: Row[] = []
  for (const [what, text] of Object.entries(texts)) {
    const question = { what, path: `/app/v1/search?q=${encodeURIComponent(text)}`, app: true as const }
    const [few, many]: [Cost[], Cost[]] = [[], []]
    for (let n = 0; n < warmUp + times; n++) {
      const [a, b] = [await demo.ask(question), await large.ask(question)]
      if (n < warmUp) continue
      few.push(a)
      many.push(b)
    }
    all.push(...many)
    const found: Record<string, unknown[]> = JSON.parse(many[0]?.text ?? '{}')
    print(`${store}: ${what} (${text}): ${found.calls?.length} calls, ${found.contacts?.length} contacts`)
    rows.push(rowOf(`${store}: palette, ${what}`, few, many))
  }
  const p95 = quantile(
    all.map(({ clockMs }) => clockMs),
    0.95,
  )
  const row = `${store}: palette, all searches among ${large.seeding.rows.toLocaleString('en')} calls`
  return [...rows, { row, figure: `p95 ${milliseconds(p95)}`, aim: { atMost: 100, of: p95, onClock: true } }]
}

function rowOf(row: string, few: Cost[], many: Cost[]): Row {
  const cpu = (costs: Cost[]) => median(costs.map(({ ms }) => ms))
  const p95 = quantile(
    many.map(({ clockMs }) => clockMs),
    0.95,
  )
  return {
    row,
    figure: `p95 ${milliseconds(p95)}, ${milliseconds(cpu(many))} of CPU`,
    baseline: milliseconds(cpu(few)),
    ratio: cpu(many) / cpu(few),
    aim: { atMost: 100, of: p95, onClock: true },
  }
}
