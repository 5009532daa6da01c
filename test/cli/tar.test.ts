import { execFile } from 'node:child_process'
import { createReadStream } from 'node:fs'
import { readFile, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { promisify } from 'node:util'
import { createGunzip } from 'node:zlib'
import { expect, test } from 'vitest'
import { type Member, readTar, writeTar } from '../../src/cli/tar.ts'
import { temporaryFolder } from '../kit/databases.ts'

async function* members(...all: [name: string, body: Buffer][]): AsyncGenerator<Member> {
  for (const [name, body] of all) yield { name, size: body.length, body: pieces(body, 1_000) }
}

async function* pieces(bytes: Buffer, size: number): AsyncGenerator<Buffer> {
  for (let start = 0; start < bytes.length; start += size) yield bytes.subarray(start, start + size)
}

async function read(tar: AsyncIterable<Buffer>): Promise<[name: string, body: Buffer][]> {
  const found: [string, Buffer][] = []
  for await (const { name, body } of readTar(tar)) {
    const parts: Buffer[] = []
    for await (const part of body) parts.push(part)
    found.push([name, Buffer.concat(parts)])
  }
  return found
}

async function written(tar: AsyncIterable<Buffer>): Promise<Buffer> {
  const parts: Buffer[] = []
  for await (const part of tar) parts.push(part)
  return Buffer.concat(parts)
}

test('files of any size and name are restored from chunks of any size', async () => {
  const all: [string, Buffer][] = [
    ['empty', Buffer.alloc(0)],
    ['files/grüße.txt', Buffer.from('hello')],
    ['exactly-one-block', Buffer.alloc(512, 'x')],
    [`files/${'folder/'.repeat(20)}recording.mp3`, Buffer.alloc(5_000, 'y')],
  ]
  const tar = await written(writeTar(members(...all)))

  for (const size of [1, 511, 512, 513, 100_000]) expect(await read(pieces(tar, size))).toEqual(all)
})

test('a member beyond 8 GiB keeps its size', async () => {
  const size = 9 * 2 ** 30
  const tar = writeTar(
    (async function* () {
      yield { name: 'huge', size, body: pieces(Buffer.alloc(1), 1) }
    })(),
  )

  for await (const member of readTar(tar)) {
    expect([member.name, member.size]).toEqual(['huge', size])
    break
  }
})

test('a file that changes during the backup is detected', async () => {
  async function* wrong(): AsyncGenerator<Member> {
    yield { name: 'growing', size: 3, body: pieces(Buffer.from('more'), 10) }
  }

  await expect(written(writeTar(wrong()))).rejects.toThrow('growing changed during the backup')
})

const long = `files/${'x'.repeat(300)}/${'folder/'.repeat(40)}recording.mp3`

test('names of any length and script are kept', async () => {
  const all: [string, Buffer][] = [
    [long, Buffer.from('long')],
    ['files/Ελληνικά/日本語.mp3', Buffer.from('unicode')],
  ]

  expect(await read(writeTar(members(...all)))).toEqual(all)
})

test('an archive of the previous writer is read', async () => {
  const tar = createReadStream(path.join(import.meta.dirname, 'own-tar-writer.tar.gz')).pipe(createGunzip())

  expect(await read(tar)).toEqual([
    ['tables/company.ndjson', Buffer.from('{"id":1}\n')],
    ['empty', Buffer.alloc(0)],
    ['files/grüße.txt', Buffer.from('hello')],
    ['exactly-one-block', Buffer.alloc(512, 'x')],
    [`files/${'folder/'.repeat(20)}recording.mp3`, Buffer.alloc(5_000, 'y')],
  ])
})

test('the header of a member beyond 8 GiB by the previous writer is read', async () => {
  const size = 9 * 2 ** 30
  const header = Buffer.alloc(512)
  header.write('huge')
  header.writeUInt8(0x80, 124)
  header.writeBigUInt64BE(BigInt(size), 128)
  header.write('0ustar\x0000', 156)
  header.copyWithin(257, 157, 165).fill(0, 157, 165)
  header.write('        ', 148)
  const sum = header.reduce((total, byte) => total + byte, 0)
  header.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148)

  for await (const member of readTar(pieces(Buffer.concat([header, Buffer.alloc(1_024)]), 512))) {
    expect([member.name, member.size]).toEqual(['huge', size])
    break
  }
})

