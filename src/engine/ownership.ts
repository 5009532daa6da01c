import { type Tx, transaction } from '../db/database.ts'
import { isDone, rungBy } from '../domain/call/state.ts'
import type { VoiceDriver } from '../domain/voice.ts'
import { deleteSetting, readSetting, writeSetting } from '../features/accounts/companies/store.ts'
import { type Cancel, second } from '../lib/clock.ts'
import type { Services } from '../services.ts'
import { type Callbacks, isCallback } from './callbacks.ts'
import type { Departures } from './departures.ts'
import type { Engine } from './engine.ts'
import { adopt, deleteLive, type LiveCall, orphans, owners } from './live-store.ts'
import { overlooked } from './queue-store.ts'
import { releaseRings, releaseStale } from './ring-store.ts'
import { type Recordings, recordingsIn, restored } from './saved.ts'
import type { TollGuard } from './toll-guard.ts'
import type { LineDriver } from './trunk-lines.ts'

// Sound does not survive the process that carried it: whoever is left ends the calls of one that is gone, with the time at
// which it was last seen, and tells the far end.

export interface Ownership {
  start(): Promise<void>
  stop(): Promise<void>
}

export interface OwnershipParts {
  services: Services
  drivers: readonly VoiceDriver[]
  real: LineDriver | undefined
  engine: Engine
  guard: Pick<TollGuard, 'callEnded'>
  callbacks: Callbacks
  me: string
  shared: boolean
  departures: Departures
  /** Somebody may be free although nobody heard of it. */
  freed(companyId: number, userId: number): void
}

type LostCall = LiveCall & { lostAt: number }

const beatMs = 3 * second

export function createOwnership({
  services,
  drivers,
  real,
  engine,
  guard,
  callbacks,
  me,
  shared,
  departures,
  freed,
}: OwnershipParts): Ownership {
  const { db, clock, log } = services
  let cancel: Cancel = () => {}
  let beating: Promise<void> = Promise.resolve()
  let stopped = false

  async function takeOver(): Promise<void> {
    const gone = await departed()
    for (let left = await claim(gone); left.length > 0; left = await claim(gone)) {
      for (const call of left) await end(call)
      log.warn({ calls: left.length }, 'ended calls of a process that is gone')
    }
    for (const owner of gone) await deleteSetting(db, seenKey(owner))
    for (const { companyId, userId } of await releaseStale(db)) freed(companyId, userId)
  }

  async function departed(): Promise<string[]> {
    const others = (await owners(db)).filter((owner) => owner !== me)
    return shared && others.length > 0 ? departures.among(others) : others
  }

  /** Another process may do the same at this moment: each call is taken over once. */
  const claim = (gone: readonly string[]): Promise<LostCall[]> =>
    transaction(db, async (tx) => {
      const left = await Promise.all((await orphans(tx, gone)).map((call) => withLostAt(tx, call)))
      for (const { companyId, key, lostAt } of left) await adopt(tx, companyId, { key, owner: me, lostAt })
      return left
    })

  /** The first process that took it over has noted the time: its own last sign of life says nothing about the call. */
  async function withLostAt(tx: Tx, call: LiveCall): Promise<LostCall> {
    const seen = Number((await readSetting(tx, seenKey(call.owner))) ?? 0)
    return { ...call, lostAt: call.lostAt ?? Math.max(seen, call.updatedAt) }
  }

  async function end({ companyId, key, state, updatedAt, lostAt }: LostCall): Promise<void> {
    if (isCallback(key)) return callbacks.recover(companyId, key)
    const call = await restored(db, companyId, state)
    const rung = rungBy(call).map(({ userId }) => userId)
    await releaseRings(db, companyId, key, rung)
    const kept = await keptOf(recordingsIn(state))
    if (isDone(call)) {
      const [first, ...others] = kept
      if (!first) return deleteLive(db, companyId, key)
      engine.adopt(call, first, updatedAt)
      for (const one of others) engine.tell(key, one)
      return
    }
    await guard.callEnded(companyId, key)
    engine.adopt(call, { kind: 'engine.restarted' }, lostAt)
    // At once: a call that is over and has nothing to wait for is dropped.
    for (const one of kept) engine.tell(key, one)
    for (const dialog of Object.values(call.dialogs)) for (const driver of drivers) sayGoodbye(driver, dialog)
  }

  /** Not waited for: a line may not be there yet, and a far end may never answer. */
  function sayGoodbye(driver: VoiceDriver, dialog: string): void {
    driver.endDialog(dialog).catch((error) => log.warn({ error }, 'the far end of a lost call could not be told'))
  }

  /** What was being recorded, as far as it is on the disk; of a call that is over, what was being closed. */
  async function keptOf(recordings: Recordings) {
    const found = await Promise.all(
      [...recordings].map(async ([recId, what]) => {
        const sound = await real?.salvage(recId)
        if (!sound) return []
        return [{ kind: 'record.ended' as const, recId, what, file: sound.file, ms: Math.round(sound.seconds * 1_000) }]
      }),
    )
    return found.flat()
  }

  /** Product time, so that a call that nobody saw end has a plausible end. */
  async function beat(): Promise<void> {
    if (engine.live().length > 0) await writeSetting(db, seenKey(me), String(clock.now()))
    if (!shared) return
    await takeOver()
    for (const { companyId, userId } of await overlooked(db)) freed(companyId, userId)
  }

  function again(): void {
    cancel = clock.machineAfter(beatMs, () => {
      beating = beat()
        .catch((error) => log.warn({ error }, 'calls of other processes could not be looked at'))
        .finally(() => {
          if (!stopped) again()
        })
    })
  }

  return {
    async start() {
      await takeOver()
      again()
    },
    async stop() {
      if (stopped) return
      stopped = true
      cancel()
      await beating
      // A store that is away keeps one line too many.
      await deleteSetting(db, seenKey(me)).catch((error) => log.warn({ error }, 'the last sign of life stays behind'))
    },
  }
}

const seenKey = (owner: string) => `calls seen ${owner}`
