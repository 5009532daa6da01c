import type { VoiceEvent } from '../../domain/voice.ts'

type TrunkState = Extract<VoiceEvent, { kind: 'trunk.state' }>

/** A trunk is up if it is up on one of the nodes. */
export interface CombinedTrunkStates {
  /** Undefined: the state of the trunk has not changed. */
  combine(event: TrunkState, nodeId: string): TrunkState | undefined
  forgetNode(nodeId: string): void
}

export function combineTrunkStates(): CombinedTrunkStates {
  const states = new Map<string, Map<string, TrunkState>>()

  return {
    combine(event, nodeId) {
      const known = states.get(event.trunkId) ?? new Map<string, TrunkState>()
      states.set(event.trunkId, known)
      known.set(nodeId, event)
      const isUpElsewhere = [...known].some(([id, state]) => id !== nodeId && state.up)
      return !event.up && isUpElsewhere ? undefined : event
    },
    forgetNode(nodeId) {
      for (const known of states.values()) known.delete(nodeId)
    },
  }
}
