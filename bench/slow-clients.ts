import path from 'node:path'
import { timingClient } from './client.ts'
import { interleaved, milliseconds, print, quantile, type Row } from './kit.ts'
import { end, root, run, type Server, untilReady } from './servers.ts'

const slowOnes = 200
const questions = 1_000

/** Clients that send headers or a body byte by byte, or nothing, must not slow down others. */
export async function slowClientRows(server: Server, authorization: string): Promise<Row[]> {
  const ask = timingClient(server.url)
  const p99 = async () => {
    const times: number[] = []
    for (let i = 0; i < questions; i++) times.push((await ask({ path: '/v1/ping', headers: { authorization } })).ms)
    return quantile(times, 0.99)
  }
  const { alone, beside } = await interleaved(7, {
    alone: p99,
    beside: async () => {
      const slow = run(
        ['--import', 'tsx', path.join(root, 'bench', 'slow-connections.ts'), server.url, String(slowOnes)],
        {},
      )
      await untilReady(slow)
      const time = await p99()
      await end(slow)
      return time
    },
  })
  print('slow clients measured')
  return [
    {
      row: `p99 of others beside ${slowOnes} slow clients, against without`,
      figure: milliseconds(beside),
      baseline: milliseconds(alone),
      ratio: beside / alone,
      aim: { atMost: 2 },
    },
  ]
}
