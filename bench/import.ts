import { readFileSync } from 'node:fs'
import path from 'node:path'
import { importedHistoryMs, listImports } from '../src/features/imports/runs/run.ts'
import { createSourceClient } from '../src/features/imports/source/client.ts'
import { countSource } from '../src/features/imports/source/counts.ts'
import { minute, systemClock } from '../src/lib/clock.ts'
import { createSafeFetch } from '../src/lib/safe-fetch.ts'
import { print, type Row } from './kit.ts'
import { buildProgram, startProduct, temporaryFolder } from './servers.ts'

// Share of the source's rate limit that an import uses: requests in two whole minutes against a server with the default
// limit of 120 per minute. An import is bound by its requests, so the bench sends those of its counts.

const limitPerMinute = 120
const minutes = 2

export async function bench(): Promise<Row[]> {
  await buildProgram()
  const dataDir = temporaryFolder()
  const server = await startProduct(dataDir, { env: { RATE_LIMIT_PER_MINUTE: String(limitPerMinute) } })
  const clock = systemClock()
  const http = createSafeFetch({ clock, loopback: true, allowRanges: [], ownNames: [], ownPorts: [], trusted: true })
  try {
    const { api_id: apiId, api_token: apiToken } = JSON.parse(readFileSync(path.join(dataDir, 'demo.json'), 'utf8'))
    const source = createSourceClient({ http, clock, access: { url: server.url, apiId, apiToken } })
    await nextMinute()
    const before = source.requests()
    const until = clock.machineNow() + minutes * minute - 1_000
    while (clock.machineNow() < until) await countSource(source, listImports, clock.now() - importedHistoryMs)
    const share = (source.requests() - before) / (limitPerMinute * minutes)
    print('rate limit of a source measured')
    return [
      {
        row: 'import: share of the source’s rate limit used',
        figure: `${Math.round(share * 100)} %`,
        ratio: share,
        aim: { atLeast: 0.9 },
      },
    ]
  } finally {
    await http.close()
    await server.stop()
  }

  async function nextMinute(): Promise<void> {
    const left = minute - (clock.machineNow() % minute)
    await new Promise((resolve) => setTimeout(resolve, left))
  }
}
