import type { CompanyId } from '../db/tables.ts'
import { scheduleTrunkAlert } from '../features/trunks/trunks/down-alert.ts'
import { noteTrunkState } from '../features/trunks/trunks/store.ts'
import type { Services } from '../services.ts'

/** Saves what the SIP stack reports of its trunks, in the order in which it was reported. */
export interface TrunkStates {
  save(companyId: CompanyId | null, trunkId: string, state: { up: boolean; detail: string | null }): void
  /** Resolves when every reported state is saved; to be awaited before the database is closed. */
  idle(): Promise<void>
}

export function createTrunkStates(services: Services): TrunkStates {
  const { db, clock, log } = services
  let saving: Promise<void> = Promise.resolve()
  return {
    save(companyId, trunkId, state) {
      const at = clock.now()
      saving = saving
        .then(() => noteTrunkState(db, companyId, Number(trunkId), { ...state, at }))
        .then(() => scheduleTrunkAlert(services, companyId, Number(trunkId), state.up))
        .catch((error: unknown) =>
          log.warn({ event: 'trunk.state_not_saved', trunkId, error }, 'trunk state could not be saved'),
        )
    },
    idle: () => saving,
  }
}
