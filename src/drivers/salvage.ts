import { readFile, rename, stat } from 'node:fs/promises'
import path from 'node:path'
import { bytesPerSecond } from '../media/g711.ts'
import { readSidecar } from '../media/raw-recording.ts'

/** What a media process had written of a recording before it exited; undefined if there is nothing. */
export async function salvage(folder: string, recId: string): Promise<{ file: string; seconds: number } | undefined> {
  // The id is read from stored state, so it is checked.
  if (!/^rec-[\w-]{1,80}$/.test(recId)) return undefined
  const file = path.join(folder, `${recId}.ulaw`)
  await rename(`${file}.part`, file).catch(() => {})
  try {
    const { channels } = readSidecar(await readFile(path.join(folder, `${recId}.json`), 'utf8'))
    const { size } = await stat(file)
    return size === 0 ? undefined : { file, seconds: size / (bytesPerSecond * channels) }
  } catch {
    return undefined
  }
}
