import { pipeline } from 'node:stream/promises'
import { extract, type Pack, pack } from 'tar-stream'

/** A regular file in an archive. */
export interface Member {
  name: string
  size: number
  body: AsyncIterable<Buffer>
}

const blockSize = 512

export async function* writeTar(members: AsyncIterable<Member>): AsyncGenerator<Buffer> {
  const archive = pack()
  const packed = packAll(archive, members).then(
    () => archive.finalize(),
    (error) => archive.destroy(error),
  )
  try {
    yield* archive as AsyncIterable<Buffer>
  } finally {
    archive.destroy()
    await packed
  }
}

async function packAll(archive: Pack, members: AsyncIterable<Member>): Promise<void> {
  // A fixed time: the archive depends on its contents only.
  const common = { type: 'file', mode: 0o600, mtime: new Date(0) } as const
  for await (const { name, size, body } of members) {
    await pipeline(body, checkSize(name, size), archive.entry({ ...common, name, size }))
  }
}

/** A header precedes its body, so a file that grows or shrinks would make the archive unreadable. */
const checkSize = (name: string, size: number) =>
  async function* (body: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
    let written = 0
    for await (const chunk of body) {
      written += chunk.length
      if (written > size) break
      yield chunk
    }
    if (written !== size) throw new Error(`${name} changed during the backup`)
  }

/** Each body is consumed completely before the next member is requested, or not at all. */
export async function* readTar(source: AsyncIterable<Buffer>): AsyncGenerator<Member> {
  const archive = extract()
  let total = 0
  let end = 0
  async function* counted(): AsyncGenerator<Buffer> {
    for await (const chunk of source) {
      total += chunk.length
      yield chunk
    }
  }
  // The iteration reports the error.
  const extracted = pipeline(counted(), archive).catch(() => {})
  try {
    for await (const entry of archive) {
      const { name, size, type } = entry.header
      if (type !== 'file') throw new Error(`${name} is not a regular file`)
      yield { name, size, body: entry as AsyncIterable<Buffer> }
      entry.resume()
      end = entry.offset + blockSize + Math.ceil(size / blockSize) * blockSize
    }
    // The library accepts an archive that lacks the empty blocks at its end.
    if (total < end + blockSize) throw new Error('unexpected end of file')
  } finally {
    archive.destroy()
    await extracted
  }
}
