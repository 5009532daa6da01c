import type { Flag } from '../db/tables.ts'
import { blockingAttempts, maxAttempts, nextAttemptAt } from '../domain/delivery/schedule.ts'
import { deletionEvent } from '../domain/events.ts'
import { coarse } from '../features/integrations/deliveries/view.ts'
import type { FetchResult } from '../lib/safe-fetch.ts'
import type { Settled } from './attempt-store.ts'
import type { Claimed } from './claim-store.ts'
import type { Endpoint } from './endpoint-store.ts'

/** The result of one attempt. */
export interface AttemptOutcome {
  row: Claimed
  leaseToken: string
  answer: FetchResult
  startedAt: number
  endedAt: number
  requestHeaders: string
}

export const isSuccess = ({ status, problem }: FetchResult) =>
  problem === null && status !== null && status >= 200 && status < 300

/** The receiver asks never to be called again. */
export const isGone = ({ status, problem }: FetchResult) => problem === null && status === 410

export function errorClassOf(answer: FetchResult): string | null {
  if (isSuccess(answer)) return null
  if (answer.problem !== null || answer.status === null) return answer.problem ?? 'protocol'
  return `http_${Math.floor(answer.status / 100)}xx`
}

/** Tests, replays and probes do not count towards the health of the receiver. */
export const affectsHealth = ({ kind, probe }: Claimed) => probe === 0 && (kind === 'live' || kind === 'backlog')

/** The next state of the delivery. Its webhook may have been paused, disabled or deleted during the attempt. */
export function settledBy(
  outcome: AttemptOutcome,
  /** Undefined if the webhook is deleted or the replay was cancelled. */
  endpoint: Pick<Endpoint, 'status' | 'isDeleted' | 'isIntegrationRemoved'> | undefined,
  random: number,
): Settled {
  const { row, answer, endedAt, leaseToken } = outcome
  const attempts = row.probe && row.kind !== 'test' ? row.attempts : row.attempts + 1
  const base = {
    id: row.id,
    token: leaseToken,
    probe: 0 as Flag,
    attempts,
    next_at: endedAt,
    asked: 0 as Flag,
    last_status: answer.status,
    last_error: coarse(errorClassOf(answer), answer.phase),
  }
  if (isSuccess(answer))
    return { ...base, attempts: row.attempts + 1, state: 'delivered', blocking: 0, finished_at: endedAt }
  if (row.kind === 'test' || attempts >= maxAttempts)
    return { ...base, state: 'exhausted', blocking: 0, finished_at: endedAt }
  const isUnwanted =
    !endpoint || endpoint.isDeleted || (endpoint.isIntegrationRemoved && row.event_name !== deletionEvent)
  if (isUnwanted) return { ...base, state: 'cancelled', blocking: 0, finished_at: endedAt }
  const next = nextAttemptAt(endedAt, attempts, random, answer.retryAfter)
  return {
    ...base,
    state: endpoint.status === 'active' ? 'queued' : 'held',
    blocking: attempts >= blockingAttempts ? 0 : 1,
    next_at: next.at,
    asked: next.usesRetryAfter ? 1 : 0,
    finished_at: null,
  }
}
