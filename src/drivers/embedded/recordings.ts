import type { VoiceDriver } from '../../domain/voice.ts'
import { createRecentSet } from '../../lib/recent-set.ts'
import { salvage } from '../salvage.ts'
import type { DriverContext } from './context.ts'

/** The recordings in progress. */
export interface Recordings extends Pick<VoiceDriver, 'record' | 'pauseRecord' | 'resumeRecord' | 'stopRecord'> {
  ended(recId: string): void
  failed(recId: string, reason: string): void
  /** Number of recordings that failed in this process. */
  failures(): number
  /** The media process has exited: recordings in progress end with what is on the disk. */
  rescue(): void
}

const maxRemembered = 10_000

export function createRecordings({ media, legs, log, newId }: DriverContext, folder: string): Recordings {
  const open = new Set<string>()
  const used = createRecentSet<string>(maxRemembered)
  let failures = 0
  return {
    async record(target, options) {
      if ('leg' in target) legs.living(target.leg)
      const { recId = newId('rec'), ...how } = options
      if (used.has(recId)) return { recId }
      used.add(recId)
      open.add(recId)
      await media.request('record', { recId, target, options: how }).catch((error) => {
        open.delete(recId)
        throw error
      })
      return { recId }
    },
    async pauseRecord(recId) {
      await media.request('pauseRecord', { recId })
    },
    async resumeRecord(recId) {
      await media.request('resumeRecord', { recId })
    },
    async stopRecord(recId) {
      await media.request('stopRecord', { recId })
    },
    ended: (recId) => void open.delete(recId),
    failed(recId, reason) {
      failures++
      log.error({ event: 'recording.failed', recId, reason }, 'recording failed')
    },
    failures: () => failures,
    rescue() {
      for (const recId of [...open]) {
        open.delete(recId)
        salvage(folder, recId).then(
          (found) => {
            if (found) legs.emit({ kind: 'record.ended', recId, ...found })
          },
          (error) => log.error({ event: 'recording.lost', error, recId }, 'recording could not be recovered'),
        )
      }
    },
  }
}
