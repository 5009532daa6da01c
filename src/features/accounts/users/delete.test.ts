import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { onAnyDatabase, type TestApp, testApp } from '../../../../test/kit/app.ts'
import type { Db } from '../../../db/database.ts'
import { day, minute } from '../../../lib/clock.ts'

const canary = { email: 'Zenobia.Quux@canary.test', first_name: 'Zenobia', last_name: 'Quuxington' }
const traces = /zenobia|quux|canary\.test/i

/** Somebody who left traces wherever one can: a team, Numbers, events of all kinds, hours, a session, a mail. */
async function wellKnownPerson({ a, clock, events }: TestApp) {
  const { user } = (await a.api('POST', '/v2/users', { ...canary, role_ids: ['admin', 'agent'] })).json
  const { team } = (await a.api('POST', '/v1/teams', { name: 'Support' })).json
  await a.api('POST', `/v1/teams/${team.id}/users/${user.id}`)
  const input = { digits: '+33180000001', name: 'Line', time_zone: 'Etc/UTC', flow_editor_enabled: false }
  const { number } = (await a.own('POST', '/v1/numbers', input)).json
  await a.own('PUT', `/v1/numbers/${number.id}/users`, { user_ids: [user.id, a.ownerId] })
  await a.own('PUT', `/v1/numbers/${number.id}/opening_hours`, { hours: { mon: [['08:00', '12:30']] } })
  await a.own('PUT', `/v1/users/${user.id}/working_hours`, { hours: { mon: [['09:00', '18:00']] } })
  await a.api('PUT', `/v2/users/${user.id}`, { availability_status: 'unavailable', substatus: 'other' })
  await a.api('PUT', `/v2/users/${user.id}`, { availability_status: 'custom' })
  await clock.advance(30 * minute)
  const closed = (await events(a)).find(({ name }) => name === 'number.closed')
  expect(closed?.data.users).toMatchObject([{ id: a.ownerId }, { email: canary.email }])
  return { id: user.id as number, teamId: team.id as number, numberId: number.id as number }
}

/** Every row of every table, as text. */
async function dump(db: Db): Promise<string[]> {
  const tables = await db.introspection.getTables()
  const rows = await Promise.all(
    tables.map(async ({ name }) => {
      const found = await sql`select * from ${sql.table(name)}`.execute(db)
      return found.rows.map((row) => `${name} ${JSON.stringify(row)}`)
    }),
  )
  return rows.flat()
}

const tracesIn = async (db: Db) => (await dump(db)).filter((row) => traces.test(row))

