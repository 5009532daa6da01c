import { readdirSync, readFileSync, statSync } from 'node:fs'
import path from 'node:path'
import { beforeAll, describe, expect, inject, test } from 'vitest'
import { schemaVersion } from '../../src/db/migrate.ts'
import {
  emptyStore,
  inData,
  type Kind,
  type Lived,
  lived,
  makeOldStore,
  newFile,
  ordered,
  seeded,
  storeOf,
} from './installation.ts'
import { api, hookswitch, serve } from './program.ts'
import { everything } from './tables.ts'

describe.each<Kind>(['embedded', 'postgres'])('backup and restore, %s', (kind) => {
  const skip = kind === 'postgres' && inject('postgres') === null
  let old: Lived
  let file = ''
  beforeAll(async () => {
    if (skip) return
    old = await lived(kind)
    file = await newFile()
    expect(await hookswitch(['backup', file], storeOf(old.env))).toMatchObject({
      code: 0,
      stderr: '',
      stdout: expect.stringMatching(
        /: \d+ rows, [\d.]+ [kM]B, written and verified\. The file contains secrets: protect it\.\n$/,
      ),
    })
  })

  test.skipIf(skip)('beside a server that is being written to, nothing acknowledged before is missing', async () => {
    const env = await seeded(kind)
    const server = await serve(env)
    const call = api(server.base, JSON.parse(readFileSync(inData(env, 'demo.json'), 'utf8')))
    const file = await newFile()
    const acknowledged: string[] = []
    let writing = true
    let enough = () => {}
    const warm = new Promise<void>((resolve) => {
      enough = resolve
    })
    const write = async (writer: number) => {
      for (let i = 0; writing; i++) {
        const name = `written-${writer}-${i}`
        const phone_numbers = [{ label: 'Work', value: '+33199000909' }]
        const { status } = await call('POST', '/v1/contacts', { first_name: name, phone_numbers })
        expect(status).toBe(201)
        acknowledged.push(name)
        if (acknowledged.length === 50) enough()
      }
    }
    const writers = Promise.all([1, 2, 3].map(write))
    await Promise.race([warm, writers])

    const before = [...acknowledged]
    const made = await hookswitch(['backup', file, '--json'], storeOf(env))
    writing = false
    await writers

    expect(made).toMatchObject({ code: 0, stderr: '' })
    expect(acknowledged.length).toBeGreaterThan(before.length)
    const fresh = await emptyStore(kind)
    expect(await hookswitch(['restore', file], fresh)).toMatchObject({ code: 0, stderr: '' })
    const { contact = [], contact_phone: phones = [], contact_count: counts = [] } = await everything(fresh)
    const names = new Set(contact.map(({ first_name }) => first_name))
    expect(before.filter((name) => !names.has(name))).toEqual([])
    // One moment: a contact, its phone and the count of its day are written together.
    const written = new Set(
      contact.filter(({ first_name }) => String(first_name).startsWith('written-')).map(({ id }) => id),
    )
    expect(phones.filter(({ contact_id }) => written.has(contact_id))).toHaveLength(written.size)
    expect(counts.reduce((sum, { n }) => sum + Number(n), 0)).toBe(contact.length)
  })

  test.skipIf(skip)('an empty folder becomes the same installation, and ids go on after the highest', async () => {
    const { env, removedId } = old
    const fresh = await emptyStore(kind)

    const restored = await hookswitch(['restore', file], storeOf(fresh))

    expect(statSync(file).mode & 0o777).toBe(0o600)
    expect(readdirSync(path.dirname(file))).toEqual(['hookswitch.tar.gz'])
    expect(restored).toMatchObject({ code: 0, stderr: '' })
    expect(await everything(fresh)).toEqual(await everything(env))
    for (const name of ['demo.json', 'keys/installation.key', 'files/2026/06/greeting.mp3']) {
      expect(readFileSync(inData(fresh, name), 'utf8')).toBe(readFileSync(inData(env, name), 'utf8'))
    }
    expect(readdirSync(fresh.DATA_DIR ?? '').filter((name) => name.startsWith('restoring'))).toEqual([])
    expect(await ordered(fresh, 'numbers.add', { digits: '+33199000405', company: 1 })).toMatchObject({
      id: removedId + 1,
    })
    const server = await serve(fresh)
    const demo = JSON.parse(readFileSync(inData(env, 'demo.json'), 'utf8'))
    expect((await api(server.base, demo)('GET', '/v1/ping')).status).toBe(200)
  })

  test.skipIf(skip)('a store in use, or one that holds data, is not replaced by accident', async () => {
    const { env } = old
    await ordered(env, 'company.create', { name: 'Later', owner_email: 'l@later.test' })
    const before = await everything(env)

    const unforced = await hookswitch(['restore', file], env)
    const server = await serve(env)
    const running = await hookswitch(['restore', file, '--force'], storeOf(env))
    await server.stop()

    expect(unforced).toMatchObject({ code: 1, stderr: 'hookswitch: the store holds data; --force replaces it\n' })
    expect(running).toMatchObject({ code: kind === 'embedded' ? 78 : 1, stdout: '' })
    expect(running.stderr).toMatch(/already open in another process|a server uses the database; stop it first/)
    expect((await everything(env)).company).toEqual(before.company)

    const forced = await hookswitch(['restore', file, '--force'], env)

    expect(forced).toMatchObject({ code: 0, stderr: '' })
    expect((await everything(env)).company?.map(({ name }) => name)).toEqual(['Demo Company', 'Second Company'])
  })

  test.skipIf(skip)('a backup of an older schema is brought to this one', async () => {
    const ancient = await emptyStore(kind)
    await makeOldStore(ancient)
    const itsBackup = await newFile()
    await hookswitch(['backup', itsBackup], ancient)
    const fresh = await emptyStore(kind)

    const restored = await hookswitch(['restore', itsBackup, '--json'], fresh)

    expect(restored.json).toMatchObject({ from_schema: 1, schema: schemaVersion })
    const { company, schema_migration: migrations, number } = await everything(fresh)
    expect(company).toMatchObject([{ id: 5, name: 'Old' }])
    expect(migrations).toHaveLength(schemaVersion)
    expect(number).toEqual([])
    const next = await hookswitch(
      ['company', 'create', '--name', 'New', '--owner-email', 'n@new.test', '--json'],
      fresh,
    )
    expect(next.json.company_id).toBe(6)
  })
})

