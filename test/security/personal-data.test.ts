import { readdirSync, readFileSync, utimesSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'
import { deleteOldRecordings } from '../../src/features/intelligence/results/raw-audio.ts'
import { day, hour } from '../../src/lib/clock.ts'
import { monday, onAnyDatabase, type TestApp, testApp } from '../kit/app.ts'
import { addCall } from '../kit/calls.ts'
import { temporaryFolder } from '../kit/databases.ts'
import { tableRules } from './personal-data.ts'

const words = (text = '') => text.split(' ').filter(Boolean)

onAnyDatabase('personal data', (open) => {
  test('every column of every table is listed, and every table with personal data has its two rules', async () => {
    const { db } = await open()
    const stored = new Map<string, string[]>()
    for (const { name, columns } of await db.introspection.getTables()) {
      stored.set(
        name,
        columns.map((column) => column.name),
      )
    }

    const listed = Object.entries(tableRules).map(([table, { personal, other }]): [string, string[]] => [
      table,
      [...words(personal), ...words(other)],
    ])
    const withoutRules = Object.entries(tableRules).filter(
      ([, { personal, retention, erasure }]) => words(personal).length > 0 && !(retention && erasure),
    )

    expect(sorted(listed), 'complete test/security/personal-data.ts').toEqual(sorted([...stored]))
    expect(withoutRules).toEqual([])
  })

  test('expired data is deleted: dialled numbers, emails, failed jobs, callbacks, called numbers', async () => {
    const world = await open()
    await storeOldAndNew(world)

    await world.clock.advance(25 * hour)

    expect(await phonesLeft(world)).toEqual({
      dialled: ['+33199000002'],
      mail: ['new@example.test'],
      job: ['new'],
      callback_request: ['+33199000002'],
      dialer_number: ['+33199000002', '+33199000003'],
    })
  })
})

test('the page about compliance lists every table with personal data, and its rules', () => {
  const page = readFileSync(new URL('../../docs/pages/compliance.md', import.meta.url), 'utf8')
  const shown = [...page.matchAll(/^\| `(\w+)` \| (.+) \| (.+) \| (.+) \|$/gm)].map((row) => row.slice(1))

  const expected = Object.entries(tableRules)
    .filter(([, { personal }]) => words(personal).length > 0)
    .map(([table, { personal, retention, erasure }]) => [
      table,
      words(personal)
        .map((column) => `\`${column}\``)
        .join(', '),
      retention,
      erasure,
    ])
    .toSorted(([one = ''], [other = '']) => (one < other ? -1 : 1))

  expect(shown).toEqual(expected)
})

test('raw audio that was never converted is deleted after 30 days', async () => {
  const { clock } = await testApp()
  const folder = await temporaryFolder()
  const at = (name: string, age: number) => {
    const file = path.join(folder, name)
    writeFileSync(file, 'sound')
    utimesSync(file, new Date(clock.machineNow() - age), new Date(clock.machineNow() - age))
    return file
  }
  at('old.ulaw', 31 * day)
  at('new.ulaw', 29 * day)

  await deleteOldRecordings(folder, clock)
  await deleteOldRecordings(path.join(folder, 'missing'), clock)

  expect(readdirSync(folder)).toEqual(['new.ulaw'])
})

const sorted = (tables: readonly [string, string[]][]) =>
  tables.map(([table, columns]) => `${table}: ${columns.toSorted().join(' ')}`).toSorted()

async function storeOldAndNew(world: TestApp) {
  const { db, a } = world
  const company_id = a.id
  const [old, recent] = ['+33199000001', '+33199000002']
  const dialled = { company_id, user_id: null, trunk_id: null, price: 0 }
  const longAgo = monday - 3 * day
  await db
    .insertInto('dialled')
    .values([
      { ...dialled, call_key: 'old', phone: old, begun_at: longAgo, ended_at: longAgo },
      { ...dialled, call_key: 'lost', phone: old, begun_at: monday - 10 * day, ended_at: null },
      { ...dialled, call_key: 'new', phone: recent, begun_at: monday, ended_at: monday },
    ])
    .execute()
  const mail = { company_id, user_id: null, subject: 's', text_sealed: 'v1.', sent_at: null, error: null }
  await db.deleteFrom('mail').execute()
  await db
    .insertInto('mail')
    .values([
      { ...mail, recipient: 'old@example.test', created_at: monday - 91 * day },
      { ...mail, recipient: 'new@example.test', created_at: monday - 80 * day },
    ])
    .execute()
  const job = { kind: 'password.reset', payload: '{}', run_at: 0, attempts: 9, leased_until: 0, lease_token: null }
  await db
    .insertInto('job')
    .values([
      { ...job, key: 'old', last_error: 'x', failed_at: monday - 31 * day },
      { ...job, key: 'new', last_error: 'x', failed_at: monday - 20 * day },
    ])
    .execute()
  const made = await a.own('POST', '/v1/numbers', { digits: '+33199000101', name: 'Line' })
  const number_id = made.json.number.id as number
  const { id: callId } = await addCall(world, a, { numberId: number_id })
  const request = { company_id, call_id: callId, number_id, targets: '[]', state: 'done' as const, rank: 1 }
  const more = { attempts_left: 0, retry_seconds: 60, next_at: 0 }
  await db
    .insertInto('callback_request')
    .values([
      { ...request, ...more, id: 'old', phone: old, entered_at: longAgo, expires_at: monday - 31 * day },
      { ...request, ...more, id: 'new', phone: recent, entered_at: longAgo, expires_at: monday - day },
    ])
    .execute()
  const campaign = { company_id, user_id: a.ownerId, number_id, active: 1 as const, created_at: 1 }
  const { id: campaign_id } = await db
    .insertInto('dialer_campaign')
    .values(campaign)
    .returning('id')
    .executeTakeFirstOrThrow()
  const entry = { campaign_id, company_id }
  await db
    .insertInto('dialer_number')
    .values([
      { ...entry, number: old, called: 1, created_at: monday - 250 * day },
      { ...entry, number: recent, called: 1, created_at: monday - 30 * day },
      { ...entry, number: '+33199000003', called: 0, created_at: monday - 250 * day },
    ])
    .execute()
}

async function phonesLeft({ db }: TestApp) {
  const dialled = await db.selectFrom('dialled').select('phone').execute()
  const mails = await db.selectFrom('mail').select('recipient').execute()
  const jobs = await db.selectFrom('job').select('key').where('kind', '=', 'password.reset').execute()
  const callbacks = await db.selectFrom('callback_request').select('phone').execute()
  const numbers = await db.selectFrom('dialer_number').select('number').orderBy('number').execute()
  return {
    dialled: dialled.map(({ phone }) => phone),
    mail: mails.map(({ recipient }) => recipient),
    job: jobs.map(({ key }) => key),
    callback_request: callbacks.map(({ phone }) => phone),
    dialer_number: numbers.map(({ number }) => number),
  }
}
