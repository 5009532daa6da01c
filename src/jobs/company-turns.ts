import type { ClaimedJob } from './leases.ts'
import type { JobKind } from './payloads.ts'

/** Kinds that occupy an engine for long: companies take turns, whatever the number of their jobs. */
const kindsWithTurns: readonly JobKind[] = ['call.speech_to_text', 'call.think']

export const hasTurns = (kind: JobKind): boolean => kindsWithTurns.includes(kind)

export interface CompanyTurn {
  /** The company that was served last; the next one by id follows. */
  after: number
  /** Companies with their share of the slots: served only if no other company is waiting. */
  full: readonly number[]
}

/** Whose turn it is, in this process. */
export function createCompanyTurns(limitOf: (kind: JobKind) => number) {
  const served = new Map<JobKind, number>()
  const running = new Map<string, number>()
  const keyOf = ({ kind, companyId }: Pick<ClaimedJob, 'kind' | 'companyId'>) => `${kind} ${companyId}`
  const add = (job: ClaimedJob, n: number) => running.set(keyOf(job), (running.get(keyOf(job)) ?? 0) + n)

  return {
    next(kind: JobKind): CompanyTurn {
      // Half of the slots, so that slow requests of one company leave room for others.
      const share = Math.max(1, Math.ceil(limitOf(kind) / 2))
      const full = [...running].flatMap(([key, n]) => {
        const [name, companyId] = key.split(' ')
        return name === kind && n >= share ? [Number(companyId)] : []
      })
      return { after: served.get(kind) ?? 0, full }
    },
    started(job: ClaimedJob) {
      if (job.companyId === null) return
      served.set(job.kind, job.companyId)
      add(job, 1)
    },
    ended(job: ClaimedJob) {
      if (job.companyId === null) return
      add(job, -1)
      if (running.get(keyOf(job)) === 0) running.delete(keyOf(job))
    },
  }
}
