import { transaction } from '../db/database.ts'
import { listen } from '../db/dialect.ts'
import type { Flag } from '../db/tables.ts'
import { atRestart } from '../domain/delivery/health.ts'
import { furthest, maxAttempts } from '../domain/delivery/schedule.ts'
import { withFreshUrls } from '../features/integrations/catalogue/assets.ts'
import { envelope, headersForLog, headersOf } from '../features/integrations/webhooks/envelope.ts'
import { type Cancel, minute, second } from '../lib/clock.ts'
import type { Metrics, Outbox } from '../lib/metrics.ts'
import type { Answer, SafeFetch } from '../lib/safe-fetch.ts'
import { randomId } from '../lib/secrets.ts'
import { signingKey } from '../lib/webhook-signature.ts'
import type { Services } from '../services.ts'
import { createAcknowledger, type FinishedAttempt, healthAfter } from './acknowledger.ts'
import { createLanes, type Grant, type Lane, type Receiver, widths } from './lanes.ts'
import {
  alignFollowers,
  type Claimed,
  type ClaimedDelivery,
  claimDue,
  clampTo,
  countWaiting,
  type Destination,
  freeLeases,
  nextDue,
  overdueRetries,
  readEndpoints,
  reschedule,
  returnLeases,
  type Settled,
} from './store.ts'
import type { Outcome } from './verdict.ts'
import type { Workers } from './workers.ts'

export interface Dispatcher {
  start(): Promise<void>
  /** Claims nothing more, waits for what is out, gives back the rest. */
  stop(): Promise<void>
  /** Resolves when nothing due is left; whether there was anything to do. */
  settle(): Promise<boolean>
  /** How long the oldest event of a receiver that is well has been waiting, in ms. */
  lag(): Promise<number>
  /** For the metrics. */
  outbox(): Promise<Outbox>
}

export interface DispatcherParts {
  services: Services
  metrics: Metrics
  http: SafeFetch
  workers: Workers
  timeoutMs: number
  /** In [0, 1): for the jitter of the schedule. */
  random: () => number
  /** Whether other processes work on the same store. */
  shared: boolean
}

/** Nothing was sent. */
const unsigned = (): Answer => ({
  phase: 'connect',
  status: null,
  problem: 'protocol',
  detail: 'the signing secret cannot be opened',
  headers: '',
  body: '',
  retryAfter: null,
  durationMs: 0,
})

const isProven = ({ lane }: Grant) => lane === 'proven'
const lanesInOrder: readonly Lane[] = ['proven', 'unproven', 'failing']
const sweepEveryMs = { alone: 5 * second, shared: 500 }
// The widest share of a receiver that is well, beside it two of the backlog and a test.
const maxPerReceiver = 20
const momentMs = 2
const patienceMs = 20
const restMs = 5 * second
const spreadMs = 5 * minute
const overdueMs = minute
const jumpMs = 30 * second

