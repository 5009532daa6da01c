import { readdir, readFile, rm, stat } from 'node:fs/promises'
import path from 'node:path'
import { type Clock, day } from '../../../lib/clock.ts'
import { readSidecar, type Sidecar, sidesOf } from '../../../media/raw-recording.ts'

// Raw recordings of the media process: µ-law audio with a timing sidecar. Simulated calls leave a `.score` file
// instead: a scripted recording.

export const isRaw = (source: string) => source.endsWith('.ulaw')

const sidecarOf = (source: string) => source.replace(/\.ulaw$/, '.json')

export const readSidecarOf = async (source: string): Promise<Sidecar> =>
  readSidecar(await readFile(sidecarOf(source), 'utf8'))

/** Undefined if the file is gone. */
export async function readRaw(source: string): Promise<{ sidecar: Sidecar; sides: Int16Array[] } | undefined> {
  const raw = await readFile(source).catch(absent)
  if (!raw) return undefined
  const sidecar = await readSidecarOf(source)
  return { sidecar, sides: sidesOf(raw, sidecar.channels) }
}

export async function deleteSource(source: string): Promise<void> {
  await rm(source, { force: true })
  if (isRaw(source)) await rm(sidecarOf(source), { force: true })
}

const keptMs = 30 * day

/**
 * Deletes raw audio whose conversion failed for good, and scripted recordings of deleted calls. Uses the system clock,
 * like the files.
 */
export async function deleteOldRecordings(folder: string, clock: Clock): Promise<void> {
  for (const name of (await readdir(folder).catch(absent)) ?? []) {
    const file = path.join(folder, name)
    const found = await stat(file).catch(absent)
    if (found?.isFile() && found.mtimeMs < clock.machineNow() - keptMs) await rm(file, { force: true })
  }
}

export function absent(error: NodeJS.ErrnoException): undefined {
  if (error.code !== 'ENOENT') throw error
}
