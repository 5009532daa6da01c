import { milliseconds, print, quantile, type Row } from './kit.ts'
import { buildProgram } from './servers.ts'
import { rings } from './web/rings.ts'
import { firstLoad } from './web/sizes.ts'

const agents = 200
const calls = 300
const kilobytes = (bytes: number) => `${(bytes / 1_000).toFixed(0)} KB`

export async function bench(): Promise<Row[]> {
  await buildProgram()
  const phone = firstLoad('phone')
  const dashboard = firstLoad('dashboard', [/\/calls-/])
  const late = await rings(agents, calls)
  print(`${late.length} rings`)
  const p99 = quantile(late, 0.99)
  return [
    {
      row: 'first load of the phone app, compressed script',
      figure: kilobytes(phone),
      aim: { atMost: 250_000, of: phone },
    },
    {
      row: 'first page of the dashboard, compressed script',
      figure: kilobytes(dashboard),
      aim: { atMost: 400_000, of: dashboard },
    },
    {
      row: `a ring, from the engine's commit to the phone app, ${agents} connected`,
      figure: `p50 ${milliseconds(quantile(late, 0.5))}, p99 ${milliseconds(p99)}`,
      aim: { atMost: 100, of: p99, onClock: true },
    },
  ]
}