/** Sends what is due, and lets nobody wait for a receiver that is not its own. */
export function createDispatcher(parts: DispatcherParts): Dispatcher {
  const { services, metrics, http, workers, timeoutMs, random, shared } = parts
  const { db, clock, log, vault } = services
  const leaseMs = Math.max(20 * second, timeoutMs + 10 * second)
  const lanes = createLanes()
  const receivers = new Map<string, Receiver>()
  /** Webhooks that may have something due: found out by asking. In the order in which they came, or were served. */
  const waiting = { live: new Set<string>(), bulk: new Set<string>() }
  const hadBacklog = new Set<string>()
  const unknown = new Set<string>()
  const timers = new Map<string, { at: number; cancel: Cancel }>()
  const inFlight = new Set<Promise<void>>()
  const acknowledger = createAcknowledger({ services, metrics, workerId: workers.me, random, shared, written })
  let stopped = true
  let pumping: Promise<void> | undefined
  let again = false
  let endPause = () => {}
  let attempts = 0
  let nextSweep: Cancel = () => {}
  let sweeping: Promise<void> | undefined
  let unsubscribe = () => {}
  let lastHostDifference = 0

  // What may be due

  function wake(id: string, bulk: boolean) {
    if (!workers.owns(id)) return
    const receiver = receivers.get(id)
    if (!receiver) unknown.add(id)
    else if (receiver.busy.size > 0) receiver.wokenWhileBusy = true
    waiting[bulk ? 'bulk' : 'live'].add(id)
    if (bulk) hadBacklog.add(id)
  }

  function wakeAll(ids: readonly string[], bulk: boolean) {
    for (const id of ids) wake(id, bulk)
    pump()
  }

  function wakeAt(id: string, bulk: boolean, at: number) {
    const key = `${id}:${bulk}`
    const known = timers.get(key)
    if (known && known.at <= at && known.at > clock.now()) return
    known?.cancel()
    const cancel = clock.after(at - clock.now(), () => {
      timers.delete(key)
      wake(id, bulk)
      pump()
    })
    timers.set(key, { at, cancel })
  }

  /** Its url, its state or its secrets were changed. */
  function forget(id: string) {
    if (receivers.has(id)) unknown.add(id)
    wakeAll([id], false)
    wakeAll([id], true)
  }

  // Claiming

  function pump() {
    if (stopped) return
    if (pumping) {
      again = true
      return
    }
    pumping = rounds()
      .catch((error) => {
        log.warn({ error }, 'deliveries could not be claimed')
        clock.machineAfter(second, pump)
      })
      .finally(() => {
        pumping = undefined
        if (!again) return
        again = false
        pump()
      })
  }

  async function rounds() {
    let lastFullRoundAt = clock.steadyNow()
    while (!stopped) {
      await loadReceivers()
      const grants = choose()
      if (grants.length === 0) return
      // Those that are known to answer go first; the others when none of these waits, and every few moments anyway.
      const proven = grants.filter(isProven)
      const onlyProven = proven.length > 0 && clock.steadyNow() - lastFullRoundAt < patienceMs
      if (!onlyProven) lastFullRoundAt = clock.steadyNow()
      await claim(onlyProven ? proven : grants)
      await pauseBetweenRounds()
    }
  }

  /** What ends within it is replaced together, and whoever else has something to do gets a turn; new work ends it. */
  function pauseBetweenRounds(): Promise<void> {
    return new Promise((resolve) => {
      const cancel = clock.machineAfter(momentMs, resolve)
      endPause = () => {
        cancel()
        resolve()
      }
    })
  }

  async function loadReceivers() {
    if (unknown.size === 0) return
    const ids = [...unknown]
    unknown.clear()
    const found = new Map((await readEndpoints(db, ids)).map((endpoint) => [endpoint.id, endpoint]))
    for (const id of ids) {
      const endpoint = found.get(id)
      if (!endpoint || endpoint.isDeleted) {
        dropReceiver(id)
        continue
      }
      const { companyId, status, health } = endpoint
      const known = receivers.get(id)
      if (known) Object.assign(known, { status, health, saved: health })
      else {
        const doubted = atRestart(health, clock.now())
        receivers.set(id, {
          id,
          companyId,
          status,
          health: doubted,
          saved: health,
          inFlight: new Set(),
          busy: new Set(),
          wokenWhileBusy: false,
        })
      }
    }
  }

  function dropReceiver(id: string) {
    waiting.live.delete(id)
    waiting.bulk.delete(id)
    if ((receivers.get(id)?.inFlight.size ?? 0) === 0) receivers.delete(id)
  }

  function choose(): Grant[] {
    const now = clock.machineNow()
    const byLane: Record<Lane, Receiver[]> = { proven: [], unproven: [], failing: [], backlog: [] }
    for (const kind of ['live', 'bulk'] as const) {
      for (const id of waiting[kind]) {
        const receiver = receivers.get(id)
        if (!receiver) waiting[kind].delete(id)
        else byLane[lanes.laneOf(receiver, kind === 'bulk')].push(receiver)
      }
    }
    return [...lanesInOrder, 'backlog' as const].flatMap((lane) => lanes.grants(lane, byLane[lane], now))
  }

  async function claim(grants: readonly Grant[]) {
    const startedAt = clock.steadyNow()
    const token = randomId()
    const queueOf = (lane: Lane) => waiting[lane === 'backlog' ? 'bulk' : 'live']
    // Off the list before the store is asked: whoever is woken meanwhile is on it again, and is asked about again.
    for (const { receiver, lane } of grants) queueOf(lane).delete(receiver.id)
    const putBack = (error: unknown): never => {
      for (const { receiver, lane } of grants) queueOf(lane).add(receiver.id)
      throw error
    }
    const wants = grants.map(({ receiver, lane, n }) => ({
      webhookId: receiver.id,
      bulk: lane === 'backlog',
      n,
      busy: [...receiver.busy],
    }))
    const lease = { token, machineNow: clock.machineNow(), ms: leaseMs, workerId: workers.me }
    const taken = await claimDue(db, wants, clock.now(), lease).catch(putBack)
    metrics.claim.observe((clock.steadyNow() - startedAt) / second)
    const got = new Map<string, number>()
    for (const { row } of taken) {
      const key = `${row.webhook_id}:${row.bulk}`
      got.set(key, (got.get(key) ?? 0) + 1)
    }
    for (const { receiver, lane, n } of grants) {
      // Where as much was found as was asked for there may be more; served last, it comes last.
      if (got.get(`${receiver.id}:${lane === 'backlog' ? 1 : 0}`) === n) queueOf(lane).add(receiver.id)
    }
    const served = new Map(grants.map(({ receiver }) => [receiver.id, receiver]))
    for (const claimed of taken) {
      const receiver = served.get(claimed.row.webhook_id)
      if (!receiver) continue
      receiver.status = claimed.endpoint.status
      startAttempt(receiver, claimed, token)
    }
  }

  // Sending

  function startAttempt(receiver: Receiver, claimed: ClaimedDelivery, leaseToken: string) {
    const { row } = claimed
    const attempt = lanes.startAttempt(receiver, lanes.laneOf(receiver, row.bulk === 1), clock.machineNow())
    receiver.busy.add(row.order_key)
    attempts++
    if (row.attempts === 0 && row.kind === 'live') {
      metrics.firstAttempt.observe(Math.max(0, clock.now() - claimed.content.occurred_at) / second)
    }
    const sending = send(claimed, leaseToken, () => {
      attempt.answered = true
    }).then((outcome) => {
      inFlight.delete(sending)
      lanes.endAttempt(receiver, attempt)
      receiver.health = healthAfter(receiver.health, outcome)
      acknowledger.push({ outcome, receiver })
      pump()
    })
    inFlight.add(sending)
  }

  async function send(claimed: ClaimedDelivery, leaseToken: string, answered: () => void): Promise<Outcome> {
    const { row, endpoint, content } = claimed
    const startedAt = clock.now()
    const body = envelope(withFreshUrls(services, row.company_id, content), endpoint.token)
    let headers: Record<string, string>
    try {
      headers = headersOf(signing(row, endpoint), body)
    } catch (error) {
      // The key of the installation is not the one it was sealed with; sent unsigned it would be no better.
      log.error({ error, webhookId: endpoint.id }, 'a signing secret cannot be opened; change it with a rotation')
      const answer = unsigned()
      return { row, leaseToken, answer, startedAt, endedAt: clock.now(), requestHeaders: '' }
    }
    const { id: pool, url } = endpoint
    const post = { pool, url, headers, body, timeoutMs, connections: maxPerReceiver, onStatus: answered }
    const answer = await http.post(post)
    // As a network does that has lost an answer; what comes of it is not looked at.
    const isRepeated = answer.problem === null && isSentTwice(row)
    if (isRepeated) await http.post(post)
    metrics.deliverySeconds.observe(answer.durationMs / second)
    metrics.deliveryAttempts.inc({ result: answer.problem ?? `${Math.floor((answer.status ?? 0) / 100)}xx` })
    if (answer.problem === 'not_allowed') metrics.blockedDestinations.inc()
    return { row, leaseToken, answer, startedAt, endedAt: clock.now(), requestHeaders: headersForLog(headers) }
  }

  const isSentTwice = ({ company_id, order_key, seq }: Claimed) =>
    services.sandbox?.faults.sendsTwice(company_id, `${order_key} ${seq}`) ?? false

  function signing(row: Claimed, { secrets }: Destination) {
    const stillValid = secrets.previousUntil !== null && clock.now() < secrets.previousUntil
    const sealed = [secrets.current, stillValid ? secrets.previous : null].filter((secret) => secret !== null)
    return {
      messageId: row.message_id,
      eventId: row.event_id,
      seq: row.seq,
      attempt: row.attempts + 1,
      kind: row.kind,
      keys: sealed.map(keyOf),
      timestamp: Math.floor(clock.machineNow() / second),
    }
  }

  const opened = new Map<string, Buffer>()
  function keyOf(sealed: string): Buffer {
    const known = opened.get(sealed)
    if (known) return known
    const key = signingKey(vault.open(sealed))
    if (opened.size > 1_000) opened.clear()
    opened.set(sealed, key)
    return key
  }

  /**
   * The store is asked again only when something may wait: behind this delivery (`followed`), or because it became due
   * while a resource was busy. Most deliveries stand alone, and an empty claim costs as much as one that finds something.
   */
  function written({ outcome, receiver }: FinishedAttempt, settled: Settled, followed: boolean) {
    const { order_key, bulk } = outcome.row
    receiver.busy.delete(order_key)
    if (settled.state === 'queued') wakeAt(receiver.id, bulk === 1, settled.next_at)
    const mayWait = followed || receiver.wokenWhileBusy || settled.state !== 'delivered'
    if (!mayWait) return
    receiver.wokenWhileBusy = false
    wake(receiver.id, false)
    // What waits behind it may be of the other kind.
    if (hadBacklog.has(receiver.id)) wake(receiver.id, true)
    pump()
  }

  // What no wake-up call told

  async function sweep() {
    // What is freed is found by the look at what is due, right below.
    if (shared) await freeLeases(db, { machineNow: clock.machineNow() })
    await watchHostClock()
    for (const { webhookId, live, bulk } of await nextDue(db)) {
      if (!workers.owns(webhookId)) continue
      found(webhookId, false, live)
      found(webhookId, true, bulk)
    }
    pump()
  }

  function found(id: string, bulk: boolean, at: number | null) {
    if (at === null) return
    if (at > clock.now()) {
      wakeAt(id, bulk, at)
      return
    }
    const receiver = receivers.get(id)
    if (receiver && (receiver.inFlight.size > 0 || receiver.busy.size > 0 || receiver.status !== 'active')) {
      wake(id, bulk)
      return
    }
    if (!waiting[bulk ? 'bulk' : 'live'].has(id)) metrics.sweepFound.inc()
    wake(id, bulk)
  }

  /** Somebody set the host's clock: what was put off must not stay away for longer than its own pause. */
  async function watchHostClock() {
    const difference = clock.machineNow() - clock.steadyNow()
    const jump = difference - lastHostDifference
    if (Math.abs(jump) < jumpMs) {
      lastHostDifference = difference
      return
    }
    log.warn({ jumpMs: Math.round(jump) }, 'the clock of this machine was set; retries are put right')
    const now = clock.now()
    const bounds = Array.from({ length: maxAttempts }, (_, failed) =>
      ([0, 1] as Flag[]).map((asked) => ({ attempts: failed, asked, latest: now + furthest(failed, asked === 1) })),
    ).flat()
    await transaction(db, async (tx) => {
      await clampTo(tx, bounds)
      await alignFollowers(tx)
    })
    lastHostDifference = difference
    for (const { cancel } of timers.values()) cancel()
    timers.clear()
  }

  function sweepSoon(ms: number) {
    nextSweep()
    nextSweep = clock.machineAfter(ms, () => {
      const startedAt = clock.steadyNow()
      let pause = sweepEveryMs[shared ? 'shared' : 'alone']
      sweeping = sweep()
        .catch((error) => {
          log.warn({ error }, 'due deliveries could not be looked for')
          pause = restMs
        })
        .finally(() => {
          sweeping = undefined
          // However long the list of webhooks is, looking for work stays a small part of the work.
          if (!stopped) sweepSoon(Math.max(pause, 20 * (clock.steadyNow() - startedAt)))
        })
    })
  }

  /** Retries that fell due while nobody was here come back within five minutes, first attempts at once. */
  async function spreadOverdue() {
    const now = clock.now()
    const ids = await overdueRetries(db, now - overdueMs)
    if (ids.length === 0) return
    await transaction(db, async (tx) => {
      await reschedule(
        tx,
        ids.map((id, index) => ({ id, next_at: now + Math.floor((spreadMs * (index + 1)) / ids.length) })),
      )
      await alignFollowers(tx)
    })
    log.info({ retries: ids.length }, 'overdue deliveries are spread over five minutes')
  }

  async function start() {
    stopped = false
    lastHostDifference = clock.machineNow() - clock.steadyNow()
    await workers.start(() => sweepSoon(0))
    if (!shared) await freeLeases(db, { deadSince: clock.now() })
    if (workers.alone()) await spreadOverdue()
    const subscriptions = [
      listen(db, 'delivery', (ids) => {
        wakeAll(ids.split(','), false)
        endPause()
      }),
      listen(db, 'backlog', (id) => wakeAll([id], true)),
      listen(db, 'webhook', (id) => forget(id)),
    ]
    unsubscribe = () => {
      for (const unsubscribeOne of subscriptions) unsubscribeOne()
    }
    for (const lane of Object.keys(widths) as Lane[]) metrics.inFlight(lane, () => lanes.inFlight[lane])
    for (const { webhookId } of await nextDue(db)) unknown.add(webhookId)
    await loadReceivers()
    await sweep()
    sweepSoon(sweepEveryMs[shared ? 'shared' : 'alone'])
  }

  return {
    start,
    async stop() {
      if (stopped) return
      stopped = true
      unsubscribe()
      nextSweep()
      for (const { cancel } of timers.values()) cancel()
      await sweeping
      await pumping
      await Promise.all(inFlight)
      await acknowledger.flush()
      await returnLeases(db, workers.me).catch((error) => log.warn({ error }, 'leases could not be given back'))
      await workers.stop()
    },
    async settle() {
      const before = attempts
      if (!stopped) await sweep()
      while (pumping || inFlight.size > 0 || acknowledger.pending() > 0) {
        await pumping
        await Promise.all(inFlight)
        await acknowledger.flush()
      }
      return attempts > before
    },
    async lag() {
      const now = clock.now()
      const times = (await nextDue(db)).flatMap(({ webhookId, live }) => {
        const receiver = receivers.get(webhookId)
        const isWell = receiver?.status === 'active' && receiver.health.state === 'proven'
        return isWell && live !== null && live < now ? [now - live] : []
      })
      return Math.max(0, ...times)
    },
    async outbox() {
      const { waiting: counted, held, endpoints } = await countWaiting(db)
      const pending: Record<string, number> = { proven: 0, unproven: 0, failing: 0, backlog: 0 }
      for (const { bulk, health, n } of counted) {
        const lane = bulk === 1 ? 'backlog' : health
        pending[lane] = (pending[lane] ?? 0) + n
      }
      const oldestAgeSeconds: Record<string, number> = { proven: 0, unproven: 0, failing: 0, backlog: 0 }
      const now = clock.now()
      for (const { webhookId, live, bulk } of await nextDue(db)) {
        const lane = receivers.get(webhookId)?.health.state ?? 'unproven'
        oldestAgeSeconds[lane] = Math.max(oldestAgeSeconds[lane] ?? 0, (now - (live ?? now)) / second)
        oldestAgeSeconds.backlog = Math.max(oldestAgeSeconds.backlog ?? 0, (now - (bulk ?? now)) / second)
      }
      const byState: Record<string, number> = { unproven: 0, proven: 0, failing: 0, paused: 0, disabled: 0 }
      for (const { status, health, n } of endpoints) {
        const state = status === 'active' ? health : status
        byState[state] = (byState[state] ?? 0) + n
      }
      return { pending, oldestAgeSeconds, held, endpoints: byState }
    },
  }
}
