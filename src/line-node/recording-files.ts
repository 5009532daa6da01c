import { open, rm } from 'node:fs/promises'
import path from 'node:path'
import type { RecordingPart } from './protocol.ts'

/** Recordings on the disk of this node, for engine processes on other hosts. */
export interface RecordingFiles {
  /** Base64, empty at the end of the file; null: there is no such file. */
  read(recId: string, part: RecordingPart, offset: number): Promise<string | null>
  discard(recId: string): Promise<void>
}

const chunkBytes = 256 * 1024
const extensions: Record<RecordingPart, string> = { audio: 'ulaw', sidecar: 'json' }

export function createRecordingFiles(folder: string): RecordingFiles {
  function fileOf(recId: string, part: RecordingPart): string {
    if (!/^rec-[\w-]{1,80}$/.test(recId) || !Object.hasOwn(extensions, part)) throw new Error('not a recording')
    return path.join(folder, `${recId}.${extensions[part]}`)
  }

  return {
    async read(recId, part, offset) {
      const file = await open(fileOf(recId, part)).catch(() => undefined)
      if (!file) return null
      try {
        const { buffer, bytesRead } = await file.read(Buffer.alloc(chunkBytes), 0, chunkBytes, offset)
        return buffer.toString('base64', 0, bytesRead)
      } finally {
        await file.close()
      }
    },
    async discard(recId) {
      for (const part of ['audio', 'sidecar'] as const) await rm(fileOf(recId, part), { force: true })
    },
  }
}
