import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { pipeline } from 'node:stream/promises'
import { createGzip, gzipSync } from 'node:zlib'
import { beforeAll, describe, expect, inject, test } from 'vitest'
import { checkBackup, manifestName, membersOf } from '../../src/cli/archive.ts'
import { type Member, writeTar } from '../../src/cli/tar.ts'
import { openDatabase, transaction } from '../../src/db/database.ts'
import { schemaVersion } from '../../src/db/migrate.ts'
import { up as accounts } from '../../src/db/migrations/0001_accounts.ts'
import { systemClock } from '../../src/lib/clock.ts'
import { freshPostgresUrl, temporaryFolder } from '../kit/databases.ts'
import { api, type Env, hookswitch, sandbox, serve } from './program.ts'
import { everything } from './tables.ts'

type Kind = 'embedded' | 'postgres'

async function emptyStore(kind: Kind): Promise<Env> {
  const url = kind === 'postgres' ? await freshPostgresUrl() : undefined
  return sandbox(url ? { DATABASE_URL: url } : {})
}

const inData = (env: Env, name: string) => path.join(env.DATA_DIR ?? '', name)
const newFile = async () => path.join(await temporaryFolder(), 'hookswitch.tar.gz')

/** A seeded store with a recording beside it, and a Number that was added last and removed again. */
async function lived(kind: Kind): Promise<{ env: Env; removedId: number }> {
  const env = await emptyStore(kind)
  await hookswitch(['seed'], env)
  const added = await hookswitch(['numbers', 'add', '+33199000404', '--company', '1', '--json'], env)
  await hookswitch(['numbers', 'remove', '+33199000404', '--company', '1'], env)
  mkdirSync(inData(env, 'files/2026/06'), { recursive: true })
  writeFileSync(inData(env, 'files/2026/06/greeting.mp3'), 'not really music')
  return { env, removedId: added.json.id }
}

