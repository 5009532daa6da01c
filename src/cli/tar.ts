// A minimal POSIX ustar implementation for regular files, compatible with other tar programs.

export interface Member {
  name: string
  size: number
  body: AsyncIterable<Buffer>
}

/** The data is not a complete tar file. */
export class BrokenTar extends Error {}

const blockSize = 512

export async function* writeTar(members: AsyncIterable<Member>): AsyncGenerator<Buffer> {
  for await (const { name, size, body } of members) {
    yield headerOf(name, size)
    let written = 0
    for await (const chunk of body) {
      written += chunk.length
      yield chunk
    }
    if (written !== size) throw new Error(`${name} changed during the backup`)
    yield Buffer.alloc(paddingOf(size))
  }
  yield Buffer.alloc(2 * blockSize)
}

/** Each body must be consumed or abandoned before the next member is requested. */
export async function* readTar(source: AsyncIterable<Buffer>): AsyncGenerator<Member> {
  const bytes = new Bytes(source)
  for (let block = await bytes.exactly(blockSize); !isEmpty(block); block = await bytes.exactly(blockSize)) {
    const { name, size } = readHeader(block)
    const body = bytes.next(size)
    yield { name, size, body }
    for await (const _rest of body);
    await bytes.exactly(paddingOf(size))
  }
  for await (const rest of bytes.all()) if (!isEmpty(rest)) throw new BrokenTar('unexpected data after the end')
}

const paddingOf = (size: number) => (blockSize - (size % blockSize)) % blockSize
const isEmpty = (bytes: Buffer) => bytes.every((byte) => byte === 0)

// Offset and length of the header fields.
const at = {
  name: [0, 100],
  mode: [100, 8],
  owner: [108, 8],
  group: [116, 8],
  size: [124, 12],
  time: [136, 12],
  sum: [148, 8],
  kind: [156, 1],
  magic: [257, 8],
  prefix: [345, 155],
} as const

function headerOf(path: string, size: number): Buffer {
  const block = Buffer.alloc(blockSize)
  const put = ([start, length]: readonly [number, number], text: string) => block.write(text, start, length, 'latin1')
  const octal = (length: number, value: number) => value.toString(8).padStart(length - 1, '0')
  const { prefix, name } = splitName(Buffer.from(path))
  name.copy(block, at.name[0])
  prefix.copy(block, at.prefix[0])
  put(at.mode, octal(8, 0o600))
  put(at.owner, octal(8, 0))
  put(at.group, octal(8, 0))
  if (size < 8 ** 11) put(at.size, octal(12, size))
  // Sizes beyond 8 GiB use the binary format of GNU tar.
  else {
    block.writeUInt8(0x80, at.size[0])
    block.writeBigUInt64BE(BigInt(size), at.size[0] + 4)
  }
  put(at.time, octal(12, 0))
  put(at.kind, '0')
  put(at.magic, 'ustar\x0000')
  put(at.sum, `${octal(7, sumOf(block))}\0 `)
  return block
}

/** The checksum treats its own field as spaces. */
function sumOf(block: Buffer): number {
  const [start, length] = at.sum
  let sum = 0
  for (const [place, byte] of block.entries()) sum += place >= start && place < start + length ? 0x20 : byte
  return sum
}

function splitName(path: Buffer): { prefix: Buffer; name: Buffer } {
  if (path.length <= at.name[1]) return { prefix: Buffer.alloc(0), name: path }
  const slash = path.indexOf('/', path.length - at.name[1] - 1)
  if (slash < 0 || slash > at.prefix[1]) throw new Error(`the name ${path} is too long for a backup`)
  return { prefix: path.subarray(0, slash), name: path.subarray(slash + 1) }
}

function readHeader(block: Buffer): { name: string; size: number } {
  const text = ([start, length]: readonly [number, number]) =>
    block.toString('utf8', start, start + length).replace(/\0.*$/s, '')
  if (!text(at.magic).startsWith('ustar')) throw new BrokenTar('not a tar file')
  if (Number.parseInt(text(at.sum), 8) !== sumOf(block)) throw new BrokenTar('a header is damaged')
  if (text(at.kind) !== '0') throw new BrokenTar('not a regular file')
  const [start] = at.size
  const isBinary = block.readUInt8(start) === 0x80
  const size = isBinary ? Number(block.readBigUInt64BE(start + 4)) : Number.parseInt(text(at.size), 8)
  if (!Number.isSafeInteger(size)) throw new BrokenTar('a header is damaged')
  const prefix = text(at.prefix)
  return { name: prefix ? `${prefix}/${text(at.name)}` : text(at.name), size }
}

/** Reads a stream in chunks of given sizes. */
class Bytes {
  private readonly source: AsyncIterator<Buffer>
  private rest: Buffer = Buffer.alloc(0)
  constructor(source: AsyncIterable<Buffer>) {
    this.source = source[Symbol.asyncIterator]()
  }

  async exactly(size: number): Promise<Buffer> {
    const parts: Buffer[] = []
    for await (const part of this.next(size)) parts.push(part)
    return Buffer.concat(parts)
  }

  async *next(size: number): AsyncGenerator<Buffer> {
    for (let left = size; left > 0; ) {
      const part = await this.some(left)
      if (!part) throw new BrokenTar('unexpected end of file')
      left -= part.length
      yield part
    }
  }

  async *all(): AsyncGenerator<Buffer> {
    for (let part = await this.some(); part; part = await this.some()) yield part
  }

  private async some(maxBytes = Number.POSITIVE_INFINITY): Promise<Buffer | undefined> {
    while (this.rest.length === 0) {
      const { value, done } = await this.source.next()
      if (done) return undefined
      this.rest = value
    }
    const part = this.rest.subarray(0, maxBytes)
    this.rest = this.rest.subarray(part.length)
    return part
  }
}
