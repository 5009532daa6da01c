import { mkdir, rename, rm, stat, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { buffer } from 'node:stream/consumers'
import type { Files } from './files.ts'
import { hashOf, randomId } from './secrets.ts'

/**
 * Audio converted for playback in calls, by URL. It is stored in the shared file store; playback needs a local copy.
 */
export interface AudioCache {
  put(url: string, ulaw: Buffer): Promise<void>
  /** The local file; undefined when the audio has not been prepared. */
  fileOf(url: string): Promise<string | undefined>
  /** Copies on other machines stay, unused. */
  remove(url: string): Promise<void>
}

export function createAudioCache(files: Files, folder: string): AudioCache {
  const placeOf = (url: string) => path.join(folder, `${hashOf(url)}.ulaw`)
  const keyOf = (url: string) => `sounds/${hashOf(url)}.ulaw`

  /** Replaces the file by rename: a playback in progress keeps reading the old one. */
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
