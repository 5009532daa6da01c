import { request } from 'node:http'
import { expect, test } from 'vitest'
import { transaction } from '../../src/db/database.ts'
import { insertContact } from '../../src/features/contacts/contacts/write-store.ts'
import { minute } from '../../src/lib/clock.ts'
import { type Answer, type Client, onAnyDatabase, type TestApp } from '../kit/app.ts'
import { addCall } from '../kit/calls.ts'
import { install, registerPartner } from '../kit/partner-app.ts'

const linesOf = ({ text }: Answer) =>
  text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line))

async function idsFrom(client: Client, kind: 'calls' | 'contacts', query = ''): Promise<number[]> {
  const answer = await client('GET', `/v1/export/${kind}${query}`)
  expect(answer.status, answer.text).toBe(200)
  const lines = linesOf(answer)
  expect(lines.at(-1)).toMatchObject({ end: true })
  return lines.slice(0, -1).map((line) => line[kind.slice(0, -1)].id)
}

async function newNumber({ a }: TestApp, digits: string): Promise<number> {
  return (await a.own('POST', '/v1/numbers', { digits, name: 'Line', validated: true })).json.number.id
}

onAnyDatabase('a bulk export', (open) => {
  test('returns every readable call as the list shows it, and resumes after any line', async () => {
    const app = await open()
    const { a, b, clock } = app
    const line = await newNumber(app, '+33199000001')
    const wall = Date.UTC(2025, 11, 15, 12)
    await addCall(app, a, { numberId: line, startedAt: wall - 1 })
    const made: number[] = []
    // Several begin in the same millisecond: their ids distinguish them.
    for (let i = 0; i < 230; i++) {
      const startedAt = wall + Math.floor(i / 4) * minute
      made.push((await addCall(app, a, { numberId: line, startedAt, userId: a.ownerId })).id)
    }

    const answer = await a.api('GET', '/v1/export/calls')
    const lines = linesOf(answer)

    expect(answer.headers.get('content-type')).toBe('application/x-ndjson')
    expect(answer.headers.get('x-hookswitchapi-limit')).not.toBeNull()
    expect(lines.slice(0, -1).map(({ call }) => call.id)).toEqual(made)
    expect(lines.at(-1)).toEqual({ cursor: lines.at(-2).cursor, end: true })
    const [first] = (await a.api('GET', '/v1/calls?per_page=1')).json.calls
    expect(lines[0].call).toEqual(first)
    for (const at of [0, 198, 199, 200, 228, 229]) {
      expect(await idsFrom(a.api, 'calls', `?cursor=${lines[at].cursor}`)).toEqual(made.slice(at + 1))
    }
    expect((await a.api('GET', '/v1/export/calls?fetch_call_timeline=true')).text).toContain('ivr_options_selected')
    expect(await idsFrom(b.api, 'calls')).toEqual([])
    for (const cursor of ['x', 'contacts.1.1', `${lines[0].cursor}.1`, 'calls.%2B.1', 'calls..']) {
      expect([cursor, (await a.api('GET', `/v1/export/calls?cursor=${cursor}`)).status]).toEqual([cursor, 400])
    }
    expect((await a.own('GET', '/v1/export/calls')).status).toBe(200)
    await clock.advance(minute)
    expect((await idsFrom(a.api, 'calls'))[0]).toBe(made[4])
  })

  test('skips no row that existed at its start, even when rows are created, changed and deleted meanwhile', async () => {
    const app = await open()
    const { a, b, db, clock } = app
    const add = (n: number, at: number) =>
      transaction(db, async (tx) => {
        const ids: number[] = []
        for (let i = 0; i < n; i++) {
          const contact = { firstName: `Person ${i}`, lastName: null, companyName: null, information: null }
          ids.push(await insertContact(tx, a.id, { ...contact, phones: [], emails: [] }, at))
        }
        return ids
      })
    const before = await add(700, clock.now() - minute)
    const lines = []
    let cursor = ''
    for (let round = 0; ; round++) {
      // As if the connection broke after some lines each time.
      const found = linesOf(await a.api('GET', `/v1/export/contacts${cursor && `?cursor=${cursor}`}`)).slice(0, 150)
      lines.push(...found.filter(({ contact }) => contact))
      const last = found.at(-1)
      if (last.end) break
      cursor = last.cursor
      await add(5, clock.now())
      const seen = lines[round]?.contact.id
      await a.api('DELETE', `/v1/contacts/${seen}`)
      await a.api('POST', `/v1/contacts/${before.at(-1 - round)}`, { first_name: 'Changed' })
    }

    const ids = lines.map(({ contact }) => contact.id)
    expect(new Set(ids).size).toBe(ids.length)
    expect(before.filter((id) => !ids.includes(id))).toEqual([])
    expect(lines.some(({ contact }) => contact.first_name === 'Changed')).toBe(true)
    expect(await idsFrom(b.api, 'contacts')).toEqual([])
  })

  test('for an integration restricted to some Numbers contains only their calls', async () => {
    const app = await open()
    const { a } = app
    const [mine, other] = [await newNumber(app, '+33199000001'), await newNumber(app, '+33199000002')]
    const call = await addCall(app, a, { numberId: mine })
    const another = await addCall(app, a, { numberId: other })
    const partner = await registerPartner(app, a, { name: 'Partner' })
    const { api } = await install(app, a, partner)

    const all = await idsFrom(api, 'calls')
    const { id } = (await api('GET', '/v1/integrations/me')).json.integration
    expect((await a.own('PUT', `/v1/integrations/${id}`, { number_ids: [mine] })).status).toBe(200)
    const some = await idsFrom(api, 'calls')

    expect(all.toSorted()).toEqual([call.id, another.id].toSorted())
    expect(some).toEqual([call.id])
    expect(await idsFrom(a.api, 'calls')).toHaveLength(2)
  })

  test('runs at most twice at a time, and a client that disconnects frees its slot', async () => {
    const app = await open()
    const { a, base, db, clock } = app
    // More than fits into the buffers of two sockets.
    const contact = { firstName: 'A', lastName: null, companyName: null, information: 'x'.repeat(20_000) }
    await transaction(db, async (tx) => {
      for (let i = 0; i < 1_000; i++) await insertContact(tx, a.id, { ...contact, phones: [], emails: [] }, clock.now())
    })
    const authorization = `Basic ${Buffer.from(`${a.apiId}:${a.apiToken}`).toString('base64')}`
    /** Takes the first bytes and nothing more. */
    const slow = () =>
      new Promise<() => void>((resolve, reject) => {
        const asked = request(`${base}/v1/export/contacts`, { headers: { authorization } }, (response) => {
          response.once('readable', () => resolve(() => void asked.destroy()))
        })
        asked.on('error', () => {})
        asked.once('close', reject)
        asked.end()
      })

    const [first, second] = await Promise.all([slow(), slow()])
    const third = await a.api('GET', '/v1/export/calls')
    first()
    let fourth = await a.api('GET', '/v1/export/calls')
    while (fourth.status === 429) fourth = await a.api('GET', '/v1/export/calls')
    second()

    expect([third.status, third.headers.get('retry-after'), fourth.status]).toEqual([429, '5', 200])
  })
})
