import { timingClient } from './client.ts'
import { milliseconds, type Row } from './kit.ts'
import { type Server, startProduct } from './servers.ts'

/** What the first reader of the documentation costs: CPU of the server, and how long another request waits meanwhile. */
export async function firstDocsRows(dataDir: string): Promise<Row[]> {
  const product = await startProduct(dataDir)
  const ping = timingClient(product.url)
  for (let n = 0; n < 50; n++) await ping({ path: '/healthz' })
  const before = { cpu: await product.cpuSeconds(), memory: await product.memory() }
  const reading = firstReader(product)
  let longest = 0
  let isRead = false
  const done = reading.then(() => {
    isRead = true
  })
  while (!isRead) longest = Math.max(longest, (await ping({ path: '/healthz' })).ms)
  await done
  const cpu = (await product.cpuSeconds()) - before.cpu
  const memory = (await product.memory()) - before.memory
  await product.stop()
  return [
    {
      row: 'first GET of /docs, /docs/reference and /openapi.json: the longest another request waits',
      figure: `${milliseconds(longest)} (${milliseconds(cpu * 1_000)} of CPU, ${Math.round(memory)} MB)`,
      aim: { atMost: 20, of: longest, onClock: true },
    },
  ]
}

async function firstReader(product: Server): Promise<void> {
  for (const address of ['/docs', '/docs/reference', '/openapi.json']) {
    await (await fetch(product.url + address, { headers: { 'accept-encoding': 'gzip' } })).arrayBuffer()
  }
}
