import type { VoiceEvent, VoiceFact } from '../../domain/voice.ts'
import type { Clock } from '../../lib/clock.ts'
import type { Log } from '../../lib/log.ts'

export interface Announcer {
  announce(fact: VoiceFact): void
  on(hear: (event: VoiceEvent) => void): void
}

/** Events are numbered when they happen and emitted a microtask later: commands of a listener cannot change their order. */
export function createAnnouncer(clock: Clock, log: Log): Announcer {
  const listeners: ((event: VoiceEvent) => void)[] = []
  const untold: VoiceEvent[] = []
  let seq = 0

  function tellAll(): void {
    for (let event = untold.shift(); event; event = untold.shift()) {
      for (const hear of listeners) tell(hear, event)
    }
  }

  function tell(hear: (event: VoiceEvent) => void, event: VoiceEvent): void {
    try {
      hear(event)
    } catch (error) {
      log.error({ event: 'simulator.listener_failed', error, kind: event.kind }, 'listener of the simulator failed')
    }
  }

  return {
    announce(fact) {
      if (untold.length === 0) queueMicrotask(tellAll)
      untold.push({ seq: ++seq, at: clock.now(), ...fact })
    },
    on: (hear) => void listeners.push(hear),
  }
}
