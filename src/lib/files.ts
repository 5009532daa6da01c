import { lstat, mkdir, open, rename, rm } from 'node:fs/promises'
import path from 'node:path'
import { Readable } from 'node:stream'
import { randomId } from './secrets.ts'

/** Sounds and exports by key: what was put is whole or not there. */
export interface Files {
  put(key: string, bytes: Uint8Array): Promise<void>
  /** Something of any size, piece by piece; says how many bytes it became. */
  write(key: string, pieces: AsyncIterable<Uint8Array>): Promise<number>
  /** Undefined when there is no such file. */
  size(key: string): Promise<number | undefined>
  /** `end` is inside. */
  read(key: string, range?: Range): Readable
  /** Removing what is not there is done already. */
  remove(key: string): Promise<void>
}

interface Range {
  start: number
  end: number
}

// A key is made by us, of words and slashes; anything else would be a way out of the folder.
const keyForm = /^[a-z0-9][a-z0-9._-]*(\/[a-z0-9][a-z0-9._-]*)*$/

export function requireKey(key: string): void {
  if (!keyForm.test(key)) throw new Error('not a key of the file store')
}

/** While it is written a file has another name, which no key can have. */
export const isUnfinished = (name: string) => name.startsWith('~')

export function filesIn(folder: string): Files {
  /** Undefined when a link is in the way: whoever could make one would choose what we read. */
  async function unlinkedPlaceOf(key: string): Promise<string | undefined> {
    requireKey(key)
    let place = folder
    for (const name of key.split('/')) {
      place = path.join(place, name)
      if ((await found(place))?.isSymbolicLink()) return undefined
    }
    return place
  }

  async function placeOf(key: string): Promise<string> {
    const place = await unlinkedPlaceOf(key)
    if (place === undefined) throw new Error('a link in the file store')
    return place
  }

  async function* chunksOf(key: string, range: Range | undefined): AsyncGenerator<Buffer> {
    const file = await open(await placeOf(key), 'r')
    yield* file.createReadStream(range)
  }

  return {
    async put(key, bytes) {
      const place = await placeOf(key)
      await mkdir(path.dirname(place), { recursive: true, mode: 0o700 })
      const part = path.join(path.dirname(place), `~${randomId()}`)
      try {
        await write(part, bytes)
        await rename(part, place)
      } catch (error) {
        await rm(part, { force: true })
        throw error
      }
      await keepNames(path.dirname(place))
    },
    async write(key, pieces) {
      const place = await placeOf(key)
      await mkdir(path.dirname(place), { recursive: true, mode: 0o700 })
      const part = partOf(place)
      await rm(part, { force: true })
      try {
        const bytes = await writePieces(part, pieces)
        await rename(part, place)
        await keepNames(path.dirname(place))
        return bytes
      } catch (error) {
        await rm(part, { force: true })
        throw error
      }
    },
    async size(key) {
      const place = await unlinkedPlaceOf(key)
      const file = place === undefined ? undefined : await found(place)
      return file?.isFile() ? file.size : undefined
    },
    read: (key, range) => Readable.from(chunksOf(key, range), { objectMode: false }),
    async remove(key) {
      const place = await placeOf(key)
      // What a process was writing when it was killed.
      await rm(partOf(place), { force: true })
      await rm(place, { force: true })
    },
  }
}

const partOf = (place: string) => path.join(path.dirname(place), `~${path.basename(place)}`)

async function found(place: string) {
  try {
    return await lstat(place)
  } catch (error) {
    if (error instanceof Error && 'code' in error && (error.code === 'ENOENT' || error.code === 'ENOTDIR')) return
    throw error
  }
}

async function write(place: string, bytes: Uint8Array): Promise<void> {
  const file = await open(place, 'wx', 0o600)
  try {
    await file.writeFile(bytes)
    await file.sync()
  } finally {
    await file.close()
  }
}

async function writePieces(place: string, pieces: AsyncIterable<Uint8Array>): Promise<number> {
  const file = await open(place, 'wx', 0o600)
  try {
    let bytes = 0
    for await (const piece of pieces) {
      await file.writeFile(piece)
      bytes += piece.length
    }
    await file.sync()
    return bytes
  } finally {
    await file.close()
  }
}

/** A new name is safe from a power cut only when its folder is written, too. */
async function keepNames(folder: string): Promise<void> {
  const handle = await open(folder, 'r')
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}
