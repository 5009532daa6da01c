import type { Log } from '../../lib/log.ts'
import type { SipTrunk } from './trunk.ts'
import type { SipTrunkSettings } from './trunk-settings.ts'

/** The configured trunks of the stack. */
export interface SipTrunkTable {
  get(id: string): SipTrunk | undefined
  /** All trunks with that address; several companies may have the same carrier. */
  at(address: string): SipTrunk[]
  /** Closes removed and changed trunks, and opens added and changed ones. */
  set(wanted: SipTrunkSettings[]): void
  start(): void
  close(): Promise<unknown>
}

interface Options {
  log: Log
  create(settings: SipTrunkSettings): SipTrunk
  /** Trunks that are set before are started with the stack. */
  isOpen(): boolean
}

export function createSipTrunkTable({ log, create, isOpen }: Options): SipTrunkTable {
  const trunks = new Map<string, SipTrunk>()

  function closeAllBut(wanted: readonly SipTrunkSettings[]): void {
    for (const [id, trunk] of trunks) {
      const same = wanted.find((one) => one.id === id)
      if (same && JSON.stringify(same) === JSON.stringify(trunk.settings)) continue
      trunks.delete(id)
      trunk
        .close()
        .catch((error) =>
          log.warn({ event: 'sip.unregister_failed', error, trunkId: id }, 'trunk could not be unregistered'),
        )
    }
  }

  return {
    get: (id) => trunks.get(id),
    at: (address) => [...trunks.values()].filter((trunk) => trunk.owns(address)),
    set(wanted) {
      closeAllBut(wanted)
      for (const settings of wanted) {
        if (trunks.has(settings.id)) continue
        const trunk = create(settings)
        trunks.set(settings.id, trunk)
        if (isOpen()) trunk.start()
      }
    },
    start() {
      for (const trunk of trunks.values()) trunk.start()
    },
    close: () => Promise.allSettled([...trunks.values()].map((trunk) => trunk.close())),
  }
}
