import type { LegId, TapListener } from '../domain/voice.ts'
import { decode } from '../media/g711.ts'
import type { MediaProcess } from './media-process.ts'

export interface Taps {
  open(leg: LegId, listener: TapListener): Promise<{ tapId: string }>
  close(tapId: string): Promise<void>
  sound(tapId: string, ulaw: string): void
  ended(tapId: string, cause: 'leg_gone' | 'overrun'): void
  /** The media process has exited. */
  forgetAll(): void
}

/** Listeners to the audio of legs in the media process. */
export function createTaps(media: Pick<MediaProcess, 'request'>, newId: (kind: string) => string): Taps {
  const listeners = new Map<string, TapListener>()

  function ended(tapId: string, cause: 'leg_gone' | 'overrun'): void {
    const listener = listeners.get(tapId)
    listeners.delete(tapId)
    listener?.onEnd(cause)
  }

  return {
    async open(leg, listener) {
      const tapId = newId('tap')
      listeners.set(tapId, listener)
      await media.request('openTap', { leg, tapId }).catch((error) => {
        listeners.delete(tapId)
        throw error
      })
      return { tapId }
    },
    async close(tapId) {
      if (listeners.delete(tapId)) await media.request('closeTap', { tapId })
    },
    sound: (tapId, ulaw) => listeners.get(tapId)?.onSamples(decode('PCMU', Buffer.from(ulaw, 'base64'))),
    ended,
    forgetAll() {
      for (const tapId of [...listeners.keys()]) ended(tapId, 'leg_gone')
    },
  }
}
