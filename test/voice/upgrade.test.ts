import { sql } from 'kysely'
import { describe, expect, inject, onTestFinished, test } from 'vitest'
import { openDatabase } from '../../src/db/database.ts'
import { systemClock } from '../../src/lib/clock.ts'
import { freshPostgresUrl } from '../kit/databases.ts'
import { nextJobKind, nextRelease } from '../kit/next-release.ts'
import { previousRelease } from '../kit/previous-release.ts'
import { receiver } from '../kit/receiver.ts'
import { programOf, type ServerProcess } from '../kit/server-process.ts'
import { addHook } from '../kit/webhooks.ts'
import { command } from './call-centre.ts'
import { goesOn, openUpgradeOffice } from './upgrade-office.ts'

// Processes of two releases take turns during a call. The previous release comes from the history of the repository; the next
// one is this one with a migration, a kind of job and a version of its own.

const historyIsMissing = 'the history of the repository is missing'

test('a server of the previous release is stopped and this one started: calls go on, on the line node that was started before', async ({
  skip,
}) => {
  const office = await openUpgradeOffice(previousRelease() ?? skip(historyIsMissing))
  const { previous, talk } = office
  const node = await programOf('line-node', office)
  const before = await dataOf(previous)

  await previous.end('SIGTERM')
  const next = await office.start()

  await goesOn(next, talk)
  expect(await programOf('line-node', office)).toBe(node)
  expect(await dataOf(next)).toMatchObject(before)
  await office.closed(next)
})

describe.skipIf(inject('postgres') === null)('on PostgreSQL', () => {
  test('a server of this release joins one of the previous release and takes its calls over', async ({ skip }) => {
    const sources = previousRelease() ?? skip(historyIsMissing)
    const office = await openUpgradeOffice(sources, await freshPostgresUrl())
    const { previous, talk } = office
    const before = await dataOf(previous)

    const next = await office.start()
    await command({ base: next.base, a: office.companyAt(next) }, talk.userId, 'mute')
    await command({ base: previous.base, a: office.companyAt(previous) }, talk.userId, 'unmute')
    expect(await dataOf(next)).toMatchObject(before)
    await previous.end('SIGTERM')

    await goesOn(next, talk)
    await office.closed(next)
  })

  test('a rolling upgrade to the next release and back: both stay ready, calls go on, and work is done once', async ({
    skip,
  }) => {
    const databaseUrl = (await freshPostgresUrl()) ?? skip('PostgreSQL is missing')
    const office = await openUpgradeOffice(undefined, databaseUrl)
    const { previous: older, talk } = office
    const inbox = await receiver()
    await addHook(older.a.api, inbox, ['contact.created', 'contact.updated'])
    const { db, close } = await openDatabase({ kind: 'postgres', url: databaseUrl, poolSize: 2 }, systemClock())
    onTestFinished(close)

    const newer = await office.start(nextRelease())
    expect(await readiness(older)).toEqual([200, expect.stringMatching(/^degraded: of a newer release/)])
    expect(await readiness(newer)).toEqual([200, 'ok'])

    // Both carry the call.
    await command({ base: newer.base, a: newer.a }, talk.userId, 'mute')
    await command({ base: older.base, a: older.a }, talk.userId, 'unmute')
    await goesOn(newer, talk)

    // What one has written, the other reads and changes.
    const created = await Promise.all(
      Array.from({ length: 20 }, (_, index) => addContact(index % 2 === 0 ? older : newer, `Caller ${index}`)),
    )
    await sql`update contact set next_release_state = 'seen' where id = ${created[0]}`.execute(db)
    for (const [index, id] of created.entries()) {
      const other = index % 2 === 0 ? newer : older
      expect((await other.a.api('GET', `/v1/contacts/${id}`)).json.contact).toMatchObject({
        first_name: `Caller ${index}`,
      })
      expect(await other.a.api('POST', `/v1/contacts/${id}`, { last_name: 'Changed' })).toMatchObject({ status: 200 })
    }
    expect(await statesOf(created)).toEqual(['seen', ...Array(19).fill('unset')])

    // A kind of job that the older process does not know is left to the newer one, also while it is away.
    await newer.end('SIGTERM')
    const now = Date.now()
    const job = { kind: nextJobKind as never, run_at: now, attempts: 0, leased_until: 0, lease_token: null }
    await db
      .insertInto('job')
      .values([1, 2, 3].map((n) => ({ ...job, key: `next-${n}`, payload: JSON.stringify({ n }) })))
      .execute()
    await addContact(older, 'In between')
    await inbox.until((got) => got.some(({ body }) => body.data.first_name === 'In between'))
    expect(await runs()).toEqual([])
    const again = await office.start(nextRelease())
    await expect.poll(runs).toHaveLength(3)
    expect(new Set(await runs())).toEqual(new Set([1, 2, 3].map((n) => `{"n":${n}} ${again.child.pid}`)))

    // The upgrade is complete, then the way back: this release starts on the schema of the next one.
    await older.end('SIGTERM')
    await goesOn(again, talk)
    const back = await office.start()
    expect(await readiness(back)).toEqual([200, expect.stringMatching(/^degraded: of a newer release/)])
    await again.end('SIGTERM')
    await goesOn(back, talk)
    await addContact(back, 'After the way back')

    await inbox.until((got) => got.length >= 42)
    await expect.poll(openJobs).toEqual([])
    const delivered = inbox.got.map(({ body }) => `${body.event} ${body.data.id}`)
    expect(delivered).toHaveLength(42)
    expect(new Set(delivered).size).toBe(42)
    expect(await runs()).toHaveLength(3)
    expect(await statesOf(created)).toEqual(['seen', ...Array(19).fill('unset')])
    await office.closed(back)

    async function statesOf(ids: number[]) {
      const { rows } = await sql<{ id: number; state: string }>`
        select id, next_release_state as state from contact where id in (${sql.join(ids)})`.execute(db)
      const states = new Map(rows.map(({ id, state }) => [id, state]))
      return ids.map((id) => states.get(id))
    }
    async function runs() {
      const { rows } = await sql<{
        run: string
      }>`select payload || ' ' || process as run from next_release_run`.execute(db)
      return rows.map(({ run }) => run)
    }
    async function openJobs() {
      const due = db.selectFrom('job').select(['kind', 'last_error']).where('run_at', '<=', Date.now())
      return due.execute()
    }
  })
})

let contacts = 0

async function addContact({ a }: ServerProcess, first_name: string): Promise<number> {
  const phone_numbers = [{ label: 'Work', value: `+1415555${1_000 + contacts++}` }]
  const { status, json, text } = await a.api('POST', '/v1/contacts', { first_name, phone_numbers })
  expect(status, text).toBe(201)
  return json.contact.id
}

async function readiness({ base }: ServerProcess): Promise<[status: number, schema: unknown]> {
  const response = await fetch(`${base}/readyz`)
  const { checks } = (await response.json()) as { checks: Record<string, unknown> }
  return [response.status, checks.schema]
}

/** What the API returns of the demo company, without the addresses of files, which expire. */
async function dataOf({ a }: ServerProcess) {
  const lists = ['users', 'teams', 'tags', 'numbers', 'contacts', 'calls', 'webhooks']
  const answers = await Promise.all(lists.map((name) => a.api('GET', `/v1/${name}?per_page=50`)))
  return JSON.parse(
    JSON.stringify(
      answers.map(({ json }) => json),
      (_key, value) => (typeof value === 'string' && value.startsWith('http') ? undefined : value),
    ),
  )
}
