import { type Question, timingClient } from './client.ts'
import { median, milliseconds, print, type Row } from './kit.ts'
import type { Server } from './servers.ts'

const repeats = 15
const mebibyte = 1_048_576

/** The worst a request may hold, against an ordinary mistake on the same route. */
export async function worstInputRows(server: Server, authorization: string): Promise<Row[]> {
  const ask = timingClient(server.url)
  const rows: Row[] = []
  for (const { name, ordinary, worst } of cases) {
    const send = async (question: Question) => {
      const headers = { authorization, 'content-type': 'application/json' }
      const answer = await ask({ ...question, headers })
      if (answer.status < 400 || answer.status > 499) throw new Error(`${name} was answered with ${answer.status}`)
      return answer.ms
    }
    const times: { ordinary: number[]; worst: number[] } = { ordinary: [], worst: [] }
    await send(worst)
    await maxBlock(server)
    for (let i = 0; i < repeats; i++) {
      times.ordinary.push(await send(ordinary))
      times.worst.push(await send(worst))
    }
    const blocked = await maxBlock(server)
    const [slow, usual] = [median(times.worst), median(times.ordinary)]
    rows.push({
      row: `${name} (event loop blocked ${Math.round(blocked)} ms at most)`,
      figure: milliseconds(slow),
      baseline: milliseconds(usual),
      ratio: slow / usual,
      aim: { atMost: 50, of: blocked, onClock: true },
    })
  }
  print('worst inputs measured')
  return rows
}

/** Since the last time it was asked, from the product's own metrics; they look every 10 ms, so that much may be added. */
async function maxBlock(server: Server): Promise<number> {
  const text = await (await fetch(`${server.url}/metrics`)).text()
  return Number(/eventloop_lag_max_seconds ([\d.e-]+)/.exec(text)?.[1]) * 1_000
}

interface Case {
  name: string
  ordinary: Question
  worst: Question
}

const post = (path: string, body: unknown): Question => ({
  method: 'POST',
  path,
  body: typeof body === 'string' ? body : JSON.stringify(body),
})

const contact = (value: string) => ({ phone_numbers: [{ label: 'Work', value }] })
const ordinaryContact = post('/v1/contacts', contact('no digits'))
const user = (email: string) => ({ email, first_name: 'A', last_name: 'B', availability_status: 'available' })
const ordinaryUser = post('/v1/users', user('no address'))

/** As many as fit into a body. */
const filled = (each: (i: number) => string) => {
  const parts: string[] = []
  for (let i = 0, size = 0; size < mebibyte - 1_000; i++) {
    const part = each(i)
    size += part.length + 1
    parts.push(part)
  }
  return parts.join(',')
}

const cases: Case[] = [
  {
    name: 'body of 1 MiB with very many keys',
    ordinary: ordinaryContact,
    worst: post('/v1/contacts', `{${filled((i) => `"k${i}":0`)}}`),
  },
  {
    name: 'body of 1 MiB with as many keys as are read',
    ordinary: ordinaryContact,
    worst: post('/v1/contacts', `{${Array.from({ length: 19_999 }, (_, i) => `"${String(i).padStart(46, 'k')}":0`)}}`),
  },
  {
    name: 'body of 1 MiB nested as deep as it goes',
    ordinary: ordinaryContact,
    worst: post('/v1/contacts', `{"a":${'['.repeat(500_000)}${']'.repeat(500_000)}}`),
  },
  {
    name: 'body of 1 MiB with very many phone numbers',
    ordinary: ordinaryContact,
    worst: post('/v1/contacts', `{"phone_numbers":[${filled(() => '{"label":"","value":""}')}]}`),
  },
  {
    name: 'body over 1 MiB',
    ordinary: ordinaryContact,
    worst: post('/v1/contacts', JSON.stringify(contact('1'.repeat(2 * mebibyte)))),
  },
  {
    name: 'phone number of 1 MiB',
    ordinary: ordinaryContact,
    worst: post('/v1/contacts', contact('1'.repeat(mebibyte - 200))),
  },
  {
    name: 'e-mail address of 1 MiB',
    ordinary: ordinaryUser,
    worst: post('/v1/users', user(`${'a.'.repeat((mebibyte - 400) / 2)}@b`)),
  },
  {
    name: 'query of 15 KiB with very many parameters',
    ordinary: { path: '/v1/contacts?per_page=0' },
    worst: { path: `/v1/contacts?${'page=1&'.repeat(2_100)}per_page=0` },
  },
  {
    name: 'query with a very long e-mail address',
    ordinary: { path: '/v1/contacts?email=%20' },
    worst: { path: `/v1/contacts?email=${'%61'.repeat(4_800)}` },
  },
]
