import type { CompanyId } from '../db/tables.ts'
import { isOverShare } from '../domain/media-share.ts'
import { minute } from '../lib/clock.ts'
import type { Services } from '../services.ts'
import type { BackgroundTasks } from './background-tasks.ts'

// No company may use up the media capacity of a process while others wait for it.

export interface MediaShare {
  /** Why the company may not start another call now; undefined when it may. Reported. */
  refusal(companyId: CompanyId): string | undefined
  /** The server rejected a call of the company, which now waits for capacity. Reported; returns the message. */
  refused(companyId: CompanyId): string
}

interface Options {
  services: Services
  /** Call capacity of this process. */
  capacity(): number
  /** Companies of the active calls, one entry per call. */
  running(): CompanyId[]
  tasks: Pick<BackgroundTasks, 'run'>
}

const noRoom = 'This server carries as many calls as it can: try again when one of them has ended'
const overShare =
  'Your company uses its share of the calls that this server can carry: try again when one of your calls has ended'

/** A carrier retries after ten seconds, a user within a minute. */
const waitsForMs = minute

export function createMediaShare({ services, capacity, running, tasks }: Options): MediaShare {
  const { clock, refusals, rules } = services
  const waiting = new Map<CompanyId, number>()

  function report(companyId: CompanyId, rule: 'capacity' | 'share', why: string): string {
    waiting.set(companyId, clock.machineNow())
    const refusal = { kind: 'media', rule, why, userId: null } as const
    tasks.run(refusals.report(companyId, refusal), 'call.refusal_not_reported', 'could not report a refused call')
    return why
  }

  /** Companies that were refused a call recently. */
  function waitingNow(): CompanyId[] {
    const since = clock.machineNow() - waitsForMs
    for (const [companyId, at] of waiting) if (at < since) waiting.delete(companyId)
    return [...waiting.keys()]
  }

  return {
    refusal(companyId) {
      const calls = running()
      const waits = waitingNow()
      const isOver = isOverShare({
        capacity: capacity(),
        running: calls.filter((one) => one === companyId).length,
        companies: new Set([...calls, ...waits, companyId]).size,
        othersWait: waits.some((one) => one !== companyId),
        shared: rules.tenancy === 'multi',
      })
      if (isOver) return report(companyId, 'share', overShare)
      waiting.delete(companyId)
      return undefined
    },
    refused: (companyId) => report(companyId, 'capacity', noRoom),
  }
}
