import { print, type Row } from '../kit.ts'
import { basic, readDemo, type Server } from '../servers.ts'

/** Lines of the bulk export, as fast as a client takes them. */
export async function bulkRow(product: Server, folder: string, lines: number): Promise<Row> {
  const idle = await product.memory()
  const started = performance.now()
  const stop = new AbortController()
  const headers = { authorization: basic(readDemo(folder)) }
  const answer = await fetch(`${product.url}/v1/export/calls`, { headers, signal: stop.signal })
  let read = 0
  let most = idle
  let looked = started
  for await (const part of answer.body ?? []) {
    for (const byte of part) if (byte === 10) read++
    if (performance.now() - looked > 500) {
      most = Math.max(most, await product.memory())
      looked = performance.now()
    }
    if (read >= lines) break
  }
  const seconds = (performance.now() - started) / 1_000
  stop.abort()
  print(`bulk: ${read} lines in ${seconds.toFixed(1)} s, ${Math.round(most - idle)} MB above idle`)
  return {
    row: `GET /v1/export/calls, memory above idle, embedded`,
    figure: `${Math.round(read / seconds)} lines/s, ${Math.round(most - idle)} MB`,
    aim: { atMost: 200, of: most - idle },
  }
}
