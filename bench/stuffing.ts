import { randomBytes } from 'node:crypto'
import { type Timed, timingClient } from './client.ts'
import { milliseconds, print, quantile, type Row } from './kit.ts'
import type { Demo, Server } from './servers.ts'

const honest = 60
const parallel = 40

/** Latency of sign-ins during credential stuffing, from one address and from very many. */
export async function stuffingRows(server: Server, { users }: Demo): Promise<Row[]> {
  const alone = await honestP95(server, users, 1)
  const rows: Row[] = []
  const places = { 'one address': () => '198.51.100.7', 'ever new addresses': newAddress }
  for (const [from, address] of Object.entries(places)) {
    const stop = stuff(server, users, address)
    const p95 = await honestP95(server, users, 2)
    const { tries, refused } = await stop()
    print(`stuffing from ${from} measured: ${tries} tries, ${refused} of them answered 429`)
    rows.push({
      row: `log-in p95 beside ${parallel} stuffers from ${from}, in ms`,
      figure: milliseconds(p95),
      baseline: milliseconds(alone),
      ratio: p95 / alone,
      aim: { atMost: 1_000, of: p95, onClock: true },
    })
  }
  return rows
}

const newAddress = () => `10.${[...randomBytes(3)].join('.')}`

function signIn(ask: ReturnType<typeof timingClient>, server: Server, who: Login, address: string): Promise<Timed> {
  const headers = { origin: server.url, 'content-type': 'application/json', 'x-forwarded-for': address }
  const { email, password } = who
  return ask({ method: 'POST', path: '/app/v1/session', headers, body: JSON.stringify({ email, password }) })
}

type Login = Pick<Demo['users'][number], 'email' | 'password'>

/** One after the other, each from an address of their own. */
async function honestP95(server: Server, users: Demo['users'], network: number): Promise<number> {
  const ask = timingClient(server.url)
  const times: number[] = []
  for (let i = 0; i < honest; i++) {
    const who = users[i % users.length]
    if (!who) throw new Error('the demo has people')
    const answer = await signIn(ask, server, who, `172.16.${network}.${i}`)
    if (answer.status !== 200) throw new Error(`${answer.status} instead of 200: ${answer.text}`)
    times.push(answer.ms)
  }
  return quantile(times, 0.95)
}

/** Real names with wrong passwords, as fast as they are answered. */
function stuff(server: Server, users: Demo['users'], address: () => string) {
  let isOver = false
  let tries = 0
  let refused = 0
  const work = Array.from({ length: parallel }, async (_, i) => {
    const ask = timingClient(server.url)
    while (!isOver) {
      const email = users[(tries + i) % users.length]?.email ?? ''
      const { status } = await signIn(ask, server, { email, password: randomBytes(8).toString('hex') }, address())
      tries++
      if (status === 429) refused++
    }
  })
  return async () => {
    isOver = true
    await Promise.all(work)
    return { tries, refused }
  }
}
