import type { LegId } from '../domain/voice.ts'

interface Speaker {
  muted: boolean
  listenOnly: boolean
  whisperTo: ReadonlySet<LegId> | null
}

/** Whether its audio is mixed for all participants of the room. */
export const isAudible = ({ muted, listenOnly, whisperTo }: Speaker): boolean =>
  !muted && !listenOnly && whisperTo === null

export const isWhisper = ({ muted, listenOnly, whisperTo }: Speaker): boolean =>
  !muted && !listenOnly && whisperTo !== null

export function add(total: Int32Array, samples: Int16Array): void {
  for (let i = 0; i < samples.length; i++) total[i] = (total[i] ?? 0) + (samples[i] ?? 0)
}

export function saturate(from: Int32Array, into: Int16Array): void {
  for (let i = 0; i < into.length; i++) {
    const value = from[i] ?? 0
    into[i] = value > 32_767 ? 32_767 : value < -32_768 ? -32_768 : value
  }
}
