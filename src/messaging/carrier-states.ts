import { setCarrierState } from '../features/messages/lines/store.ts'
import type { Services } from '../services.ts'

/** Stores whether each carrier is reachable, for the dashboard. */
export interface CarrierStates {
  report(carrierId: number, companyId: number, up: boolean, trouble: string | null): void
  /** The carrier is opened with other settings, or not any more. */
  forget(carrierId: number): void
  /** Resolves when every reported state is stored. */
  stored(): Promise<void>
}

export function createCarrierStates({ db, clock, log }: Services, onUp: () => void): CarrierStates {
  /** The last reported state: only changes are stored. */
  const reported = new Map<number, string>()
  let storing: Promise<void> = Promise.resolve()

  return {
    report(carrierId, companyId, up, trouble) {
      const state = JSON.stringify({ up, trouble })
      if (reported.get(carrierId) === state) return
      reported.set(carrierId, state)
      const event = up ? 'carrier.up' : 'carrier.down'
      log.info({ event, carrierId, up, trouble }, up ? 'carrier is up' : 'carrier is down')
      storing = storing
        .then(() => setCarrierState(db, companyId, carrierId, { up, trouble }, clock.now()))
        .catch((error) => log.warn({ event: 'carrier.state_failed', error }, 'state of a carrier could not be stored'))
      if (up) onUp()
    },
    forget: (carrierId) => void reported.delete(carrierId),
    stored: () => storing,
  }
}
