import type { EmbeddedDriver } from '../drivers/embedded.ts'
import type { Cancel, Clock } from '../lib/clock.ts'
import type { Log } from '../lib/log.ts'
import type { OwnedLegs } from './owned-legs.ts'
import type { NodeLoad } from './protocol.ts'
import type { Sessions } from './sessions.ts'

/** When the program ends: without engine processes, and without legs. */
export interface Life {
  /** Called after every change. */
  check(): void
  /** Ends the program as soon as it has no legs. */
  retire(): void
  /** The engine process leaves for good: without others and without legs the program ends. */
  endWhenUnused(): void
  load(): NodeLoad
}

interface Options {
  driver: Pick<EmbeddedDriver, 'on' | 'hangup'>
  sessions: Sessions
  owned: OwnedLegs
  clock: Clock
  log: Log
  maxLegs: number
  idleMs: number | null
  abandonedMs: number
  /** Nothing is left to do: the program exits. */
  finished(): void
}

export function createLife(options: Options): Life {
  const { driver, sessions, owned, clock, log, maxLegs, idleMs, abandonedMs, finished } = options
  const legs = new Set<string>()
  let cancel: Cancel = () => {}
  let waitsFor: 'nothing' | 'engine' | 'end' = 'nothing'
  let isRetired = false
  let isUnused = false

  driver.on((event) => {
    if (!('leg' in event)) return
    if (event.kind === 'leg.ended') legs.delete(event.leg)
    else legs.add(event.leg)
  })

  function endAbandoned(): void {
    log.warn({ event: 'line_node.abandoned', legs: legs.size }, 'no engine process came back: all calls are ended')
    for (const leg of [...legs]) {
      owned.forget(leg)
      driver
        .hangup(leg, 'lost')
        .catch((error) => log.debug({ event: 'line_node.hangup_failed', error }, 'leg was gone already'))
    }
  }

  function check() {
    if (isRetired && legs.size === 0) return finished()
    const next = sessions.all().length > 0 ? 'nothing' : legs.size > 0 ? 'engine' : 'end'
    if (next === 'nothing') isUnused = false
    if (next === waitsFor) return
    waitsFor = next
    cancel()
    if (next === 'engine') cancel = clock.machineAfter(abandonedMs, endAbandoned)
    if (next === 'end' && isUnused && idleMs !== null) return finished()
    if (next === 'end' && idleMs !== null) cancel = clock.machineAfter(idleMs, finished)
  }

  return {
    check,
    retire() {
      isRetired = true
      check()
    },
    endWhenUnused() {
      isUnused = true
    },
    load: () => ({ legs: legs.size, maxLegs, isDraining: isRetired }),
  }
}
