import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { pipeline } from 'node:stream/promises'
import { createGzip, gzipSync } from 'node:zlib'
import { beforeAll, describe, expect, test } from 'vitest'
import { archiveMembers, checkBackup, manifestName } from '../../src/cli/archive.ts'
import { type Member, writeTar } from '../../src/cli/tar.ts'
import { emptyStore, inData, lived, newFile, ordered } from './installation.ts'
import { type Env, hookswitch } from './program.ts'
import { everything } from './tables.ts'

describe('a file that is not a whole backup', () => {
  let file = ''
  let source: Env = {}
  let target: Env = {}
  beforeAll(async () => {
    source = (await lived('embedded')).env
    file = await newFile()
    await hookswitch(['backup', file], source)
    target = await emptyStore('embedded')
    await ordered(target, 'company.create', { name: 'Mine', owner_email: 'me@mine.test' })
  })

  const cases: [title: string, spoil: (bytes: Buffer, file: string) => Promise<Buffer> | Buffer, message: RegExp][] = [
    ['cut off in the middle', (bytes) => bytes.subarray(0, bytes.length >> 1), /is damaged \(unexpected end of file\)/],
    ['cut off at the last byte', (bytes) => bytes.subarray(0, -1), /is damaged/],
    ['with one bit changed', (bytes) => flipped(bytes, bytes.length >> 1), /is damaged/],
    ['followed by another backup', (bytes) => Buffer.concat([bytes, bytes]), /is damaged/],
    ['empty', () => Buffer.alloc(0), /is not a Hookswitch backup/],
    ['of something else', () => Buffer.from('plain text'), /is not a Hookswitch backup/],
    ['compressed, but no archive', () => gzipSync(Buffer.alloc(5_000, 'x')), /is not a Hookswitch backup/],
    ['an archive of something else', () => archive([['note.txt', 'plain text']]), /is not a Hookswitch backup/],
    [
      'that wants to write elsewhere',
      (_, it) => changed(it, (all) => all.set('files/../../x', 'x')),
      /not a Hookswitch/,
    ],
    [
      'with a changed row',
      (_, it) => changed(it, edit('tables/company.ndjson', 'Demo', 'Dome')),
      /checksums do not match/,
    ],
    ['without one table', (_, it) => changed(it, (all) => all.delete('tables/user.ndjson')), /checksums do not match/],
    [
      'without its end',
      (_, it) => changed(it, (all) => all.delete(manifestName)),
      /is damaged \(unexpected end of file\)/,
    ],
    ['of a newer schema', (_, it) => changed(it, edit(manifestName, /"schema": \d+/, '"schema": 999')), /schema 999/],
    ['of a newer format', (_, it) => changed(it, edit(manifestName, '"format": 1', '"format": 2')), /newer format/],
  ]

  test.each(cases)('%s is refused, and nothing changes', async (_title, spoil, message) => {
    const spoilt = await newFile()
    writeFileSync(spoilt, await spoil(readFileSync(file), file))
    const before = readFileSync(inData(target, 'hookswitch.db'))

    const ran = await hookswitch(['restore', spoilt, '--force'], target)

    expect(ran).toMatchObject({ code: 1, stdout: '' })
    expect(ran.stderr.match(/\n/g)).toHaveLength(1)
    expect(ran.stderr).toMatch(message)
    expect(readFileSync(inData(target, 'hookswitch.db')).equals(before)).toBe(true)
  })

  test('rows that contradict each other are refused, and nothing changes', async () => {
    const contradicting = await newFile()
    writeFileSync(contradicting, await changed(file, (all) => all.set('tables/company.ndjson', ''), true))

    const ran = await hookswitch(['restore', contradicting, '--force'], target)

    expect(ran).toMatchObject({ code: 1, stdout: '' })
    expect(ran.stderr).toBe('hookswitch: the rows contradict each other; nothing was changed\n')
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
      'hookswitch: HOOKSWITCH_KEY is not the installation key of the backup; set it to that key\n',
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

const flipped = (bytes: Buffer, place: number) => {
  const copy = Buffer.from(bytes)
  copy.writeUInt8(copy.readUInt8(place) ^ 1, place)
  return copy
}

/** Sounds too, so a character stands for a byte. */
type Members = Map<string, string>

const edit = (name: string, from: string | RegExp, to: string) => (all: Members) =>
  void all.set(name, (all.get(name) ?? '').replace(from, to))

/** The backup with other contents; with an honest manifest only if asked. */
async function changed(file: string, change: (all: Members) => unknown, honest = false): Promise<Buffer> {
  const all: Members = new Map()
  for await (const { name, body } of archiveMembers(file)) {
    const parts: Buffer[] = []
    for await (const part of body) parts.push(part)
    all.set(name, Buffer.concat(parts).toString('latin1'))
  }
  change(all)
  const entries = [...all]
  // The manifest stays the last.
  entries.sort(([a], [b]) => Number(a === manifestName) - Number(b === manifestName))
  if (!honest) return archive(entries)
  const manifest = JSON.parse(all.get(manifestName) ?? '')
  for (const member of manifest.members) {
    const text = all.get(member.name) ?? ''
    member.bytes = text.length
    member.sha256 = createHash('sha256').update(text, 'latin1').digest('hex')
    if ('rows' in member) member.rows = text.split('\n').length - 1
  }
  return archive(entries.map(([name, text]) => [name, name === manifestName ? JSON.stringify(manifest) : text]))
}

async function archive(entries: [name: string, text: string][]): Promise<Buffer> {
  async function* members(): AsyncGenerator<Member> {
    for (const [name, text] of entries) {
      const bytes = Buffer.from(text, 'latin1')
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
