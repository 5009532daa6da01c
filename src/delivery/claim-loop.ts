import { second } from '../lib/clock.ts'
import { createCoalescedTask } from '../lib/coalesced-task.ts'
import type { Metrics } from '../lib/metrics.ts'
import { randomId } from '../lib/secrets.ts'
import type { Services } from '../services.ts'
import { type ClaimedDelivery, claimDue } from './claim-store.ts'
import type { createLanes, Grant, Lane, Receiver } from './lanes.ts'
import type { Receivers } from './receivers.ts'

interface ClaimLoopParts {
  services: Services
  metrics: Metrics
  lanes: ReturnType<typeof createLanes>
  workerId: string
  leaseMs: number
  onClaimed(receiver: Receiver, claimed: ClaimedDelivery, leaseToken: string): void
}

const lanesInOrder: readonly Lane[] = ['proven', 'unproven', 'failing', 'backlog']
const pauseMs = 2
const provenOnlyMs = 20

const isProven = ({ lane }: Grant) => lane === 'proven'

/** Claims due deliveries in rounds until no receiver that waits has room for one. */
export function createClaimLoop(parts: ClaimLoopParts, receivers: () => Receivers) {
  const { services, metrics, lanes, workerId, leaseMs, onClaimed } = parts
  const { db, clock, log } = services
  let stopped = true
  let endPause = () => {}
  let hasNewWork = false
  const task = createCoalescedTask(rounds, (error) => {
    log.warn({ event: 'webhook.claim_failed', error }, 'due deliveries could not be claimed')
    clock.machineAfter(second, pump)
  })

  function pump() {
    if (!stopped) task.trigger()
  }

  async function rounds() {
    let lastFullRoundAt = clock.steadyNow()
    while (!stopped) {
      await receivers().load()
      hasNewWork = false
      const grants = choose()
      if (grants.length === 0) return
      // Proven receivers are served first; the others when no proven one waits, and every 20 ms in any case.
      const proven = grants.filter(isProven)
      const onlyProven = proven.length > 0 && clock.steadyNow() - lastFullRoundAt < provenOnlyMs
      if (!onlyProven) lastFullRoundAt = clock.steadyNow()
      await claim(onlyProven ? proven : grants)
      await pauseBetweenRounds()
    }
  }

  /** Slots that become free during the pause are refilled by one claim, and other work gets CPU time. New work ends the pause. */
  function pauseBetweenRounds(): Promise<void> {
    if (hasNewWork) return Promise.resolve()
    return new Promise((resolve) => {
      const cancel = clock.machineAfter(pauseMs, resolve)
      endPause = () => {
        cancel()
        resolve()
      }
    })
  }

  function choose(): Grant[] {
    const now = clock.machineNow()
    const { waiting, get } = receivers()
    const byLane: Record<Lane, Receiver[]> = { proven: [], unproven: [], failing: [], backlog: [] }
    for (const kind of ['live', 'bulk'] as const) {
      for (const id of waiting[kind]) {
        const receiver = get(id)
        if (!receiver) waiting[kind].delete(id)
        else byLane[lanes.laneOf(receiver, kind === 'bulk')].push(receiver)
      }
    }
    return lanesInOrder.flatMap((lane) => lanes.grants(lane, byLane[lane], now))
  }

  async function claim(grants: readonly Grant[]) {
    const startedAt = clock.steadyNow()
    const token = randomId()
    const { waiting } = receivers()
    const queueOf = (lane: Lane) => waiting[lane === 'backlog' ? 'bulk' : 'live']
    // Removed before the query: a receiver woken during the query is on the list again and is claimed for again.
    for (const { receiver, lane } of grants) {
      queueOf(lane).delete(receiver.id)
      receiver.isClaiming = true
    }
    const release = () => {
      for (const { receiver } of grants) receiver.isClaiming = false
    }
    const putBack = (error: unknown): never => {
      release()
      for (const { receiver, lane } of grants) queueOf(lane).add(receiver.id)
      throw error
    }
    const requests = grants.map(({ receiver, lane, n }) => ({
      webhookId: receiver.id,
      bulk: lane === 'backlog',
      n,
      busy: [...receiver.busy],
    }))
    const lease = { token, machineNow: clock.machineNow(), ms: leaseMs, workerId }
    const deliveries = await claimDue(db, requests, clock.now(), lease).catch(putBack)
    metrics.claim.observe((clock.steadyNow() - startedAt) / second)
    const counts = new Map<string, number>()
    for (const { row } of deliveries) {
      const key = `${row.webhook_id}:${row.bulk}`
      counts.set(key, (counts.get(key) ?? 0) + 1)
    }
    for (const { receiver, lane, n } of grants) {
      // A full result means there may be more: the receiver goes to the end of the list.
      if (counts.get(`${receiver.id}:${lane === 'backlog' ? 1 : 0}`) === n) queueOf(lane).add(receiver.id)
    }
    const served = new Map(grants.map(({ receiver }) => [receiver.id, receiver]))
    for (const delivery of deliveries) {
      const receiver = served.get(delivery.row.webhook_id)
      if (!receiver) continue
      receiver.status = delivery.endpoint.status
      onClaimed(receiver, delivery, token)
    }
    release()
  }

  return {
    start() {
      stopped = false
    },
    stop() {
      stopped = true
    },
    pump,
    /** A delivery became due: the next round starts without a pause. */
    endPause() {
      hasNewWork = true
      endPause()
    },
    idle: task.idle,
  }
}
