import { mkdir, rename, rm, stat, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { buffer } from 'node:stream/consumers'
import type { Files } from './files.ts'
import { hashOf, randomId } from './secrets.ts'

/**
 * Prepared audio by its address, as the line carries it. It is kept in the file store, which all processes share; who
 * plays it needs a file on this machine, which is a copy.
 */
export interface SoundShelf {
  put(url: string, ulaw: Buffer): Promise<void>
  /** The file on this machine; undefined when nothing was prepared. */
  fileOf(url: string): Promise<string | undefined>
  /** Copies of other machines stay, and nobody asks for them. */
  remove(url: string): Promise<void>
}

export function createSoundShelf(files: Files, folder: string): SoundShelf {
  const placeOf = (url: string) => path.join(folder, `${hashOf(url)}.ulaw`)
  const keyOf = (url: string) => `sounds/${hashOf(url)}.ulaw`

  /** Whoever is playing the old file goes on with it. */
  async function copy(url: string, ulaw: Buffer): Promise<string> {
    const place = placeOf(url)
    const part = path.join(folder, `~${randomId()}`)
    await mkdir(folder, { recursive: true, mode: 0o700 })
    await writeFile(part, ulaw, { mode: 0o600 })
    await rename(part, place)
    return place
  }

  return {
    async remove(url) {
      await files.remove(keyOf(url))
      await rm(placeOf(url), { force: true })
    },
    async put(url, ulaw) {
      await files.put(keyOf(url), ulaw)
      await copy(url, ulaw)
    },
    async fileOf(url) {
      const place = placeOf(url)
      const isHere = await stat(place).then(
        () => true,
        () => false,
      )
      if (isHere) return place
      if ((await files.size(keyOf(url))) === undefined) return undefined
      return copy(url, await buffer(files.read(keyOf(url))))
    },
  }
}
