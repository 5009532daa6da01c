import type { CompanyId } from '../db/tables.ts'
import type { EndReason, LegId, VoiceDriver, VoiceEvent } from '../domain/voice.ts'
import { findNumber, homeCountry } from '../features/numbers/store.ts'
import { allTrunks, findTrunk, noteTrunkState, type Trunk } from '../features/trunks/store.ts'
import { type Cancel, second } from '../lib/clock.ts'
import { callingCodeOf } from '../lib/phone-format.ts'
import type { Services, Trunks, TrunkTest } from '../services.ts'
import { DialRefused, type TollGuard } from './toll-guard.ts'

// What is set in the dashboard reaches the lines without a restart, and what is seen of the lines reaches the dashboard.

/** A driver with lines to the outside. */
export interface LineDriver extends VoiceDriver {
  /** What changed is connected anew; calls go on. */
  setTrunks(trunks: readonly Line[]): void
  /** For one more call, that is for two more legs. */
  hasRoom(): Promise<boolean>
  /** What is left of a recording whose program is gone. */
  salvage(recId: string): Promise<{ file: string; seconds: number } | undefined>
}

export interface Line extends Omit<Trunk, 'companyId' | 'name' | 'enabled' | 'passwordSealed' | 'up' | 'upAt' | 'id'> {
  id: string
  password: string | null
  /** For numbers in national form: those of the company's first Number. */
  country: string | null
  callingCode: string | null
}

export interface TrunkLines extends Trunks {
  start(): Promise<void>
  stop(): Promise<void>
}

export type Home = Pick<Line, 'country' | 'callingCode'>

interface Parts {
  services: Services
  guard: TollGuard
  driver: LineDriver
}

const lookAgainMs = 5 * second
const testRingMs = 30 * second
const testToneMs = 5 * second

export function createTrunkLines({ services, guard, driver }: Parts): TrunkLines {
  const { db, clock, log, vault } = services
  const owners = new Map<string, CompanyId>()
  let known = ''
  let cancel: Cancel = () => {}
  let looking: Promise<void> = Promise.resolve()
  let stopped = false

  async function look(): Promise<void> {
    const lines: Line[] = []
    owners.clear()
    for (const trunk of await allTrunks(db)) {
      owners.set(String(trunk.id), trunk.companyId)
      if (trunk.enabled) lines.push(lineOf(trunk, await homeOf(trunk.companyId)))
    }
    const now = JSON.stringify(lines)
    if (now === known) return
    known = now
    driver.setTrunks(lines)
  }

  async function homeOf(companyId: CompanyId): Promise<Home> {
    const country = await homeCountry(db, companyId)
    return { country, callingCode: country === null ? null : await callingCodeOf(country) }
  }

  function lineOf(trunk: Trunk, home: Home): Line {
    const { companyId: _company, name: _name, enabled: _enabled, passwordSealed, up: _up, upAt: _upAt, ...rest } = trunk
    const password = passwordSealed === null ? null : vault.open(passwordSealed)
    return { ...rest, ...home, id: String(trunk.id), password }
  }

  function lookSoon(): void {
    looking = looking.then(look).catch((error) => log.warn({ error }, 'the trunks could not be looked at'))
  }

  function again(): void {
    cancel = clock.machineAfter(lookAgainMs, () => {
      lookSoon()
      looking.finally(() => {
        if (!stopped) again()
      })
    })
  }

  function hear(event: VoiceEvent): void {
    if (event.kind !== 'trunk.state') return
    const { trunkId, up } = event
    const companyId = owners.get(trunkId)
    if (companyId === undefined) return
    log.info({ trunkId, up }, up ? 'a trunk is up' : 'a trunk is down')
    noteTrunkState(db, companyId, Number(trunkId), up, clock.now()).catch((error) =>
      log.warn({ error }, 'the state of a trunk could not be noted'),
    )
  }

  /** What became of a leg, and what the carrier said last. */
  function outcomeOf(
    leg: LegId,
    early: readonly VoiceEvent[],
    forget: Set<() => void>,
  ): Promise<{ reason: EndReason | 'answered'; code: number | null }> {
    let code: number | null = null
    return new Promise((resolve) => {
      const take = (event: VoiceEvent) => {
        if (!('leg' in event) || event.leg !== leg) return
        if (event.kind === 'leg.progress') code = event.code
        if (event.kind === 'leg.answered') resolve({ reason: 'answered', code: 200 })
        if (event.kind === 'leg.ended') resolve({ reason: event.reason, code: event.code ?? code })
      }
      for (const event of early) take(event)
      listeners.add(take)
      forget.add(() => listeners.delete(take))
    })
  }

  const listeners = new Set<(event: VoiceEvent) => void>()
  driver.on((event) => {
    hear(event)
    for (const listen of listeners) listen(event)
  })

  async function test(
    companyId: CompanyId,
    { trunkId, numberId, to }: Parameters<Trunks['test']>[1],
  ): Promise<TrunkTest> {
    const number = await findNumber(db, companyId, numberId)
    const trunk = await findTrunk(db, companyId, trunkId)
    if (!number || !trunk) return { outcome: 'not_allowed', code: null, seconds: 0, explanation: 'No such Number' }
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
      const { reason, code } = await outcomeOf(leg, early, forget)
      if (reason === 'answered') playAndHangUp(leg)
      return { ...told(reason), code, seconds: (clock.machineNow() - begun) / 1_000 }
    } catch (error) {
      const isRefused = error instanceof DialRefused
      const explanation = isRefused ? error.message : 'The call could not be placed: see whether the trunk is up'
      return { outcome: isRefused ? 'not_allowed' : 'failed', code: null, seconds: 0, explanation }
    } finally {
      for (const run of forget) run()
    }
  }

  function playAndHangUp(leg: LegId): void {
    driver.play(leg, ['waiting'], { loop: true }).catch(() => {})
    clock.machineAfter(testToneMs, () => {
      driver.hangup(leg).catch((error) => log.warn({ error }, 'a test call could not be ended'))
    })
  }

  return {
    changed: lookSoon,
    test,
    async start() {
      await look()
      again()
    },
    async stop() {
      stopped = true
      cancel()
      await looking
    },
  }
}

function told(reason: EndReason | 'answered'): Pick<TrunkTest, 'outcome' | 'explanation'> {
  switch (reason) {
    case 'answered':
      return { outcome: 'answered', explanation: 'Somebody answered: the line works' }
    case 'busy':
      return { outcome: 'busy', explanation: 'The line works; the number is busy' }
    case 'no_answer':
    case 'cancelled':
      return { outcome: 'no_answer', explanation: 'It rang and nobody answered: the line works' }
    case 'rejected':
      return {
        outcome: 'rejected',
        explanation: 'The carrier refused the call: check the account and the number shown',
      }
    default:
      return { outcome: 'failed', explanation: 'The carrier did not answer, or failed: check host, port and transport' }
  }
}
