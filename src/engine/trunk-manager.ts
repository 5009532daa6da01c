import { listen } from '../db/dialect.ts'
import type { CompanyId } from '../db/tables.ts'
import { responseText } from '../domain/sip-response.ts'
import type { EndReason, LegId, VoiceDriver, VoiceEvent } from '../domain/voice.ts'
import { findNumber, homeCountry, numberByDigits } from '../features/accounts/numbers/store.ts'
import { isWide } from '../features/trunks/trunks/settings.ts'
import { allTrunks, type Trunk, usableTrunk, usableTrunks } from '../features/trunks/trunks/store.ts'
import { second } from '../lib/clock.ts'
import { createPeriodicTask } from '../lib/periodic-task.ts'
import { callingCodeOf } from '../lib/phone-format.ts'
import type { Services, Trunks, TrunkTest } from '../services.ts'
import { DialRefused, type TollGuard } from './toll-guard.ts'
import { createTrunkStates } from './trunk-states.ts'

// Applies trunk settings to the driver without a restart, and saves the trunk states it reports.

/** A driver with SIP trunks. */
export interface TrunkDriver extends VoiceDriver {
  /** Reconnects changed trunks; active calls continue. */
  setTrunks(trunks: readonly TrunkLine[]): void
  /** Whether there is capacity for one more call, that is two legs. */
  hasRoom(): Promise<boolean>
  /** The remainder of a recording whose process has ended. */
  salvage(recId: string): Promise<{ file: string; seconds: number } | undefined>
}

type Settings = Omit<
  Trunk,
  'companyId' | 'name' | 'enabled' | 'passwordSealed' | 'inboundPasswordSealed' | 'up' | 'upAt' | 'upDetail' | 'id'
>

export interface TrunkLine extends Settings {
  id: string
  password: string | null
  inboundPassword: string | null
  /** Set by a company, not by the operator: its host must be a public address. */
  restricted: boolean
  /** For numbers in national format: those of the company's first Number. */
  country: string | null
  callingCode: string | null
}

export type TrunkTestRequest = Parameters<Trunks['test']>[1]

export interface TrunkManager {
  /** Applies changed settings now. */
  changed(): void
  test(companyId: CompanyId, test: TrunkTestRequest): Promise<TrunkTest>
  start(): Promise<void>
  stop(): Promise<void>
  /** After the driver was closed: resolves when the last states of the trunks are saved. */
  end(): Promise<void>
}

export type Home = Pick<TrunkLine, 'country' | 'callingCode'>

interface Options {
  services: Services
  guard: TollGuard
  driver: TrunkDriver
}

/** Announces changed trunks to every process that carries calls. */
export const trunksChannel = 'trunks'
const lookAgainMs = 5 * second
const testRingMs = 30 * second
const testToneMs = 5 * second

