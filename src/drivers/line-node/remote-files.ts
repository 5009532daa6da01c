import { createHash } from 'node:crypto'
import { mkdir, open, rename, rm, stat } from 'node:fs/promises'
import path from 'node:path'
import type { RecordingPart, RemoteSound } from '../../line-node/protocol.ts'

// A node on another host does not share the data folder: recordings are copied from it, and audio to it, in parts.

const chunkBytes = 256 * 1024
const extensions: Record<RecordingPart, string> = { audio: 'ulaw', sidecar: 'json' }

type ReadRecording = (recId: string, part: RecordingPart, offset: number) => Promise<unknown>

export function createRecordingTransfer(folder: string, read: ReadRecording) {
  async function copy(recId: string, part: RecordingPart): Promise<string> {
    const name = path.join(folder, `${recId}.${extensions[part]}`)
    const file = await open(`${name}.transfer`, 'w', 0o600)
    try {
      for (let offset = 0; ; ) {
        const chunk = await read(recId, part, offset)
        if (typeof chunk !== 'string') throw new Error('the line node does not have the recording')
        const bytes = Buffer.from(chunk, 'base64')
        if (bytes.length === 0) break
        await file.write(bytes, 0, bytes.length, offset)
        offset += bytes.length
      }
      await file.sync()
    } finally {
      await file.close()
    }
    await rename(`${name}.transfer`, name)
    return name
  }

  return {
    /** Resolves with the local file. */
    async copyHere(recId: string): Promise<string> {
      if (!/^rec-[\w-]{1,80}$/.test(recId)) throw new Error('not a recording')
      await mkdir(folder, { recursive: true, mode: 0o700 })
      try {
        await copy(recId, 'sidecar')
        return await copy(recId, 'audio')
      } catch (error) {
        for (const part of ['audio', 'sidecar'] as const)
          await rm(path.join(folder, `${recId}.${extensions[part]}.transfer`), { force: true })
        throw error
      }
    },
  }
}

/** Audio for nodes on other hosts. */
export function remoteSounds(soundOf: (media: string) => Promise<string | undefined>) {
  async function describe(media: string): Promise<RemoteSound | undefined> {
    const file = await soundOf(media)
    if (file === undefined) return undefined
    const { size, mtimeMs } = await stat(file)
    const version = createHash('sha256').update(`${file}\n${size}\n${mtimeMs}`).digest('hex').slice(0, 32)
    return { name: `${version}${path.extname(file)}`, bytes: size }
  }

  return {
    describe,
    /** Base64; undefined if the audio has changed since. */
    async read(media: string, name: string, offset: number): Promise<string | undefined> {
      const now = await describe(media)
      const source = await soundOf(media)
      if (now?.name !== name || source === undefined) return undefined
      const file = await open(source)
      try {
        const { buffer, bytesRead } = await file.read(Buffer.alloc(chunkBytes), 0, chunkBytes, offset)
        return buffer.toString('base64', 0, bytesRead)
      } finally {
        await file.close()
      }
    },
  }
}
