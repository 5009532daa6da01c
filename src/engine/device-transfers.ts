import type { Db } from '../db/database.ts'
import type { CompanyId } from '../db/tables.ts'
import type { CallCommand, TransferDestination } from '../domain/call/commands.ts'
import { isE164 } from '../domain/phone-number.ts'
import type { LegId, VoiceDriver } from '../domain/voice.ts'
import { userByExtension } from '../features/accounts/users/store.ts'
import type { Reply, Services } from '../services.ts'
import type { Engine } from './engine.ts'
import type { ReferredLeg } from './inbound-calls.ts'

interface Options {
  services: Pick<Services, 'db' | 'log'>
  engine: Pick<Engine, 'live'>
  send(key: string, command: CallCommand): Promise<Reply>
}

/** The transfer key of a device (REFER): the same command as in the phone app, with the same rules. */
export function createDeviceTransfers({ services, engine, send }: Options) {
  const { db, log } = services

  async function transfer({ leg, to, replaces }: ReferredLeg): Promise<Reply> {
    if (replaces !== undefined) return completeTransfer(leg, replaces)
    const call = engine.live().find(({ state }) => state.agents.some((agent) => agent.leg === leg))
    const agent = call?.state.agents.find((one) => one.leg === leg)
    if (!call || !agent) return { ok: false, refused: 'gone', why: 'The device is not on a call' }
    const target = await dialledDestination(db, call.state.companyId, to)
    if (!target) return { ok: false, refused: 'state', why: 'Neither a number nor an extension' }
    return send(call.key, { kind: 'transfer', by: agent.userId, to: target, firstUserId: null })
  }

  /** The two calls of a device are connected; before the second one is answered, it is a blind transfer. */
  async function completeTransfer(...legs: [LegId, LegId]): Promise<Reply> {
    const call = engine.live().find(({ state: { consultation } }) => legs.includes(consultation?.byLeg ?? ''))
    const consultation = call?.state.consultation
    if (!call || !consultation) return { ok: false, refused: 'gone', why: 'The device has no second call' }
    const { by, to, firstUserId, joined } = consultation
    if (joined) return send(call.key, { kind: 'complete_transfer', by })
    return send(call.key, { kind: 'transfer', by, to, firstUserId })
  }

  return async function referred(driver: VoiceDriver, event: ReferredLeg): Promise<void> {
    const reply = await transfer(event)
    if (reply.ok) return
    log.info({ event: 'device.transfer_refused', why: reply.why }, 'transfer asked for by a device was refused')
    await driver.refuseTransfer(event.leg)
  }
}

/** What a device dials in a transfer or a consultation. */
export async function dialledDestination(
  db: Db,
  companyId: CompanyId,
  to: string,
): Promise<TransferDestination | undefined> {
  if (isE164(to)) return { type: 'number', number: to }
  const id = await userByExtension(db, companyId, to)
  return id === undefined ? undefined : { type: 'user', id }
}