describe.each<Kind>(['embedded', 'postgres'])('backup and restore, %s', (kind) => {
  const skip = kind === 'postgres' && inject('postgresUrl') === null

  test.skipIf(skip)('beside a server that is being written to, nothing acknowledged before is missing', async () => {
    const env = await emptyStore(kind)
    const server = await serve(env)
    const call = api(server.base, JSON.parse(readFileSync(inData(env, 'demo.json'), 'utf8')))
    const file = await newFile()
    const acknowledged: string[] = []
    let writing = true
    const write = async (writer: number) => {
      for (let i = 0; writing; i++) {
        const name = `written-${writer}-${i}`
        const phone_numbers = [{ label: 'Work', value: '+33199000909' }]
        const { status } = await call('POST', '/v1/contacts', { first_name: name, phone_numbers })
        expect(status).toBe(200)
        acknowledged.push(name)
      }
    }
    const writers = [1, 2, 3].map(write)
    while (acknowledged.length < 50) await call('GET', '/v1/ping')

    const before = [...acknowledged]
    const made = await hookswitch(['backup', file, '--json'], { ...storeOf(env) })
    writing = false
    await Promise.all(writers)

    expect(made).toMatchObject({ code: 0, stderr: '' })
    expect(acknowledged.length).toBeGreaterThan(before.length)
    const fresh = await emptyStore(kind)
    expect(await hookswitch(['restore', file], fresh)).toMatchObject({ code: 0, stderr: '' })
    const { contact = [], contact_phone: phones = [], contact_count: counts = [] } = await everything(fresh)
    const names = new Set(contact.map(({ first_name }) => first_name))
    expect(before.filter((name) => !names.has(name))).toEqual([])
    // One moment: a contact, its phone and the count of its day are written together.
    expect(phones).toHaveLength(contact.length)
    expect(counts.reduce((sum, { n }) => sum + Number(n), 0)).toBe(contact.length)
  })

  test.skipIf(skip)('an empty folder becomes the same installation, and ids go on after the highest', async () => {
    const { env, removedId } = await lived(kind)
    const file = await newFile()
    const made = await hookswitch(['backup', file], env)
    const fresh = await emptyStore(kind)

    const restored = await hookswitch(['restore', file], fresh)

    expect(made.stdout).toMatch(/: \d+ rows, \d+ kB, written and read back\. It holds secrets: keep it safe\.\n$/)
    expect(statSync(file).mode & 0o777).toBe(0o600)
    expect(readdirSync(path.dirname(file))).toEqual(['hookswitch.tar.gz'])
    expect(restored).toMatchObject({ code: 0, stderr: '' })
    expect(await everything(fresh)).toEqual(await everything(env))
    for (const name of ['demo.json', 'keys/installation.key', 'files/2026/06/greeting.mp3']) {
      expect(readFileSync(inData(fresh, name), 'utf8')).toBe(readFileSync(inData(env, name), 'utf8'))
    }
    expect(readdirSync(fresh.DATA_DIR ?? '').filter((name) => name.startsWith('restoring'))).toEqual([])
    const next = await hookswitch(['numbers', 'add', '+33199000405', '--company', '1', '--json'], fresh)
    expect(next.json.id).toBe(removedId + 1)
    const server = await serve(fresh)
    const demo = JSON.parse(readFileSync(inData(env, 'demo.json'), 'utf8'))
    expect((await api(server.base, demo)('GET', '/v1/ping')).status).toBe(200)
  })

  test.skipIf(skip)('a store in use, or one that holds data, is not replaced by accident', async () => {
    const { env } = await lived(kind)
    const file = await newFile()
    await hookswitch(['backup', file], env)
    await hookswitch(['company', 'create', '--name', 'Later', '--owner-email', 'l@later.test'], env)
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

    expect(forced.code).toBe(0)
    expect((await everything(env)).company?.map(({ name }) => name)).toEqual(['Demo Company', 'Second Company'])
  })

  test.skipIf(skip)('a backup of an older schema is brought to this one', async () => {
    const old = await emptyStore(kind)
    await makeOldStore(old)
    const file = await newFile()
    await hookswitch(['backup', file], old)
    const fresh = await emptyStore(kind)

    const restored = await hookswitch(['restore', file, '--json'], fresh)

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

test.skipIf(inject('postgresUrl') === null)('an installation grows up to PostgreSQL, and comes back', async () => {
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
    const next = await hookswitch(['numbers', 'add', digits, '--company', '1', '--json'], store)
    expect(next.json.id).toBe(removedId + 1)
  }
})

describe('a file that is not a whole backup', () => {
  let file = ''
  let source: Env = {}
  let target: Env = {}
  beforeAll(async () => {
    source = (await lived('embedded')).env
    file = await newFile()
    await hookswitch(['backup', file], source)
    target = await emptyStore('embedded')
    await hookswitch(['company', 'create', '--name', 'Mine', '--owner-email', 'me@mine.test'], target)
  })

  const cases: [title: string, spoil: (bytes: Buffer, file: string) => Promise<Buffer> | Buffer, told: RegExp][] = [
    ['cut off in the middle', (bytes) => bytes.subarray(0, bytes.length >> 1), /is damaged \(unexpected end of file\)/],
    ['cut off at the last byte', (bytes) => bytes.subarray(0, -1), /is damaged/],
    ['with one bit changed', (bytes) => flipped(bytes, bytes.length >> 1), /is damaged/],
    ['empty', () => Buffer.alloc(0), /is no Hookswitch backup/],
    ['of something else', () => Buffer.from('a letter to a friend'), /is no Hookswitch backup/],
    ['compressed, but no archive', () => gzipSync(Buffer.alloc(5_000, 'x')), /is no Hookswitch backup/],
    ['an archive of something else', () => archive([['letter.txt', 'Dear friend']]), /is no Hookswitch backup/],
    ['that wants to write elsewhere', (_, it) => changed(it, (all) => all.set('files/../../x', 'x')), /no Hookswitch/],
    ['with a changed row', (_, it) => changed(it, edit('tables/company.ndjson', 'Demo', 'Dome')), /not what they were/],
    ['without one table', (_, it) => changed(it, (all) => all.delete('tables/user.ndjson')), /not what they were/],
    ['without its end', (_, it) => changed(it, (all) => all.delete(manifestName)), /is damaged \(the end is missing\)/],
    ['of a newer schema', (_, it) => changed(it, edit(manifestName, /"schema": \d+/, '"schema": 999')), /schema 999/],
    ['of a newer format', (_, it) => changed(it, edit(manifestName, '"format": 1', '"format": 2')), /another format/],
  ]

  test.each(cases)('%s is refused, and nothing changes', async (_title, spoil, told) => {
    const spoilt = await newFile()
    writeFileSync(spoilt, await spoil(readFileSync(file), file))
    const before = readFileSync(inData(target, 'hookswitch.db'))

    const ran = await hookswitch(['restore', spoilt, '--force'], target)

    expect(ran).toMatchObject({ code: 1, stdout: '' })
    expect(ran.stderr.match(/\n/g)).toHaveLength(1)
    expect(ran.stderr).toMatch(told)
    expect(readFileSync(inData(target, 'hookswitch.db')).equals(before)).toBe(true)
  })

  test('rows that contradict each other are refused, and nothing changes', async () => {
    const contradicting = await newFile()
    writeFileSync(contradicting, await changed(file, (all) => all.set('tables/company.ndjson', ''), true))

    const ran = await hookswitch(['restore', contradicting, '--force'], target)

    expect(ran).toMatchObject({ code: 1, stdout: '' })
    expect((await everything(target)).company).toMatchObject([{ name: 'Mine' }])
    expect(readdirSync(target.DATA_DIR ?? '').filter((name) => name.startsWith('restoring'))).toEqual([])
  })

  test('a file that is not there is refused', async () => {
    const fresh = await emptyStore('embedded')

    const ran = await hookswitch(['restore', '/none/at/all'], fresh)

    expect(ran).toMatchObject({ code: 1, stderr: 'hookswitch: /none/at/all cannot be read (ENOENT)\n' })
    expect(existsSync(fresh.DATA_DIR ?? '')).toBe(false)
  })

  test('the installation key must be the one of the backup', async () => {
    const key = readFileSync(inData(source, 'keys/installation.key'), 'utf8')
    const fresh = await emptyStore('embedded')
    const other = Buffer.from(Array.from({ length: 32 }, (_, i) => i * 7)).toString('base64')

    const wrong = await hookswitch(['restore', file], { ...fresh, HOOKSWITCH_KEY: other })
    const right = await hookswitch(['restore', file], { ...fresh, HOOKSWITCH_KEY: key })

    expect(wrong).toMatchObject({ code: 78, stdout: '' })
    expect(wrong.stderr).toBe(
      'hookswitch: HOOKSWITCH_KEY is not the installation key of the backup; set it to that one\n',
    )
    expect(right.code).toBe(0)
    expect(existsSync(inData(fresh, 'keys/installation.key'))).toBe(false)
    const keyless = await newFile()
    await hookswitch(['backup', keyless], { ...fresh, HOOKSWITCH_KEY: key })
    expect((await checkBackup(keyless)).key).toBeUndefined()
    const unset = await hookswitch(['restore', keyless], await emptyStore('embedded'))
    expect(unset).toMatchObject({ code: 78, stdout: '' })
  })
})

test('there is no backup of nothing, and none that cannot be written', async () => {
  const env = await emptyStore('embedded')
  const nothing = await hookswitch(['backup', await newFile()], env)
  await hookswitch(['migrate'], env)
  const nowhere = await hookswitch(['backup', '/none/at/all.tar.gz'], env)

  expect(nothing).toMatchObject({ code: 78, stdout: '' })
  expect(nothing.stderr).toMatch(/^hookswitch: There is no store in \S+\. .*\n$/)
  expect(nowhere).toMatchObject({ code: 1, stderr: 'hookswitch: there is no folder /none/at\n' })
})

/** What the command needs of a server's settings. */
function storeOf({ DATA_DIR = '', DATABASE_URL }: Env): Env {
  return { DATA_DIR, ...(DATABASE_URL && { DATABASE_URL }) }
}

/** As the first release would have left it: one migration, one company. */
async function makeOldStore(env: Env): Promise<void> {
  const { DATA_DIR: folder = '', DATABASE_URL: url } = env
  const options = url ? { kind: 'postgres' as const, url, poolSize: 2 } : { kind: 'embedded' as const, folder }
  const database = await openDatabase(options, systemClock())
  await transaction(database.db, async (tx) => {
    await tx.schema
      .createTable('schema_migration')
      .addColumn('number', 'integer', (c) => c.primaryKey())
      .addColumn('name', 'text', (c) => c.notNull())
      .addColumn('applied_at', 'bigint', (c) => c.notNull())
      .execute()
    await accounts(tx)
    await tx.insertInto('schema_migration').values({ number: 1, name: 'accounts', applied_at: 1 }).execute()
    const flags = { whatsapp: 0, analytics_plus: 0, ai_voice_agents: 0, active: 1, verified: 1 } as const
    const plan = { plan: 'custom', ai_package: 'none', mandatory_tagging: 0, countries: null } as const
    await tx
      .insertInto('company')
      .values({ id: 5, name: 'Old', created_at: 1, ...flags, ...plan })
      .execute()
  })
  await database.close()
}

const flipped = (bytes: Buffer, place: number) => {
  const copy = Buffer.from(bytes)
  copy.writeUInt8(copy.readUInt8(place) ^ 1, place)
  return copy
}

type Members = Map<string, string>

const edit = (name: string, from: string | RegExp, to: string) => (all: Members) =>
  void all.set(name, (all.get(name) ?? '').replace(from, to))

/** The backup with other contents; with an honest manifest only if asked. */
async function changed(file: string, change: (all: Members) => unknown, honest = false): Promise<Buffer> {
  const all: Members = new Map()
  for await (const { name, body } of membersOf(file)) {
    const parts: Buffer[] = []
    for await (const part of body) parts.push(part)
    all.set(name, Buffer.concat(parts).toString())
  }
  change(all)
  const entries = [...all]
  // The manifest stays the last.
  entries.sort(([a], [b]) => Number(a === manifestName) - Number(b === manifestName))
  if (!honest) return archive(entries)
  const { createHash } = await import('node:crypto')
  const manifest = JSON.parse(all.get(manifestName) ?? '')
  for (const member of manifest.members) {
    const text = all.get(member.name) ?? ''
    member.bytes = Buffer.byteLength(text)
    member.sha256 = createHash('sha256').update(text).digest('hex')
    if ('rows' in member) member.rows = text.split('\n').length - 1
  }
  return archive(entries.map(([name, text]) => [name, name === manifestName ? JSON.stringify(manifest) : text]))
}

async function archive(entries: [name: string, text: string][]): Promise<Buffer> {
  async function* members(): AsyncGenerator<Member> {
    for (const [name, text] of entries) {
      const bytes = Buffer.from(text)
      yield {
        name,
        size: bytes.length,
        body: (async function* () {
          yield bytes
        })(),
      }
    }
  }
  const parts: Buffer[] = []
  await pipeline(writeTar(members()), createGzip(), async (chunks) => {
    for await (const chunk of chunks) parts.push(chunk)
  })
  return Buffer.concat(parts)
}
