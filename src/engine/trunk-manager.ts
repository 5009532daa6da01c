import { listen } from '../db/dialect.ts'
import type { CompanyId } from '../db/tables.ts'
import type { TrunkLine } from '../domain/trunk-line.ts'
import type { LegId, VoiceEvent } from '../domain/voice.ts'
import { homeCountry } from '../features/accounts/numbers/store.ts'
import { isWide } from '../features/trunks/trunks/settings.ts'
import { allTrunks, type Trunk } from '../features/trunks/trunks/store.ts'
import { second } from '../lib/clock.ts'
import { createPeriodicTask } from '../lib/periodic-task.ts'
import { callingCodeOf } from '../lib/phone-format.ts'
import type { TrunkFigures } from '../lib/telephony-metrics.ts'
import type { Services } from '../services.ts'
import type { DeviceDriver } from './device-manager.ts'
import { createRegistrationLeases } from './registration-leases.ts'
import type { TollGuard } from './toll-guard.ts'
import { createTrunkStates } from './trunk-states.ts'
import { createTrunkTest, type TestTrunk } from './trunk-test.ts'

// Applies trunk settings to the driver without a restart, and saves the trunk states it reports.

/** A driver with SIP trunks. */
export interface TrunkDriver extends DeviceDriver {
  /**
   * Reconnects changed trunks; active calls continue. `registrations`: the node that registers, by trunk; without it every
   * node does.
   */
  setTrunks(trunks: readonly TrunkLine[], registrations?: ReadonlyMap<string, string>): void
  /** The nodes that carry the calls. */
  nodes?(): LineNodeStatus[]
  /** Whether there is capacity for one more call, that is two legs. */
  hasRoom(): Promise<boolean>
  /** The remainder of a recording whose process has ended. */
  salvage(recId: string): Promise<{ file: string; seconds: number } | undefined>
  /**
   * Legs outlive this process: takes over those of a process that has ended. Returns the legs and recordings that still
   * exist; undefined if there are none at all. Events that were not acknowledged follow.
   */
  adopt?(what: LegsAndRecordings): Promise<LegsAndRecordings | undefined>
  /** The calls of that process are adopted or ended: what is left of it ends. */
  forgetProcess?(owner: string): Promise<void>
  /** Processes that are no longer connected, and the legs of which may be adopted. */
  lostProcesses?(): readonly string[]
  onProcessLost?(listener: () => void): void
  /** Resolves when the trunks that were set last are in use, or could not be. */
  trunksApplied?(): Promise<void>
  /** From now on, other processes get new calls, and closing the driver leaves active legs to one of them. */
  handOver?(): Promise<void>
}

/** A line node as this process sees it. */
export interface LineNodeStatus {
  id: string
  /** On another host. */
  isRemote: boolean
  isConnected: boolean
  /** New calls and registrations may be placed on it. */
  isUsable: boolean
  isDraining: boolean
  legs: number
  maxLegs: number
  release: string | null
}

export interface LegsAndRecordings {
  legs: readonly LegId[]
  recordings: readonly string[]
}

export interface TrunkManager {
  /** Applies changed settings now. */
  changed(): void
  test: TestTrunk
  /** The trunks of this process for the metrics. */
  figures(): TrunkFigures[]
  start(): Promise<void>
  stop(): Promise<void>
  /** Resolves when changed settings are in use. */
  settle(): Promise<void>
  /** After the driver was closed: resolves when the last states of the trunks are saved. */
  end(): Promise<void>
}

export type Home = Pick<TrunkLine, 'country' | 'callingCode'>

interface Options {
  services: Services
  guard: TollGuard
  driver: TrunkDriver
  /** Other processes may have line nodes of their own. */
  shared: boolean
}

/** Announces changed trunks to every process that carries calls. */
export const trunksChannel = 'trunks'
const lookAgainMs = 2.5 * second

