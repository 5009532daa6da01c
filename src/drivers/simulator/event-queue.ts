import type { VoiceEvent, VoiceFact } from '../../domain/voice.ts'
import type { Clock } from '../../lib/clock.ts'
import type { Log } from '../../lib/log.ts'

export interface EventQueue {
  emit(data: VoiceFact): void
  on(listener: (event: VoiceEvent) => void): void
}

/** Events are numbered when they happen and emitted a microtask later: commands of a listener cannot change their order. */
export function createEventQueue(clock: Clock, log: Log): EventQueue {
  const listeners: ((event: VoiceEvent) => void)[] = []
  const pending: VoiceEvent[] = []
  let seq = 0

  function flush(): void {
    for (let event = pending.shift(); event; event = pending.shift()) {
      for (const listener of listeners) deliver(listener, event)
    }
  }

  function deliver(listener: (event: VoiceEvent) => void, event: VoiceEvent): void {
    try {
      listener(event)
    } catch (error) {
      log.error({ event: 'simulator.listener_failed', error, kind: event.kind }, 'listener of the simulator failed')
    }
  }

  return {
    emit(data) {
      if (pending.length === 0) queueMicrotask(flush)
      pending.push({ seq: ++seq, at: clock.now(), ...data })
    },
    on: (listener) => void listeners.push(listener),
  }
}
