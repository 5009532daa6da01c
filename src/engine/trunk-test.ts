import type { CompanyId } from '../db/tables.ts'
import { responseText } from '../domain/sip-response.ts'
import type { EndReason, LegId, VoiceDriver, VoiceEvent } from '../domain/voice.ts'
import { findNumber } from '../features/accounts/numbers/store.ts'
import { usableTrunk } from '../features/trunks/trunks/store.ts'
import { second } from '../lib/clock.ts'
import type { Services, Trunks, TrunkTest } from '../services.ts'
import { DialRefused, type DialRequest, type TollGuard } from './toll-guard.ts'

// The test call of a trunk: rings a phone, plays a tone and reports how the carrier responded.

export type TrunkTestRequest = Parameters<Trunks['test']>[1]

export type TestTrunk = (companyId: CompanyId, request: TrunkTestRequest) => Promise<TrunkTest>

interface Options {
  services: Services
  guard: TollGuard
  driver: VoiceDriver
}

const ringMs = 30 * second
const toneMs = 5 * second

export function createTrunkTest({ services, guard, driver }: Options): TestTrunk {
  const { db, clock, log } = services
  const listeners = new Set<(event: VoiceEvent) => void>()
  driver.on((event) => {
    for (const listen of listeners) listen(event)
  })

  /** Dials and waits for the result; events may arrive before the driver has returned the leg. */
  async function dial(request: DialRequest): Promise<{ leg: LegId; outcome: TestOutcome }> {
    const early: VoiceEvent[] = []
    let take: (event: VoiceEvent) => void = (event) => early.push(event)
    const listener = (event: VoiceEvent) => take(event)
    listeners.add(listener)
    try {
      const leg = await guard.dial(driver, request)
      const outcome = await new Promise<TestOutcome>((resolve) => {
        take = outcomeTaker(leg, resolve)
        for (const event of early) take(event)
      })
      return { leg, outcome }
    } finally {
      listeners.delete(listener)
    }
  }

  function playAndHangUp(leg: LegId): void {
    driver.play(leg, ['waiting'], { loop: true }).catch(() => {})
    clock.machineAfter(toneMs, () => {
      driver
        .hangup(leg)
        .catch((error) => log.warn({ event: 'trunk.test_hangup_failed', error }, 'could not end the test call'))
    })
  }

  return async (companyId, { trunkId, numberId, to }) => {
    const number = await findNumber(db, companyId, numberId)
    const trunk = await usableTrunk(db, companyId, trunkId)
    if (!number || !trunk) return notPlaced('not_allowed', 'No such Number')
    const started = clock.machineNow()
    try {
      const { leg, outcome } = await dial({
        companyId,
        userId: null,
        callKey: `test:${trunkId}`,
        origin: 'test_call',
        to,
        from: number.digits,
        line: number.digits,
        timeoutMs: ringMs,
        trunkId,
      })
      const { reason, code } = outcome
      if (reason === 'answered') playAndHangUp(leg)
      return { ...resultOf(outcome), code, response: responseIn(code), seconds: (clock.machineNow() - started) / 1_000 }
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error)
      if (error instanceof DialRefused) return notPlaced('not_allowed', why)
      return notPlaced('failed', `The call could not be placed: ${why}`)
    }
  }
}

const notPlaced = (outcome: TrunkTest['outcome'], explanation: string): TrunkTest => ({
  outcome,
  code: null,
  response: null,
  seconds: 0,
  explanation,
})

interface TestOutcome {
  reason: EndReason | 'answered'
  /** The last response. */
  code: number | null
  /** Whether the far end reported ringing. */
  rang: boolean
}

/** Takes the events of a leg; resolves when it is answered or has ended. */
function outcomeTaker(leg: LegId, resolve: (outcome: TestOutcome) => void): (event: VoiceEvent) => void {
  let code: number | null = null
  return (event) => {
    if (!('leg' in event) || event.leg !== leg) return
    if (event.kind === 'leg.progress') code = event.code
    if (event.kind === 'leg.answered') resolve({ reason: 'answered', code: 200, rang: true })
    const rang = code !== null && code >= 180
    if (event.kind === 'leg.ended') resolve({ reason: event.reason, code: event.code ?? code, rang })
  }
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
