import type { LegId, VoiceDriver, VoiceEvent } from '../domain/voice.ts'
import { type Cancel, second } from '../lib/clock.ts'
import type { Services } from '../services.ts'
import type { BackgroundTasks } from './background-tasks.ts'
import { extendReservation, paidAheadMs, type Reservation } from './dial-reservation.ts'
import { endDialled } from './toll-store.ts'

/** Outbound legs of this process: ends those that reach a limit, and records the end of each. */
export interface DialledLegs {
  add(leg: LegId, reservation: Reservation, emergency: boolean, driver: VoiceDriver): void
  /** A leg that another process dialled: limits count from `startedAt` on. */
  resume(leg: LegId, reservation: Reservation, emergency: boolean, driver: VoiceDriver, startedAt: number): void
  onVoiceEvent(event: VoiceEvent): void
  stop(): void
}

interface Dialled {
  reservation: Reservation
  emergency: boolean
  driver: VoiceDriver
  cancels: Cancel[]
}

export function createDialledLegs(services: Services, tasks: Pick<BackgroundTasks, 'run'>): DialledLegs {
  const { db, clock, log } = services
  const legs = new Map<LegId, Dialled>()

  function end(leg: LegId): void {
    const dialled = legs.get(leg)
    if (!dialled) return
    legs.delete(leg)
    for (const cancel of dialled.cancels) cancel()
    const { companyId, id } = dialled.reservation
    const ended = endDialled(db, companyId, id, clock.now())
    tasks.run(ended, 'dial.end_not_saved', 'could not save the end of an outbound call')
  }

  /** From the answer on, the call has a maximum duration and is paid in advance. */
  function watch(leg: LegId, { reservation, emergency, driver, cancels }: Dialled, startedAt = clock.now()): void {
    if (emergency || cancels.length > 0) return
    const { companyId, rules } = reservation
    const hangUp = (why: string) => {
      log.warn({ event: 'dial.ended_by_limit', companyId, why }, 'outbound call ended')
      tasks.run(driver.hangup(leg, 'hangup'), 'dial.hangup_failed', 'could not end an outbound call')
    }
    const payAhead = () => {
      const extended = extendReservation(services, reservation).then((isPaid) => {
        if (!legs.has(leg)) return
        if (isPaid) cancels.push(clock.after(paidAheadMs, payAhead))
        else hangUp('daily spend limit reached')
      })
      tasks.run(extended, 'dial.reservation_failed', 'could not extend the reservation of a call')
    }
    const leftMs = Math.max(0, startedAt + rules.maxSeconds * second - clock.now())
    cancels.push(clock.after(leftMs, () => hangUp('maximum duration reached')))
    if (rules.dailySpend !== null) cancels.push(clock.after(paidAheadMs, payAhead))
  }

  return {
    add(leg, reservation, emergency, driver) {
      legs.set(leg, { reservation, emergency, driver, cancels: [] })
    },
    resume(leg, reservation, emergency, driver, startedAt) {
      const dialled: Dialled = { reservation, emergency, driver, cancels: [] }
      legs.set(leg, dialled)
      watch(leg, dialled, startedAt)
    },
    onVoiceEvent(event) {
      if (event.kind === 'leg.ended') end(event.leg)
      if (event.kind !== 'leg.answered') return
      const dialled = legs.get(event.leg)
      if (dialled) watch(event.leg, dialled)
    },
    stop() {
      for (const { cancels } of legs.values()) for (const cancel of cancels) cancel()
      legs.clear()
    },
  }
}
