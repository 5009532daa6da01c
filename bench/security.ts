import { randomBytes } from 'node:crypto'
import { type Timed, timingClient } from './client.ts'
import { median, milliseconds, print, type Row } from './kit.ts'
import { basic, buildProgram, readDemo, type Server, startProduct, temporaryFolder } from './servers.ts'
import { slowClientRows } from './slow-clients.ts'
import { stuffingRows } from './stuffing.ts'
import { worstInputRows } from './worst-inputs.ts'

const pairs = 2_000
const warmUp = 300

export async function bench(): Promise<Row[]> {
  await buildProgram()
  const folder = temporaryFolder()
  // With a trusted proxy each few guesses can come from an address of their own, and no throttle ends the measuring.
  const server = await startProduct(folder, { env: { TRUSTED_PROXIES: '127.0.0.1' } })
  const demo = readDemo(folder)
  const { api_id, api_token, second_company } = demo
  const authorization = basic({ api_id, api_token })
  const rows = [
    await guessingRow(server, api_id),
    ...(await foreignRows(server, authorization, basic(second_company))),
    ...(await worstInputRows(server, authorization)),
    ...(await slowClientRows(server, authorization)),
    ...(await stuffingRows(server, demo)),
  ]
  await server.stop()
  return rows
}

/** The time of a rejection must not reveal whether an api_id exists. */
async function guessingRow(server: Server, apiId: string): Promise<Row> {
  const ask = timingClient(server.url)
  const guess = (id: string, turn: number) => {
    const address = `10.${(turn >> 16) & 255}.${(turn >> 8) & 255}.${turn & 255}`
    const authorization = basic({ api_id: id, api_token: randomBytes(32).toString('hex') })
    return ask({ path: '/v1/ping', headers: { authorization, 'x-forwarded-for': address } })
  }
  const unknown = () => randomBytes(apiId.length / 2).toString('hex')
  const { a, b } = await medians(403, {
    a: (turn) => guess(unknown(), turn >> 3),
    b: (turn) => guess(apiId, turn >> 3),
  })
  print('guessing measured')
  return closeRow('unknown api_id, against a known one with a wrong token', a, b)
}

/** Another company's id must take as long as an unknown one. */
async function foreignRows(server: Server, mine: string, theirs: string): Promise<Row[]> {
  const rows: Row[] = []
  const ask = timingClient(server.url)
  for (const kind of ['contacts', 'users', 'numbers']) {
    const { text } = await ask({ path: `/v1/${kind}?per_page=1`, headers: { authorization: theirs } })
    const foreign: number = JSON.parse(text)[kind][0].id
    const headers = { authorization: mine }
    const { a, b } = await medians(404, {
      a: () => ask({ path: `/v1/${kind}/${foreign + 900}`, headers }),
      b: () => ask({ path: `/v1/${kind}/${foreign}`, headers }),
    })
    rows.push(closeRow(`unknown id of ${kind}, against another company's`, a, b))
  }
  print('foreign ids measured')
  return rows
}

type Asking = (turn: number) => Promise<Timed>

/** Both sides in turns, and which one is first changes by chance. */
async function medians(status: number, sides: { a: Asking; b: Asking }): Promise<{ a: number; b: number }> {
  const times: { a: number[]; b: number[] } = { a: [], b: [] }
  for (let turn = 0; turn < pairs + warmUp; turn++) {
    const order = Math.random() < 0.5 ? (['a', 'b'] as const) : (['b', 'a'] as const)
    for (const side of order) {
      const answer = await sides[side](turn)
      if (answer.status !== status) throw new Error(`${answer.status} instead of ${status}: ${answer.text}`)
      if (turn >= warmUp) times[side].push(answer.ms)
    }
  }
  return { a: median(times.a), b: median(times.b) }
}

const closeRow = (row: string, a: number, b: number): Row => ({
  row,
  figure: milliseconds(a),
  baseline: milliseconds(b),
  ratio: a / b,
  aim: { atMost: 1.05, of: Math.max(a / b, b / a) },
})
