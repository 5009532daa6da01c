import { client } from '../../test/kit/client.ts'
import { print } from '../kit.ts'
import { basic, readDemo, type Server } from '../servers.ts'

export interface Measured {
  rows: number
  seconds: number
  /** MB above what it had before. */
  memory: number
}

const route = '/v1/analytics/report/export'
const pause = () => new Promise<void>((resolve) => setTimeout(resolve, 200))

/** Requests all calls as a client does, and watches the process until the file exists. */
export async function measureExport(product: Server, folder: string): Promise<Measured> {
  const api = client(product.url, { authorization: basic(readDemo(folder)) })
  const day = (back: number) => new Date(Date.now() - back * 86_400_000).toISOString().slice(0, 10)
  const dateFilter = { absoluteRange: { fromDate: day(175), toDate: day(0) } }
  const ask = async (filter: object) =>
    (
      await api('POST', route, {
        input: { reportName: 'CALLS_HISTORY', filter: { timezone: 'Europe/Paris', ...filter } },
      })
    ).json.exportID
  const done = async (id: string) => (await api('GET', `${route}/${id}`)).json
  // Compilers and caches first.
  const first = await ask({ dateFilter: { relative: 'TODAY' } })
  while ((await done(first)).status === 'PENDING') await pause()
  const idle = await product.memory()
  const started = performance.now()
  const id = await ask({ dateFilter })
  let most = idle
  let slowest = 0
  for (;;) {
    const asked = performance.now()
    const { status, downloadUrl } = await done(id)
    slowest = Math.max(slowest, performance.now() - asked)
    most = Math.max(most, await product.memory())
    if (status === 'PENDING') {
      await pause()
      continue
    }
    if (status !== 'COMPLETED') throw new Error('the export failed')
    const seconds = (performance.now() - started) / 1_000
    const rows = await linesAt(downloadUrl)
    print(`${rows} rows in ${seconds.toFixed(1)} s; the slowest request meanwhile took ${slowest.toFixed(0)} ms`)
    return { rows, seconds, memory: most - idle }
  }
}

/** Rows of the file, without its header. */
async function linesAt(url: string): Promise<number> {
  const answer = await fetch(url)
  let lines = 0
  for await (const part of answer.body ?? []) for (const byte of part) if (byte === 10) lines++
  return lines - 1
}
