import { mkdir, rename, stat, writeFile } from 'node:fs/promises'
import path from 'node:path'
import type { MediaId } from '../domain/voice.ts'
import type { RemoteSound } from './protocol.ts'
import { askSession, type Session, type Sessions } from './sessions.ts'

/** Finds uploaded audio: in the shared data folder, or transferred from an engine process on another host. */
export function createNodeSounds(sessions: Sessions, folder: string) {
  const transfers = new Map<string, Promise<string>>()

  async function transfer(from: Session, media: MediaId, { name, bytes }: RemoteSound): Promise<string> {
    if (!/^[\w.-]{1,120}$/.test(name)) throw new Error('not the name of a sound')
    const file = path.join(folder, name)
    if (await isComplete(file, bytes)) return file
    const parts: Buffer[] = []
    for (let offset = 0; offset < bytes; ) {
      const params: [string, string, number] = [media, name, offset]
      const part = await askSession(from, (id) => ({ kind: 'request', id, method: 'readSound', params }))
      const chunk = Buffer.from(typeof part === 'string' ? part : '', 'base64')
      if (chunk.length === 0) throw new Error('the audio has changed during its transfer')
      parts.push(chunk)
      offset += chunk.length
    }
    await mkdir(folder, { recursive: true, mode: 0o700 })
    await writeFile(`${file}.part`, Buffer.concat(parts))
    await rename(`${file}.part`, file)
    return file
  }

  async function find(from: Session, media: MediaId): Promise<string | undefined> {
    const answer = await askSession(from, (id) => ({ kind: 'request', id, method: 'soundOf', params: [media] }))
    if (!isRemoteSound(answer)) return typeof answer === 'string' ? answer : undefined
    const running = transfers.get(answer.name) ?? transfer(from, media, answer)
    transfers.set(answer.name, running)
    return running.finally(() => transfers.delete(answer.name))
  }

  return async (media: MediaId): Promise<string | undefined> => {
    for (;;) {
      const from = await sessions.available()
      try {
        return await find(from, media)
      } catch (error) {
        // One that has disconnected meanwhile is replaced by the next one.
        if (sessions.get(from.id) === from) throw error
      }
    }
  }
}

const isRemoteSound = (answer: unknown): answer is RemoteSound =>
  typeof answer === 'object' && answer !== null && 'name' in answer && 'bytes' in answer

const isComplete = (file: string, bytes: number) =>
  stat(file).then(
    ({ size }) => size === bytes,
    () => false,
  )