export function createTrunkManager({ services, guard, driver, shared }: Options): TrunkManager {
  const { db, clock, log, vault } = services
  const states = createTrunkStates(services)
  const leases = createRegistrationLeases({ db, clock, nodes: () => driver.nodes?.() ?? [] })
  const owners = new Map<string, CompanyId | null>()
  const served = new Map<string, TrunkFigures>()
  let known = ''
  const refresh = createPeriodicTask({ clock, intervalMs: lookAgainMs, run: lookSoon, onError: refreshFailed })
  let looking: Promise<void> = Promise.resolve()
  let unsubscribe = () => {}
  let isRunning = false

  async function look(): Promise<void> {
    const lines: TrunkLine[] = []
    owners.clear()
    for (const trunk of await allTrunks(db)) {
      owners.set(String(trunk.id), trunk.companyId)
      if (trunk.enabled) lines.push(lineOf(vault, trunk, await homeOf(db, trunk)))
    }
    const registrations = await registrationsOf(lines)
    const now = JSON.stringify([lines, registrations && [...registrations]])
    if (now === known) return
    known = now
    const before = new Map(served)
    served.clear()
    for (const { id, registers } of lines)
      served.set(id, { isUp: null, lastResponse: 0, ...before.get(id), id, registers })
    driver.setTrunks(lines, registrations)
  }

  /** Undefined: there is one node only. */
  async function registrationsOf(lines: readonly TrunkLine[]): Promise<ReadonlyMap<string, string> | undefined> {
    const nodes = driver.nodes?.() ?? []
    const registering = lines.filter(({ registers }) => registers).map(({ id }) => id)
    if (registering.length === 0 || (!shared && nodes.length < 2)) return undefined
    return leases.claim(registering)
  }

  function lookSoon(): Promise<void> {
    looking = looking.then(look).catch(refreshFailed)
    return looking
  }

  function refreshFailed(error: unknown): void {
    log.warn({ event: 'trunk.refresh_failed', error }, 'could not read the trunks')
  }

  function onVoiceEvent(event: VoiceEvent): void {
    if (event.kind !== 'trunk.state') return
    const { trunkId, up, detail = null } = event
    const companyId = owners.get(trunkId)
    if (companyId === undefined) return
    const known = served.get(trunkId)
    if (known) served.set(trunkId, { ...known, isUp: up, lastResponse: statusIn(detail) })
    if (up) log.info({ event: 'trunk.up', trunkId, detail }, 'trunk is up')
    else log.warn({ event: 'trunk.down', trunkId, companyId, detail }, 'trunk is down')
    states.save(companyId, trunkId, { up, detail })
  }

  driver.on(onVoiceEvent)

  return {
    /** A command changes trunks without serving them: only a server opens SIP ports. */
    changed: async () => (isRunning ? lookSoon() : undefined),
    test: createTrunkTest({ services, guard, driver }),
    figures: () => [...served.values()],
    async start() {
      isRunning = true
      await look()
      refresh.start()
      unsubscribe = listen(db, trunksChannel, lookSoon)
    },
    async stop() {
      isRunning = false
      unsubscribe()
      await refresh.stop()
      await looking
    },
    async settle() {
      await looking
      await driver.trunksApplied?.()
    },
    end: states.idle,
  }
}

/** The status code of `REGISTER: 403 Forbidden`; 0 for an error without a response. */
const statusIn = (detail: string | null) => Number(/^(?:[A-Z]+: )?([1-6]\d\d)\b/.exec(detail ?? '')?.[1] ?? 0)

async function homeOf(db: Services['db'], trunk: Trunk): Promise<Home> {
  const country = trunk.companyId === null ? trunk.country : await homeCountry(db, trunk.companyId)
  return { country, callingCode: country === null ? null : await callingCodeOf(country) }
}

function lineOf(vault: Services['vault'], trunk: Trunk, home: Home): TrunkLine {
  const { companyId, name: _name, enabled: _enabled, passwordSealed, inboundPasswordSealed, ...seen } = trunk
  const { up: _up, upAt: _upAt, upDetail: _detail, ...rest } = seen
  const open = (sealed: string | null) => (sealed === null ? null : vault.open(sealed))
  // Only the operator may set ranges this wide; a company may have set one before that rule existed.
  const addresses = companyId === null ? rest.addresses : rest.addresses.filter((range) => !isWide(range))
  const secrets = { password: open(passwordSealed), inboundPassword: open(inboundPasswordSealed) }
  return { ...rest, ...home, ...secrets, addresses, id: String(trunk.id), restricted: companyId !== null }
}
