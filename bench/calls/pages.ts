import path from 'node:path'
import { timingClient } from '../client.ts'
import { median, milliseconds, print, quantile, type Row } from '../kit.ts'
import { interleavedRates, rateOf } from '../load.ts'
import { ratesLine, ratioRow, timesRow } from '../rate-rows.ts'
import { basic, readDemo, type Server, startBaseline, startProduct, temporaryFolder } from '../servers.ts'
import { type Rare, seedCalls } from './seed.ts'

const list = '/v1/calls?per_page=20'

export interface PageSizes {
  many: number
  few: number
  rounds: number
  searches: number
}

/** How long a page of calls and a search take, however many calls there are. */
export async function pageRows({ many, few, rounds, searches }: PageSizes): Promise<Row[]> {
  const large = await seeded(many)
  const small = await seeded(few)
  const product = await startProduct(large.folder)
  const headers = { authorization: basic(readDemo(large.folder)) }
  const little = await startProduct(small.folder)
  const headersOfLittle = { authorization: basic(readDemo(small.folder)) }
  // It only reads, so it may look at the same file.
  const sql = await startBaseline('calls', { FILE: path.join(large.folder, 'hookswitch.db'), COMPANY: '1' })
  await sameAnswer(product, sql, headers)
  const subjects = {
    product: () => rateOf(product, list, { headers }),
    few: () => rateOf(little, list, { headers: headersOfLittle }),
    sql: () => rateOf(sql, list),
  }
  // Fresh from the start, most of the time goes to compilers.
  await interleavedRates(1, subjects)
  const read = await interleavedRates(rounds, subjects)
  print(`list: ${ratesLine(read)}`)
  const found = await searchRows(product, headers, large.rare, many, searches)
  for (const server of [product, little, sql]) await server.stop()
  const [m, f] = [many.toLocaleString('en'), few.toLocaleString('en')]
  return [
    timesRow(`time of a page of 20 calls with ${m} calls, against ${f}`, read.product, read.few, 1.5),
    ratioRow(`GET page of 20 of ${m} calls, against hand-written SQL on node:http`, read.product, read.sql, {
      atLeast: 0.5,
    }),
    ...found,
  ]
}

async function seeded(count: number): Promise<{ folder: string; rare: Rare }> {
  const folder = temporaryFolder()
  const first = await startProduct(folder)
  await first.stop()
  const begin = performance.now()
  const rare = await seedCalls(folder, count)
  print(`${count} calls seeded in ${((performance.now() - begin) / 1_000).toFixed(1)} s`)
  return { folder, rare }
}

type Headers = Record<string, string>

async function searchRows(product: Server, headers: Headers, rare: Rare, many: number, times: number): Promise<Row[]> {
  const ask = timingClient(product.url)
  const search = async (what: string, query: string): Promise<Row> => {
    const question = { path: `/v1/calls/search?per_page=20&${query}`, headers }
    const taken: number[] = []
    let total = 0
    for (let n = 0; n < times; n++) {
      const { ms, status, text } = await ask(question)
      if (status !== 200) throw new Error(`the search answered ${status}: ${text}`)
      total = JSON.parse(text).meta.total
      taken.push(ms)
    }
    if (total === 0) throw new Error(`nothing was found by ${query}`)
    const p50 = median(taken)
    return {
      row: `search ${what}, ${total} of ${many.toLocaleString('en')} calls, p50`,
      figure: `${milliseconds(p50)} (p99 ${milliseconds(quantile(taken, 0.99))})`,
      aim: { atMost: 5, of: p50, onClock: true },
    }
  }
  return [
    await search('by phone', `phone_number=${encodeURIComponent(rare.phone)}`),
    await search('by a rare tag', `tags=${rare.tagId}`),
  ]
}

const textOf = async (url: string, headers: Headers) => (await fetch(url, { headers })).text()

/** A baseline that does less work would be no baseline. Only the signatures of sounds differ: each has its own key. */
async function sameAnswer(product: Server, sql: Server, headers: Headers): Promise<void> {
  for (const page of [1, 2, 50, 500]) {
    const question = `${list}&page=${page}`
    const [ours = '', theirs = ''] = [
      await textOf(product.url + question, headers),
      (await textOf(sql.url + question, {})).replaceAll(sql.url, product.url),
    ].map((text) => text.replaceAll(/\?expires=[^"]*/g, ''))
    if (ours !== theirs) throw new Error(`the baseline answers page ${page} differently\n${ours}\n${theirs}`)
  }
}
