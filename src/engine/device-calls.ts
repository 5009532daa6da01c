import type { CompanyId } from '../db/tables.ts'
import type { CallCommand } from '../domain/call/commands.ts'
import type { VoiceDriver } from '../domain/voice.ts'
import { dialPlan } from '../live/dial-plan.ts'
import type { Refused, Reply, Services } from '../services.ts'
import type { ActiveCall } from './active-call.ts'
import type { CallStarts } from './call-starts.ts'
import { ownerOfDevice } from './device-store.ts'
import { dialledDestination } from './device-transfers.ts'
import type { Engine } from './engine.ts'
import type { IncomingLeg } from './inbound-calls.ts'

interface Options {
  services: Services
  engine: Pick<Engine, 'forget' | 'claim' | 'live'>
  send(key: string, command: CallCommand): Promise<Reply>
  starts: Pick<CallStarts, 'start'>
}

/** Calls placed from devices: like calls of the phone app, with the same rules. */
export function createDeviceCalls({ services, engine, starts, send }: Options) {
  const { db, log } = services

  /** The call that the user is on with a device. */
  function callOfDevice(userId: number, driver: VoiceDriver): string | undefined {
    const isOn = ({ state, driver: own }: ActiveCall) =>
      own === driver && state.agents.some((agent) => agent.userId === userId && agent.device && !agent.unanswered)
    return engine.live().find(isOn)?.key
  }

  /** The second call of a device: a consultation, which REFER with Replaces completes. */
  async function consult(
    key: string,
    { companyId, userId }: { companyId: CompanyId; userId: number },
    { leg, to }: Pick<IncomingLeg, 'leg' | 'to'>,
  ): Promise<Refused | undefined> {
    const target = await dialledDestination(db, companyId, to)
    if (!target) return { ok: false, refused: 'forbidden', why: 'Neither a number nor an extension' }
    const reply = await send(key, { kind: 'consult', by: userId, to: target, firstUserId: null, leg })
    if (reply.ok) engine.claim(key, leg)
    return reply.ok ? undefined : reply
  }

  async function open(driver: VoiceDriver, { leg, to, deviceId }: IncomingLeg): Promise<Refused | undefined> {
    const owner = await ownerOfDevice(db, Number(deviceId))
    if (!owner) return { ok: false, refused: 'forbidden', why: 'The device does not exist' }
    const { companyId, userId } = owner
    const held = callOfDevice(userId, driver)
    if (held !== undefined) return consult(held, owner, { leg, to })
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
