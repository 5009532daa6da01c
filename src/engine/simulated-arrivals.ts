import type { LegId } from '../domain/voice.ts'

/** Which call an incoming leg has become, for the simulated callers that wait for it. */
export interface SimulatedArrivals {
  /** Resolves with undefined when the call is rejected. */
  callOf(leg: LegId): Promise<number | undefined>
  /** Ignored for a leg that no simulated caller waits for, such as one of a trunk. */
  arrived(leg: LegId, callId: number | undefined): void
}

export function createSimulatedArrivals(): SimulatedArrivals {
  const waiting = new Map<LegId, (callId: number | undefined) => void>()
  return {
    callOf: (leg) => new Promise((resolve) => waiting.set(leg, resolve)),
    arrived(leg, callId) {
      waiting.get(leg)?.(callId)
      waiting.delete(leg)
    },
  }
}
