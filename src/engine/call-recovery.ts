import { isDone, rungBy } from '../domain/call/state.ts'
import type { VoiceDriver } from '../domain/voice.ts'
import { deleteSetting, writeSetting } from '../features/accounts/companies/store.ts'
import { second } from '../lib/clock.ts'
import type { Metrics } from '../lib/metrics.ts'
import { createPeriodicTask } from '../lib/periodic-task.ts'
import type { Services } from '../services.ts'
import { deleteLive } from './active-call-store.ts'
import { createCallClaims, type LostCall, seenKey } from './call-claims.ts'
import { createCallResumption } from './call-resumption.ts'
import { isCallback } from './callback-requests.ts'
import type { Callbacks } from './callbacks.ts'
import type { Engine } from './engine.ts'
import type { ProcessLiveness } from './process-liveness.ts'
import { overlooked } from './queue-store.ts'
import { releaseRings, releaseStale } from './ring-store.ts'
import { createNumberReader, type NumberReader, recordingsIn, restored } from './stored-call.ts'
import type { TollGuard } from './toll-guard.ts'
import type { TrunkDriver } from './trunk-manager.ts'

// The calls of a process that has ended. On real lines their legs are on a line node: another process adopts them and the
// calls go on. Calls whose legs are gone are ended, dated when the process was last seen, with their SIP dialogs.

export interface CallRecovery {
  start(): Promise<void>
  stop(): Promise<void>
}

export interface CallRecoveryOptions {
  services: Services
  metrics: Pick<Metrics, 'callsRecovered' | 'adoptionSeconds'>
  drivers: readonly VoiceDriver[]
  real: TrunkDriver | undefined
  engine: Engine
  guard: Pick<TollGuard, 'callEnded' | 'resume'>
  callbacks: Callbacks
  me: string
  shared: boolean
  liveness: ProcessLiveness
  /** A user may be available although no notification arrived. */
  freed(companyId: number, userId: number): void
}

const beatMs = 3 * second
const soonMs = [0, 250, 1_000, 2_000]
/** How long a call waits for line nodes that cannot be reached. */
const nodeWaitMs = 20 * second

export function createCallRecovery(options: CallRecoveryOptions): CallRecovery {
  const { services, metrics, drivers, real, engine, guard, callbacks, me, shared, liveness, freed } = options
  const { db, clock, log } = services
  const { departed, departedFromLines, claim } = createCallClaims({ services, real, me, shared, liveness })
  const { resume, isAwaitingNode, keptOf } = createCallResumption({ services, real, engine, guard })
  const heartbeat = createPeriodicTask({
    clock,
    intervalMs: beatMs,
    run: beat,
    onError: (error) => log.warn({ event: 'call.recovery_failed', error }, 'could not check calls of other processes'),
  })
  let stopped = false
  /** Claimed, and neither resumed nor ended yet: tried again with the next heartbeat. */
  let unrecovered: readonly LostCall[] = []

  async function takeOver(): Promise<void> {
    const gone = await departed()
    for (let left = await claim(gone); left.length > 0; left = await claim(gone)) await recover(left)
    for (const owner of gone) await deleteSetting(db, seenKey(owner))
    for (const owner of await departedFromLines(gone)) await real?.forgetProcess?.(owner)
    for (const { companyId, userId } of await releaseStale(db)) freed(companyId, userId)
  }

  async function recover(calls: readonly LostCall[]): Promise<void> {
    if (calls.length === 0) return
    const before = unrecovered.filter((call) => !calls.includes(call))
    unrecovered = [...before, ...calls]
    const startedAt = clock.steadyNow()
    const readNumber = createNumberReader(db)
    const going = await resume(calls, readNumber)
    const left: LostCall[] = []
    for (const call of calls) if (!going.has(call.key) && !(await isEnded(call, readNumber))) left.push(call)
    unrecovered = [...before, ...left]
    const [resumed, ended] = [going.size, calls.length - going.size - left.length]
    metrics.callsRecovered.inc({ result: 'resumed' }, resumed)
    metrics.callsRecovered.inc({ result: 'ended' }, ended)
    if (resumed > 0) metrics.adoptionSeconds.observe((clock.steadyNow() - startedAt) / second)
    if (resumed + ended === 0) return
    const facts = { event: 'call.recovered', calls: calls.length, resumed, ended }
    log.warn(facts, 'calls of a process that has stopped: resumed, or ended where their legs are gone')
  }

  /** One call that cannot be read does not hold up the others. */
  async function isEnded(call: LostCall, readNumber: NumberReader): Promise<boolean> {
    try {
      if (clock.steadyNow() - call.claimedAt < nodeWaitMs && isAwaitingNode(call)) return false
      await end(call, readNumber)
      return true
    } catch (error) {
      log.error({ event: 'call.not_recovered', key: call.key, error }, 'call of a stopped process could not be ended')
      return false
    }
  }

  async function end({ companyId, key, state, updatedAt, lostAt }: LostCall, readNumber: NumberReader): Promise<void> {
    if (isCallback(key)) return callbacks.recover(companyId, key)
    const call = await restored(readNumber, companyId, state)
    const rung = rungBy(call).map(({ userId }) => userId)
    await releaseRings(db, companyId, key, rung)
    const kept = await keptOf(recordingsIn(state))
    if (isDone(call)) {
      const [first, ...others] = kept
      if (!first) return deleteLive(db, companyId, key)
      engine.adopt(call, first, updatedAt)
      for (const one of others) engine.notify(key, one)
      return
    }
    await guard.callEnded(companyId, key)
    engine.adopt(call, { kind: 'engine.restarted' }, lostAt)
    // Posted immediately: a call that has ended and has nothing to wait for is dropped.
    for (const one of kept) engine.notify(key, one)
    for (const dialog of Object.values(call.dialogs)) for (const driver of drivers) endDialog(driver, dialog)
  }

  /** In the background: the trunk may not be available yet, and the far end may not respond. */
  function endDialog(driver: VoiceDriver, dialog: string): void {
    driver
      .endDialog(dialog)
      .catch((error) => log.warn({ event: 'call.dialog_not_ended', error }, 'could not end the dialog of a lost call'))
  }

  /** Product time, so that a call of a crashed process gets a plausible end. */
  async function beat(): Promise<void> {
    if (engine.live().length > 0) await writeSetting(db, seenKey(me), String(clock.now()))
    await recover(unrecovered)
    if (!shared) return
    await takeOver()
    for (const { companyId, userId } of await overlooked(db)) freed(companyId, userId)
  }

  /** The lock of a process that has just ended may still be held for a moment. */
  function takeOverSoon(): void {
    for (const delay of soonMs) clock.machineAfter(delay, () => void heartbeat.runNow())
  }

  return {
    async start() {
      await takeOver()
      heartbeat.start()
      real?.onProcessLost?.(takeOverSoon)
    },
    async stop() {
      if (stopped) return
      stopped = true
      await heartbeat.stop()
      // Without a database, one row is left behind.
      await deleteSetting(db, seenKey(me)).catch((error) =>
        log.warn({ event: 'process.heartbeat_not_removed', error }, 'could not remove the heartbeat'),
      )
    },
  }
}
