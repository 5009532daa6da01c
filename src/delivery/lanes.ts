import type { CompanyId } from '../db/tables.ts'
import type { EndpointHealth } from '../domain/delivery/health.ts'

/** Receivers of one lane share its capacity: a failing receiver can delay only other failing receivers. */
export type Lane = 'proven' | 'unproven' | 'failing' | 'backlog'

const slots = 512
export const widths: Readonly<Record<Lane, number>> = {
  proven: Math.floor(slots * 0.85),
  // New receivers must not wait behind new failing ones, and each can hold one request only.
  unproven: 2_000,
  failing: Math.floor(slots * 0.1),
  backlog: Math.floor(slots * 0.05),
}

export const slowAfterMs = 1_000

/** A request that has been sent and not finished. */
export interface InFlightAttempt {
  lane: Lane
  startedAt: number
  answered: boolean
}

/** A webhook as this process knows it. */
export interface Receiver {
  id: string
  companyId: CompanyId
  status: 'active' | 'paused' | 'disabled'
  health: EndpointHealth
  /** As last read from or written to its row. */
  saved: EndpointHealth
  inFlight: Set<InFlightAttempt>
  /** Resources with a delivery that is in flight or whose result is not written yet. */
  busy: Set<string>
  /** A claim for it is running, whose deliveries are not in flight yet. */
  isClaiming: boolean
  /** A delivery became due while a resource was busy; a claim skips busy resources. */
  wokenWhileBusy: boolean
}

export interface Grant {
  receiver: Receiver
  lane: Lane
  n: number
}

export function createLanes() {
  const inFlight: Record<Lane, number> = { proven: 0, unproven: 0, failing: 0, backlog: 0 }
  const ofCompany = new Map<string, number>()
  const held = (lane: Lane, companyId: CompanyId) => ofCompany.get(`${lane}:${companyId}`) ?? 0

  /** One in flight for receivers that are not proven; for the others less as the lane fills. */
  function capOf(receiver: Receiver, lane: Lane): number {
    if (lane === 'backlog') return 2
    if (lane !== 'proven') return 1
    const load = inFlight.proven / widths.proven
    if (load >= 0.8) return 1
    return load >= 0.5 ? Math.min(2, receiver.health.cap) : receiver.health.cap
  }

  function roomFor(receiver: Receiver, lane: Lane, now: number): number {
    let out = 0
    for (const attempt of receiver.inFlight) {
      // A receiver with a slow request gets no other until that one ends.
      if (!attempt.answered && now - attempt.startedAt >= slowAfterMs) return 0
      if (attempt.lane === lane) out++
    }
    const cap = capOf(receiver, lane)
    // A claim for less than a quarter of the share is not worth a query: more will be free soon.
    return out > 0 && cap - out < cap / 4 ? 0 : cap - out
  }

  return {
    inFlight: inFlight as Readonly<Record<Lane, number>>,

    laneOf(receiver: Receiver, bulk: boolean): Lane {
      if (bulk) return 'backlog'
      return receiver.status === 'active' ? receiver.health.state : 'failing'
    },

    /** How many deliveries each receiver may claim now, in order; a company gets a quarter of a lane while others wait. */
    grants(lane: Lane, waiting: Iterable<Receiver>, now: number): Grant[] {
      let free = widths[lane] - inFlight[lane]
      const quarter = lane === 'unproven' ? widths[lane] : Math.ceil(widths[lane] / 4)
      const taken = new Map<CompanyId, number>()
      const granted = new Map<Receiver, number>()
      const again: Receiver[] = []
      const give = (receiver: Receiver, max: number) => {
        const n = Math.min(roomFor(receiver, lane, now) - (granted.get(receiver) ?? 0), max, free)
        if (n <= 0) return
        free -= n
        granted.set(receiver, (granted.get(receiver) ?? 0) + n)
        taken.set(receiver.companyId, (taken.get(receiver.companyId) ?? 0) + n)
      }
      for (const receiver of waiting) {
        if (free <= 0) break
        give(receiver, quarter - held(lane, receiver.companyId) - (taken.get(receiver.companyId) ?? 0))
        again.push(receiver)
      }
      for (const receiver of again) give(receiver, free)
      return [...granted].map(([receiver, n]) => ({ receiver, lane, n }))
    },

    startAttempt(receiver: Receiver, lane: Lane, now: number): InFlightAttempt {
      const attempt = { lane, startedAt: now, answered: false }
      receiver.inFlight.add(attempt)
      inFlight[lane]++
      ofCompany.set(`${lane}:${receiver.companyId}`, held(lane, receiver.companyId) + 1)
      return attempt
    },

    endAttempt(receiver: Receiver, attempt: InFlightAttempt): void {
      if (!receiver.inFlight.delete(attempt)) return
      inFlight[attempt.lane]--
      const left = held(attempt.lane, receiver.companyId) - 1
      if (left > 0) ofCompany.set(`${attempt.lane}:${receiver.companyId}`, left)
      else ofCompany.delete(`${attempt.lane}:${receiver.companyId}`)
    },
  }
}
