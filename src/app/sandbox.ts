import type { PersistentSandboxClock } from '../lib/sandbox-clock.ts'
import { createFaults, type StoredFaults } from '../sandbox/faults.ts'
import { type ClockParts, openSandboxClock } from '../sandbox/open-clock.ts'
import type { AppContext } from './context.ts'
import type { ProcessPart } from './part.ts'

export interface SandboxTools {
  /** Undefined in production. */
  clock: PersistentSandboxClock | undefined
  faults: StoredFaults
  clockPart: ProcessPart
  faultsPart: ProcessPart
}

type WorkInProgress = Pick<ClockParts, 'settle' | 'activity' | 'otherProcesses'>

export function createSandboxTools(context: AppContext, work: WorkInProgress): SandboxTools {
  const { sandbox, adjustable, overrides, db, log, shared } = context
  const clock = sandbox && adjustable ? openSandboxClock({ db, clock: adjustable, log, shared, ...work }) : undefined
  const faults = createFaults({ db, log })
  return {
    clock,
    faults,
    clockPart: {
      name: 'sandbox clock',
      start() {
        // A test controls its own clock.
        if (!overrides.clock) clock?.start()
      },
      async stop() {
        await clock?.stop()
      },
    },
    faultsPart: {
      name: 'sandbox faults',
      async start() {
        if (sandbox) await faults.start()
      },
      stop: () => faults.stop(),
    },
  }
}