onAnyDatabase('deleting users', (open) => {
  test('a deleted user is gone for every read at once, and the address is free again', async () => {
    const world = await open()
    const { a } = world
    const { id, teamId, numberId } = await wellKnownPerson(world)

    const deleted = await a.api('DELETE', `/v1/users/${id}`)

    expect([deleted.status, deleted.text]).toEqual([204, ''])
    for (const ref of [id, encodeURIComponent(canary.email)]) {
      for (const target of [`/v1/users/${ref}`, `/v2/users/${ref}`, `/v1/users/${ref}/availability`]) {
        expect((await a.api('GET', target)).status).toBe(404)
      }
      expect((await a.api('PUT', `/v2/users/${ref}`, { first_name: 'Back' })).status).toBe(404)
      expect((await a.api('DELETE', `/v1/users/${ref}`)).status).toBe(404)
    }
    expect((await a.api('GET', '/v2/users')).json.meta.total).toBe(1)
    expect((await a.api('GET', '/v1/company')).json.company.users_count).toBe(1)
    expect((await a.api('GET', `/v1/teams/${teamId}`)).json.team.users).toEqual([])
    const { number } = (await a.api('GET', `/v1/numbers/${numberId}`)).json
    expect(number.users.map((user: { id: number }) => user.id)).toEqual([a.ownerId])
    const again = await a.api('POST', '/v2/users', canary)
    expect(again.status).toBe(201)
    expect(again.json.user.id).not.toBe(id)
  })

  test('user.deleted has the whole user, once in each version', async () => {
    const world = await open()
    const { a, events } = world
    const { id } = await wellKnownPerson(world)
    const v1 = (await a.api('GET', `/v1/users/${id}`)).json.user
    const v2 = (await a.api('GET', `/v2/users/${id}`)).json.user

    await a.api('DELETE', `/v1/users/${id}`)

    const farewells = (await events(a)).filter(({ name }) => name.startsWith('user.deleted'))
    expect(farewells).toMatchObject([
      { name: 'user.deleted', data: v1 },
      { name: 'user.deleted.v2', data: v2 },
    ])
    expect(farewells[0]?.data.numbers[0].e164_digits).toBe('+33180000001')
  })

  test('after the job no table has the user’s data, except an undelivered user.deleted for up to 14 days', async () => {
    const world = await open()
    const { a, app, db, clock, events } = world
    const { id } = await wellKnownPerson(world)
    const hook = { url: 'https://away.example.com/', events: ['user.deleted', 'user.deleted.v2'] }
    const { webhook_id } = (await a.api('POST', '/v1/webhooks', hook)).json.webhook
    await a.api('DELETE', `/v1/users/${id}`)
    await a.api('PUT', `/v1/webhooks/${webhook_id}?events_action=add`, { active: false })

    await app.settle()
    const left = await tracesIn(db)
    await clock.advance(14 * day - 1)
    const lastDay = await tracesIn(db)
    await clock.advance(1)

    expect(left.map((row) => /"name":"([\w.]+)"/.exec(row)?.[1]).sort()).toEqual(['user.deleted', 'user.deleted.v2'])
    expect(lastDay).toEqual(left)
    expect(await tracesIn(db)).toEqual([])
    const about = (await events(a)).filter(({ name, data }) => name.startsWith('user.') && data.id === id)
    expect(about.map(({ name }) => name)).toEqual([
      'user.created',
      'user.created.v2',
      'user.closed',
      'user.closed.v2',
      'user.closed',
      'user.closed.v2',
      'user.opened',
      'user.opened.v2',
      'user.deleted',
      'user.deleted.v2',
    ])
    for (const { name, data } of about) {
      expect(data).toMatchObject({ id, name: 'Deleted user', email: `deleted-user-${id}@redacted.invalid` })
      expect(data).toHaveProperty('availability_status')
      if (!name.endsWith('.v2')) expect(data.numbers).toBeInstanceOf(Array)
    }
    expect(world.logged()).not.toMatch(/zenobia|quux/i)
  })

  test('when user.deleted is delivered to every webhook, or there is none, its data is erased too', async () => {
    const world = await open()
    const { a, app, db, clock } = world
    const { id } = await wellKnownPerson(world)
    await a.api('DELETE', `/v1/users/${id}`)
    await app.settle()
    expect(await tracesIn(db)).toHaveLength(2)

    await clock.advance(minute)

    expect(await tracesIn(db)).toEqual([])
  })

  test('deleting one person leaves the others as they are', async () => {
    const world = await open()
    const { a, app, db } = world
    const { id } = await wellKnownPerson(world)
    const others = async () => (await dump(db)).filter((row) => /company-a|company-b/.test(row)).sort()
    const before = await others()

    await a.api('DELETE', `/v1/users/${id}`)
    await app.settle()

    expect((await others()).map(withoutUsers)).toEqual(before.map(withoutUsers))
    expect((await a.own('GET', '/v1/mail_outbox')).json.mails).toHaveLength(1)
  })
})

/** Number events name their linked users; those of the deleted one are what may differ. */
const withoutUsers = (row: string) => row.replace(/\\"users\\":\[.*?\]/, '').replace(/"redacted_at":\w+/, '')

const occurrences = (text: string, word: string) => text.split(word).length - 1

/** Where the person's data is found, with the bytes around it: files are too long for a message. */
const foundIn = (text: string) =>
  [...text.matchAll(/zenobia|quuxington|canary\.test/gi)].map(({ index }) =>
    text.slice(Math.max(0, index - 200), index + 50).replace(/[^\x20-\x7e]+/g, ' '),
  )

function rawFiles(folder: string): string {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile())
  return files.map((entry) => readFileSync(path.join(entry.parentPath, entry.name), 'latin1')).join('\n')
}

test('the files of the embedded store keep nothing of an erased person either', async () => {
  const world = await testApp()
  const { a, app, db, clock, dataDir } = world
  // Company around the person, so that pages of the file fill and split.
  for (let i = 0; i < 30; i++) {
    await a.api('POST', '/v2/users', { email: `n${i}@example.test`, first_name: 'N'.repeat(99), last_name: 'N' })
    if (i === 15) await wellKnownPerson(world)
  }
  const checkpoint = async () => {
    const { rows } = await sql`pragma wal_checkpoint(truncate)`.execute(db)
    expect(rows).toMatchObject([{ busy: 0 }])
  }
  await checkpoint()
  const before = rawFiles(dataDir)

  await a.api('DELETE', `/v1/users/${encodeURIComponent(canary.email)}`)
  await app.settle()
  await checkpoint()
  const erased = rawFiles(dataDir)
  await clock.advance(14 * day)
  await checkpoint()

  expect(occurrences(before, canary.last_name)).toBeGreaterThan(6)
  expect(occurrences(erased, canary.last_name)).toBe(2)
  expect(occurrences(erased, canary.email)).toBe(2)
  expect(foundIn(rawFiles(dataDir))).toEqual([])
})
