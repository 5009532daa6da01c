import { expect, test } from 'vitest'
import { type Member, readTar, writeTar } from '../../src/cli/tar.ts'

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

test('what was written comes back, whatever its size, its name and the pieces it arrives in', async () => {
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
    expect(member.size).toBe(size)
    break
  }
})

test('a file that changes during the backup is detected', async () => {
  async function* wrong(): AsyncGenerator<Member> {
    yield { name: 'growing', size: 3, body: pieces(Buffer.from('more'), 10) }
  }

  await expect(written(writeTar(wrong()))).rejects.toThrow('growing changed during the backup')
})

test('a name that does not fit is refused', async () => {
  const tar = writeTar(members(['x'.repeat(300), Buffer.alloc(0)]))

  await expect(written(tar)).rejects.toThrow('too long for a backup')
})
