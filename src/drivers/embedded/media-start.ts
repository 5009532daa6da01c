import type { MediaProcess } from '../media-process.ts'

/** Starts the media process on first use: an installation without real calls runs none. */
export interface MediaStart {
  ensure(): Promise<void>
  isStarted(): boolean
  /** The next use starts it again. */
  reset(): void
}

export function createMediaStart(media: Pick<MediaProcess, 'start'>): MediaStart {
  let starting: Promise<void> | undefined
  return {
    ensure() {
      starting ??= media.start().catch((error) => {
        starting = undefined
        throw error
      })
      return starting
    },
    isStarted: () => starting !== undefined,
    reset() {
      starting = undefined
    },
  }
}
