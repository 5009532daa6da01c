import type { VoiceDriver } from '../domain/voice.ts'
import { dialPlan } from '../live/dial-plan.ts'
import type { Refused, Services } from '../services.ts'
import type { CallStarts } from './call-starts.ts'
import { ownerOfDevice } from './device-store.ts'
import type { Engine } from './engine.ts'
import type { IncomingLeg } from './inbound-calls.ts'

interface Options {
  services: Services
  engine: Pick<Engine, 'forget'>
  starts: Pick<CallStarts, 'start'>
}

/** Calls placed from devices: like calls of the phone app, with the same rules. */
export function createDeviceCalls({ services, engine, starts }: Options) {
  const { db, log } = services

  async function open(driver: VoiceDriver, { leg, to, deviceId }: IncomingLeg): Promise<Refused | undefined> {
    const owner = await ownerOfDevice(db, Number(deviceId))
    if (!owner) return { ok: false, refused: 'forbidden', why: 'The device does not exist' }
    const { companyId, userId } = owner
    const plan = await dialPlan({ services, companyId, userId }, to)
    if (typeof plan === 'string') return { ok: false, refused: 'forbidden', why: plan }
    const started = await starts.start(companyId, { userId, to, ...plan, device: { leg, driver } })
    return started.ok ? undefined : started
  }

  return async function arrive(driver: VoiceDriver, incoming: IncomingLeg): Promise<void> {
    const { leg, deviceId } = incoming
    const refusal = await open(driver, incoming).catch((error: unknown): Refused => {
      log.error({ event: 'device.call_failed', deviceId, error }, 'call of a device could not be started')
      return { ok: false, refused: 'unavailable', why: 'failure' }
    })
    if (!refusal) return
    const { refused, why } = refusal
    log.info({ event: 'device.call_refused', deviceId, refused, why }, 'call of a device was refused')
    engine.forget(leg)
    await driver.reject(leg, rejections[refused])
  }
}

const rejections = { forbidden: 'declined', state: 'busy', gone: 'unavailable', unavailable: 'unavailable' } as const
