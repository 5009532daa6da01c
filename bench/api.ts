import { cpSync } from 'node:fs'
import path from 'node:path'
import { firstDocsRows } from './first-docs.ts'
import { print, type Row } from './kit.ts'
import { interleavedRates, rateOf } from './load.ts'
import { postgresWriteRows } from './postgres-writes.ts'
import { rateLimitRows } from './rate-limit.ts'
import { ratesLine, ratioRow, timesRow } from './rate-rows.ts'
import { seedContacts } from './seed.ts'
import { basic, buildProgram, readDemo, type Server, startBaseline, startProduct, temporaryFolder } from './servers.ts'
import { startUpRows } from './start-up.ts'

const list = '/v1/contacts?per_page=20'
const rounds = 7

export async function bench(): Promise<Row[]> {
  await buildProgram()
  const large = await seeded(100_000)
  const small = await seeded(10_000)
  const copy = temporaryFolder()
  cpSync(large, copy, { recursive: true })
  const rows = [
    ...(await readAndWriteRows(large, small, copy)),
    ...(await startUpRows(large)),
    ...(await firstDocsRows(large)),
  ]
  return [...rows, ...(await postgresWriteRows()), ...(await rateLimitRows())]
}

async function seeded(count: number): Promise<string> {
  const folder = temporaryFolder()
  const first = await startProduct(folder)
  await first.stop()
  await seedContacts(folder, count)
  print(`${count} contacts seeded`)
  return folder
}

async function readAndWriteRows(large: string, small: string, copy: string): Promise<Row[]> {
  const product = await startProduct(large)
  const authorization = basic(readDemo(large))
  const headers = { authorization }
  const memoryAtStart = await product.memory()
  const few = await startProduct(small)
  const headersOfFew = { authorization: basic(readDemo(small)) }
  const sql = await startBaseline('sql', { FILE: path.join(copy, 'hookswitch.db'), COMPANY: '1' })
  await sameAnswer(product, sql, headers)
  const bytes = await startBaseline('bytes', { BYTES: await textOf(product.url + list, headers) })
  print('servers are up')

  const read = await interleavedRates(rounds, {
    product: () => rateOf(product, list, { headers }),
    deep: () => rateOf(product, `${list}&page=500`, { headers }),
    few: () => rateOf(few, list, { headers: headersOfFew }),
    sql: () => rateOf(sql, list),
    bytes: () => rateOf(bytes, list),
  })
  print(`read: ${ratesLine(read)}`)

  const body = JSON.stringify({
    first_name: 'Camille',
    last_name: 'Customer',
    phone_numbers: [{ label: 'Work', value: '+33 1 99 00 00 00' }],
  })
  const json = { 'content-type': 'application/json' }
  const write = await interleavedRates(rounds, {
    product: () => rateOf(product, '/v1/contacts', { method: 'POST', body, headers: { ...headers, ...json } }),
    sql: () => rateOf(sql, '/v1/contacts', { method: 'POST', body, headers: json }),
  })
  print(`write: ${ratesLine(write)}`)
  const memoryAfter = await product.memory()
  for (const server of [product, few, sql, bytes]) await server.stop()

  return [
    ratioRow('GET page of 20, against hand-written SQL on node:http', read.product, read.sql, { atLeast: 0.6 }),
    ratioRow('GET page of 20, against node:http with the same bytes', read.product, read.bytes),
    timesRow('time of page 500, against page 1', read.deep, read.product, 1.5),
    timesRow('time with 100,000 rows, against 10,000', read.product, read.few, 1.2),
    ratioRow('POST contact, against hand-written SQL on node:http', write.product, write.sql),
    memoryRow('resident memory after the start', memoryAtStart),
    memoryRow('resident memory after the load', memoryAfter),
  ]
}

const memoryRow = (row: string, megabytes: number): Row => ({
  row,
  figure: `${Math.round(megabytes)} MB`,
  aim: { atMost: 150, of: megabytes },
})

async function textOf(url: string, headers: Record<string, string>): Promise<string> {
  return (await fetch(url, { headers })).text()
}

/** A baseline that does less work would be no baseline. */
async function sameAnswer(product: Server, sql: Server, headers: Record<string, string>): Promise<void> {
  for (const page of [1, 500]) {
    const question = `${list}&page=${page}`
    const ours = (await textOf(product.url + question, headers)).replaceAll(product.url, '')
    const theirs = (await textOf(sql.url + question, {})).replaceAll(sql.url, '')
    if (ours !== theirs) throw new Error(`the baseline answers page ${page} differently`)
  }
}