test.skipIf(inject('postgres') === null)('an installation grows up to PostgreSQL, and comes back', async () => {
  const { env, removedId } = await lived('embedded')
  const [first, second] = [await newFile(), await newFile()]
  const grown = await emptyStore('postgres')
  const back = await emptyStore('embedded')

  await hookswitch(['backup', first], env)
  const up = await hookswitch(['restore', first], grown)
  const inBetween = await everything(grown)
  await hookswitch(['backup', second], grown)
  const down = await hookswitch(['restore', second], back)

  expect([up, down]).toMatchObject([
    { code: 0, stderr: '' },
    { code: 0, stderr: '' },
  ])
  const original = await everything(env)
  expect(inBetween).toEqual(original)
  expect(await everything(back)).toEqual(original)
  for (const [store, digits] of [
    [grown, '+33199000406'],
    [back, '+33199000407'],
  ] as const) {
    expect(await ordered(store, 'numbers.add', { digits, company: 1 })).toMatchObject({ id: removedId + 1 })
  }
})

test('a backup needs an installation and a writable target', async () => {
  const env = await emptyStore('embedded')
  const nothing = await hookswitch(['backup', await newFile()], env)
  await hookswitch(['migrate'], env)
  const nowhere = await hookswitch(['backup', '/none/at/all.tar.gz'], env)

  expect(nothing).toMatchObject({ code: 78, stdout: '' })
  expect(nothing.stderr).toMatch(/^hookswitch: There is no store in \S+\. .*\n$/)
  expect(nowhere).toMatchObject({ code: 1, stderr: 'hookswitch: the directory /none/at does not exist\n' })
})
