import type { VoiceEvent } from '../domain/voice.ts'

/** Events of legs and recordings that no call has claimed yet: a driver may report before its command resolves, or a call is resumed. */
export interface UnclaimedEvents {
  /** Until `key`, a leg or a recording, is claimed. */
  keep(key: string, event: VoiceEvent): void
  /** In the order in which they were reported. */
  take(key: string): readonly VoiceEvent[]
}

/** Some are never claimed: those of calls that were dropped. */
const maxKeys = 1_000

export function createUnclaimedEvents(): UnclaimedEvents {
  const kept = new Map<string, VoiceEvent[]>()
  return {
    keep(key, event) {
      kept.set(key, [...(kept.get(key) ?? []), event])
      const [oldest] = kept.keys()
      if (kept.size > maxKeys && oldest !== undefined) kept.delete(oldest)
    },
    take(key) {
      const events = kept.get(key) ?? []
      kept.delete(key)
      return events
    },
  }
}