test('the system tar extracts what was written', async () => {
  const folder = await temporaryFolder()
  const file = path.join(folder, 'backup.tar')
  const names = ['files/a.mp3', `files/${'folder/'.repeat(20)}b.mp3`, `files/${'y'.repeat(200)}.mp3`, 'files/grüße.txt']
  await writeFile(
    file,
    await written(writeTar(members(...names.map((name, i): [string, Buffer] => [name, Buffer.alloc(i * 700, 'z')])))),
  )

  await promisify(execFile)('tar', ['-xf', file, '-C', folder])

  for (const [i, name] of names.entries()) {
    expect(await readFile(path.join(folder, name))).toEqual(Buffer.alloc(i * 700, 'z'))
  }
})

test('an archive made by the system tar is read', async () => {
  const folder = await temporaryFolder()
  await writeFile(path.join(folder, 'a.txt'), 'hello')
  for (const format of ['gnu', 'pax', 'ustar']) {
    await promisify(execFile)('tar', ['-cf', 'a.tar', `--format=${format}`, 'a.txt'], { cwd: folder })

    expect(await read(createReadStream(path.join(folder, 'a.tar')))).toEqual([['a.txt', Buffer.from('hello')]])
  }
})

test('members that are not consumed are skipped', async () => {
  const tar = writeTar(members(['a', Buffer.alloc(200_000)], ['b', Buffer.from('bee')], ['c', Buffer.alloc(3)]))
  const found: string[] = []

  for await (const { name } of readTar(tar)) found.push(name)

  expect(found).toEqual(['a', 'b', 'c'])
})

test('an archive that is truncated anywhere is refused', async () => {
  // Zeros at the end of a member must not pass for the end of the archive.
  const tar = await written(writeTar(members(['a', Buffer.alloc(2_000)], ['b', Buffer.alloc(1_024)])))
  const end = tar.length - 1_024

  for (let length = 0; length < end + 512; length += 128) {
    await expect(read(pieces(tar.subarray(0, length), 1_000)), `${length} bytes`).rejects.toThrow(/unexpected end/i)
  }
  expect(await read(pieces(tar.subarray(0, end + 512), 1_000))).toHaveLength(2)
})

test('a damaged header, data after the end and members that are no files are refused', async () => {
  const tar = await written(writeTar(members(['a', Buffer.alloc(10)])))
  const damaged = Buffer.from(tar).fill('b', 0, 1)
  const folder = await temporaryFolder()
  await promisify(execFile)('sh', ['-c', 'ln -s /etc/passwd link && tar -cf link.tar link'], { cwd: folder })

  await expect(read(pieces(damaged, 512))).rejects.toThrow('Invalid tar header')
  await expect(read(pieces(Buffer.concat([tar, Buffer.alloc(700, 'x')]), 512))).rejects.toThrow('Invalid tar header')
  await expect(read(createReadStream(path.join(folder, 'link.tar')))).rejects.toThrow('not a regular file')
})

test('an error of the source or of a body is the error of the reader', async () => {
  async function* breaking(): AsyncGenerator<Buffer> {
    yield Buffer.alloc(100, 'x')
    throw new Error('the disk failed')
  }
  async function* member(): AsyncGenerator<Member> {
    yield { name: 'a', size: 1_000, body: breaking() }
  }
  const tar = await written(writeTar(members(['a', Buffer.alloc(5_000)])))
  async function* half(): AsyncGenerator<Buffer> {
    yield tar.subarray(0, 1_000)
    throw new Error('the disk failed')
  }

  await expect(written(writeTar(member()))).rejects.toThrow('the disk failed')
  await expect(read(half())).rejects.toThrow('the disk failed')
})

test('a reader that stops ends the members and the source', async () => {
  let open = 0
  async function* counted(): AsyncGenerator<Member> {
    open++
    try {
      for (const name of ['a', 'b']) yield { name, size: 1_000_000, body: pieces(Buffer.alloc(1_000_000), 1_000) }
    } finally {
      open--
    }
  }

  for await (const _chunk of writeTar(counted())) break

  expect(open).toBe(0)
})