export function createTrunkManager({ services, guard, driver }: Options): TrunkManager {
  const { db, clock, log, vault } = services
  const states = createTrunkStates({ db, clock, log })
  const owners = new Map<string, CompanyId | null>()
  let known = ''
  const refresh = createPeriodicTask({ clock, intervalMs: lookAgainMs, run: lookSoon, onError: refreshFailed })
  let looking: Promise<void> = Promise.resolve()
  let unsubscribe = () => {}

  async function look(): Promise<void> {
    const lines: TrunkLine[] = []
    owners.clear()
    for (const trunk of await allTrunks(db)) {
      owners.set(String(trunk.id), trunk.companyId)
      if (trunk.enabled) lines.push(lineOf(trunk, await homeOf(trunk)))
    }
    const now = JSON.stringify(lines)
    if (now === known) return
    known = now
    driver.setTrunks(lines)
  }

  async function homeOf(trunk: Trunk): Promise<Home> {
    const country = trunk.companyId === null ? trunk.country : await homeCountry(db, trunk.companyId)
    return { country, callingCode: country === null ? null : await callingCodeOf(country) }
  }

  function lineOf(trunk: Trunk, home: Home): TrunkLine {
    const { companyId, name: _name, enabled: _enabled, passwordSealed, inboundPasswordSealed, ...seen } = trunk
    const { up: _up, upAt: _upAt, upDetail: _detail, ...rest } = seen
    const open = (sealed: string | null) => (sealed === null ? null : vault.open(sealed))
    // Only the operator may set ranges this wide; a company may have set one before that rule existed.
    const addresses = companyId === null ? rest.addresses : rest.addresses.filter((range) => !isWide(range))
    const secrets = { password: open(passwordSealed), inboundPassword: open(inboundPasswordSealed) }
    return { ...rest, ...home, ...secrets, addresses, id: String(trunk.id), restricted: companyId !== null }
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
    log.info({ event: up ? 'trunk.up' : 'trunk.down', trunkId, detail }, up ? 'trunk is up' : 'trunk is down')
    states.save(companyId, trunkId, { up, detail })
  }

  /** The result of a leg, and the last SIP response. */
  function outcomeOf(leg: LegId, early: readonly VoiceEvent[], forget: Set<() => void>): Promise<TestOutcome> {
    let code: number | null = null
    return new Promise((resolve) => {
      const take = (event: VoiceEvent) => {
        if (!('leg' in event) || event.leg !== leg) return
        if (event.kind === 'leg.progress') code = event.code
        if (event.kind === 'leg.answered') resolve({ reason: 'answered', code: 200, rang: true })
        const rang = code !== null && code >= 180
        if (event.kind === 'leg.ended') resolve({ reason: event.reason, code: event.code ?? code, rang })
      }
      for (const event of early) take(event)
      listeners.add(take)
      forget.add(() => listeners.delete(take))
    })
  }

  const listeners = new Set<(event: VoiceEvent) => void>()
  driver.on((event) => {
    onVoiceEvent(event)
    for (const listen of listeners) listen(event)
  })

  async function test(
    companyId: CompanyId,
    { trunkId, numberId, to }: Parameters<Trunks['test']>[1],
  ): Promise<TrunkTest> {
    const number = await findNumber(db, companyId, numberId)
    const trunk = await usableTrunk(db, companyId, trunkId)
    if (!number || !trunk) {
      return { outcome: 'not_allowed', code: null, response: null, seconds: 0, explanation: 'No such Number' }
    }
    const begun = clock.machineNow()
    const early: VoiceEvent[] = []
    const collect = (event: VoiceEvent) => void early.push(event)
    const forget = new Set<() => void>([() => listeners.delete(collect)])
    listeners.add(collect)
    try {
      const leg = await guard.dial(driver, {
        companyId,
        userId: null,
        callKey: `test:${trunkId}`,
        origin: 'test_call',
        to,
        from: number.digits,
        line: number.digits,
        timeoutMs: testRingMs,
        trunkId,
      })
      const outcome = await outcomeOf(leg, early, forget)
      const { reason, code } = outcome
      if (reason === 'answered') playAndHangUp(leg)
      return { ...resultOf(outcome), code, response: responseIn(code), seconds: (clock.machineNow() - begun) / 1_000 }
    } catch (error) {
      const isRefused = error instanceof DialRefused
      const why = error instanceof Error ? error.message : String(error)
      const explanation = isRefused ? why : `The call could not be placed: ${why}`
      return { outcome: isRefused ? 'not_allowed' : 'failed', code: null, response: null, seconds: 0, explanation }
    } finally {
      for (const run of forget) run()
    }
  }

  function playAndHangUp(leg: LegId): void {
    driver.play(leg, ['waiting'], { loop: true }).catch(() => {})
    clock.machineAfter(testToneMs, () => {
      driver
        .hangup(leg)
        .catch((error) => log.warn({ event: 'trunk.test_hangup_failed', error }, 'could not end the test call'))
    })
  }

  return {
    changed: lookSoon,
    test,
    async start() {
      await look()
      refresh.start()
      unsubscribe = listen(db, trunksChannel, lookSoon)
    },
    async stop() {
      unsubscribe()
      await refresh.stop()
      await looking
    },
    end: states.idle,
  }
}

interface TestOutcome {
  reason: EndReason | 'answered'
  /** The last response. */
  code: number | null
  /** Whether the far end reported ringing. */
  rang: boolean
}

const responseIn = (code: number | null) => (code === null ? null : responseText(code))

function resultOf({ reason, code, rang }: TestOutcome): Pick<TrunkTest, 'outcome' | 'explanation'> {
  if (code === null || code === 100) return noResponse(code)
  switch (reason) {
    case 'answered':
      return { outcome: 'answered', explanation: 'The call was answered: the trunk works' }
    case 'busy':
      return { outcome: 'busy', explanation: 'The trunk works; the called number is busy' }
    case 'no_answer':
    case 'cancelled':
      return rang
        ? { outcome: 'no_answer', explanation: 'The called phone rang and was not answered: the trunk works' }
        : {
            outcome: 'failed',
            explanation: `The carrier responded with ${responseText(code)} and the phone did not ring`,
          }
    case 'rejected':
      return {
        outcome: 'rejected',
        explanation: `The carrier refused the call with ${responseText(code)}: check the account and the caller ID`,
      }
    default:
      return { outcome: 'failed', explanation: `The carrier responded with ${responseText(code)}` }
  }
}

const noResponse = (code: number | null): Pick<TrunkTest, 'outcome' | 'explanation'> => ({
  outcome: 'no_response',
  explanation:
    code === null
      ? 'No SIP response from the carrier: check host, port, transport and firewall'
      : 'The carrier accepted the call (100 Trying) and then sent nothing more',
})

/** One interpretation of an INVITE: a trunk it may belong to, and the called number. */
export interface TrunkCandidate {
  trunkId: string
  to: string
}

/**
 * The trunk that an INVITE belongs to, where several share its source address: one that carries calls of the company
 * that owns the called number. The oldest wins, so that no company can take over calls by adding a trunk.
 */
export async function trunkForCall(
  db: Services['db'],
  candidates: readonly TrunkCandidate[],
): Promise<string | undefined> {
  const fit = new Set<number>()
  for (const to of new Set(candidates.map((candidate) => candidate.to))) {
    const number = await numberByDigits(db, to)
    if (!number) continue
    const usable = new Set((await usableTrunks(db, number.companyId)).map(({ id }) => id))
    for (const one of candidates) if (one.to === to && usable.has(Number(one.trunkId))) fit.add(Number(one.trunkId))
  }
  const [oldest] = [...fit].sort((a, b) => a - b)
  return oldest === undefined ? undefined : String(oldest)
}
