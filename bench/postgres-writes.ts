import pg from 'pg'
import { startPostgres } from '../test/kit/postgres.ts'
import { print, type Row } from './kit.ts'
import { interleavedRates, rateOf } from './load.ts'
import { ratesLine, ratioRow } from './rate-rows.ts'
import { basic, readDemo, startBaseline, startProduct, temporaryFolder } from './servers.ts'

const rounds = 5

/** POST on PostgreSQL with commits that wait for the disk, against the same writes by hand; each has a database of its own. */
export async function postgresWriteRows(): Promise<Row[]> {
  const server = await startPostgres(undefined, { durable: true })
  if (!server) return []
  try {
    const folder = temporaryFolder()
    const product = await startProduct(folder, { env: { DATABASE_URL: await newDatabase(server.url, 'product') } })
    // The product's schema with the demo company and no other writers.
    const other = temporaryFolder()
    const url = await newDatabase(server.url, 'by_hand')
    await (await startProduct(other, { env: { DATABASE_URL: url } })).stop()
    const hand = await startBaseline('postgres', { URL: url, COMPANY: '1' })
    const json = { 'content-type': 'application/json' }
    const headers = { ...json, authorization: basic(readDemo(folder)) }
    const contact = {
      first_name: 'Camille',
      last_name: 'Customer',
      phone_numbers: [{ label: 'Work', value: '+33 1 99 00 00 00' }],
    }
    const body = JSON.stringify(contact)
    const subjects = {
      product: () => rateOf(product, '/v1/contacts', { method: 'POST', body, headers }),
      hand: () => rateOf(hand, '/v1/contacts', { method: 'POST', body, headers: json }),
    }
    await interleavedRates(1, subjects)
    const rates = await interleavedRates(rounds, subjects)
    print(`POST on PostgreSQL: ${ratesLine(rates)}`)
    await product.stop()
    await hand.stop()
    const row = ratioRow('POST contact on PostgreSQL with fsync, against hand-written', rates.product, rates.hand)
    const byClock = rates.product.ofClock / rates.hand.ofClock
    return [
      {
        ...row,
        figure: `${row.figure}, ${byClock.toFixed(2)} by the clock`,
        aim: { atLeast: 0.6, of: byClock, onClock: true },
      },
    ]
  } finally {
    await server.stop()
  }
}

async function newDatabase(server: string, name: string): Promise<string> {
  const client = new pg.Client({ connectionString: server })
  await client.connect()
  await client.query(`create database ${name}`)
  await client.end()
  const url = new URL(server)
  url.pathname = `/${name}`
  return url.href
}
