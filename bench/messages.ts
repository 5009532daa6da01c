import path from 'node:path'
import Database from 'libsql'
import { print, type Row } from './kit.ts'
import { interleavedRates, type Rate, rateOf } from './load.ts'
import { ratesLine, ratioRow } from './rate-rows.ts'
import { basic, buildProgram, readDemo, type Server, startProduct, temporaryFolder } from './servers.ts'

const rounds = 5

/** A message from its acceptance to its delivery by the simulated carrier, events included, against a plain write. */
export async function bench(): Promise<Row[]> {
  await buildProgram()
  const folder = temporaryFolder()
  const product = await startProduct(folder)
  const demo = readDemo(folder)
  const headers = { authorization: basic(demo), 'content-type': 'application/json' }
  const [number] = demo.numbers
  if (!number) throw new Error('the demo company has Numbers')
  const contact = JSON.stringify({
    first_name: 'Camille',
    last_name: 'Customer',
    phone_numbers: [{ label: 'Work', value: '+33 1 99 00 00 00' }],
  })
  const message = JSON.stringify({ to: '+33612345678', body: 'Your table is ready at eight.' })
  const watch = await watcher(folder)
  const rates = await interleavedRates(rounds, {
    contacts: () => rateOf(product, '/v1/contacts', { method: 'POST', body: contact, headers }),
    messages: () =>
      untilDelivered(product, watch, () =>
        rateOf(product, `/v1/numbers/${number.id}/messages/native/send`, { method: 'POST', body: message, headers }),
      ),
  })
  print(`write: ${ratesLine(rates)}`)
  await watch.close()
  await product.stop()
  return [
    ratioRow(
      'a message accepted, handed over, delivered and published, against POST contact',
      rates.messages,
      rates.contacts,
      {
        atLeast: 0.5,
      },
    ),
  ]
}

/** What was accepted counts when the last of it was delivered: its CPU is all that the carrier and the events took, too. */
async function untilDelivered(product: Server, watch: Watcher, send: () => Promise<Rate>): Promise<Rate> {
  const before = await watch.accepted()
  const cpu = await product.cpuSeconds()
  const started = performance.now()
  await send()
  const accepted = (await watch.accepted()) - before
  while ((await watch.underWay()) > 0) await new Promise((resolve) => setTimeout(resolve, 50))
  const seconds = (performance.now() - started) / 1_000
  // People of the simulated network take a second to read.
  return { ofClock: accepted / (seconds - 1), ofCpu: accepted / ((await product.cpuSeconds()) - cpu) }
}

type Watcher = Awaited<ReturnType<typeof watcher>>

/** Looks into the store beside the server. */
async function watcher(folder: string) {
  const store = new Database(path.join(folder, 'hookswitch.db'), { readonly: true })
  const count = (where: string) => {
    const row = store.prepare(`select count(*) as n from message where ${where}`).get() as { n: number }
    return row.n
  }
  return {
    accepted: async () => count('1 = 1'),
    underWay: async () => count("status in ('pending', 'sent')"),
    close: async () => void store.close(),
  }
}
