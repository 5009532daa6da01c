import type { CompanyId } from '../db/tables.ts'
import type { CallInput, DriverCommand } from '../domain/call/events.ts'
import type { DeviceTarget, LegId } from '../domain/voice.ts'
import { findUser } from '../features/accounts/users/store.ts'
import { minute } from '../lib/clock.ts'
import type { Services } from '../services.ts'
import type { ActiveCall } from './active-call.ts'
import { callsOfUser } from './active-call-store.ts'
import { peerLegsOf } from './call-peers.ts'
import { deviceTargets, hasPhoneApp, mobileOf } from './device-store.ts'
import { ringLegOf } from './repeatable-commands.ts'
import type { TollGuard } from './toll-guard.ts'

interface Options {
  services: Services
  guard: Pick<TollGuard, 'dial'>
  notify(live: ActiveCall, input: CallInput): void
  claimLeg(live: ActiveCall, leg: LegId): void
  hasLeg(leg: LegId): boolean
}

/** The ring timer of the call ends earlier. */
const maxRingMs = 5 * minute

/** Calls the registered devices of a user beside the phone app, and the mobile number where the user has set one. */
export function createDeviceRings({ services, guard, notify, claimLeg, hasLeg }: Options) {
  const { db, clock, log } = services

  async function callDevice(
    live: ActiveCall,
    target: DeviceTarget,
    { userId, leg: given, caller }: Ring,
  ): Promise<void> {
    const { driver } = live
    const anonymous = caller.from === 'anonymous'
    const device = { ...target, ...(caller.name !== undefined && { displayName: caller.name }) }
    const leg = await driver.dial({
      ...(given !== undefined && { leg: given }),
      trunkIds: [],
      to: '',
      from: caller.from,
      anonymous,
      timeoutMs: maxRingMs,
      device,
      callKey: live.key,
      peers: peerLegsOf(live.state),
    })
    notify(live, { kind: 'ring.dialled', userId, leg, via: 'device' })
    claimLeg(live, leg)
  }

  /** Through the toll guard, from the Number of the call. */
  async function callMobile(live: ActiveCall, phone: string, { userId, leg: given }: Ring): Promise<void> {
    const { companyId, key, number } = live.state
    if (!number) return
    const { digits: line } = number
    const request = { companyId, callKey: key, userId, origin: 'forward', to: phone, from: line, line } as const
    const named = given !== undefined && { leg: given }
    const leg = await guard.dial(live.driver, {
      ...request,
      ...named,
      timeoutMs: maxRingMs,
      peers: peerLegsOf(live.state),
    })
    await ringsOnMobile(live, userId, leg)
    claimLeg(live, leg)
  }

  async function ringsOnMobile(live: ActiveCall, userId: number, leg: LegId): Promise<void> {
    const user = await findUser(db, live.state.companyId, userId)
    notify(live, { kind: 'ring.dialled', userId, leg, via: 'mobile', prompt: promptFor(user?.language ?? '') })
  }

  /** A device that cannot be called does not stop the others. */
  async function attempt(live: ActiveCall, what: string, work: Promise<void>): Promise<void> {
    await work.catch((error: unknown) =>
      log.warn({ event: 'device.ring_failed', key: live.key, what, error }, 'a device could not be called'),
    )
  }

  return async function ringDevices(live: ActiveCall, { userId, legs }: RingCommand): Promise<void> {
    const { companyId, line } = live.state
    const targets = await deviceTargets(db, companyId, { userId, line, machineNow: clock.machineNow() })
    const mobile = await mobileOf(db, companyId, userId)
    if (targets.length === 0 && !mobile) return
    const isAppOpen = await hasPhoneApp(db, companyId, userId)
    // Call waiting: the second call rings in the phone app, which puts the first one on hold.
    if ((await callsOfUser(db, companyId, userId)).some((key) => key !== live.key)) {
      if (!isAppOpen) notify(live, { kind: 'ring.noApp', userId })
      return
    }
    const isOffline = !isAppOpen && targets.length === 0
    const caller = await callerOf(services, companyId, live)
    const ringOn = (target: number | 'mobile'): Ring => {
      const leg = legs === undefined ? undefined : ringLegOf(legs, target)
      return { userId, leg, caller }
    }
    for (const [n, target] of targets.entries()) {
      const ring = ringOn(n)
      await attempt(live, 'device', dialledBefore(live, ring, 'device') ?? callDevice(live, target, ring))
    }
    if (mobile && (mobile.mode === 'always' || isOffline)) {
      const ring = ringOn('mobile')
      await attempt(live, 'mobile', dialledBefore(live, ring, 'mobile') ?? callMobile(live, mobile.phone, ring))
    }
    if (!isAppOpen) notify(live, { kind: 'ring.noApp', userId })
  }

  /** The process that rang has ended: its legs are adopted, and not dialled again. */
  function dialledBefore(live: ActiveCall, { userId, leg }: Ring, via: 'device' | 'mobile'): Promise<void> | undefined {
    if (leg === undefined || !live.adopted.has(leg)) return undefined
    // It has ended in the meantime.
    if (!hasLeg(leg)) return Promise.resolve()
    if (via === 'mobile') return ringsOnMobile(live, userId, leg)
    notify(live, { kind: 'ring.dialled', userId, leg, via })
    return Promise.resolve()
  }
}

type RingCommand = Extract<DriverCommand, { kind: 'ring' }>

/** One leg of a ring. */
interface Ring {
  userId: number
  leg: LegId | undefined
  caller: Caller
}

const spoken = ['en', 'fr', 'es', 'de', 'nl', 'it']

/** In the language of the user, where the prompts are recorded in it. */
function promptFor(language: string): string {
  const own = language.slice(0, 2)
  return `${spoken.includes(own) ? own : 'en'}/forward_accept`
}

interface Caller {
  from: string
  name?: string
}

/** Shown by the device: the external number, or the extension of a colleague. */
async function callerOf({ db }: Services, companyId: CompanyId, { state }: ActiveCall): Promise<Caller> {
  const { external, userId } = state.record
  if (external !== '' || userId === null) return { from: external === '' ? 'anonymous' : external }
  const user = await findUser(db, companyId, userId)
  return user ? { from: user.extension, name: `${user.firstName} ${user.lastName}` } : { from: 'anonymous' }
}
