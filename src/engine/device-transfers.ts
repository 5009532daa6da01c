import type { CompanyId } from '../db/tables.ts'
import type { CallCommand, TransferDestination } from '../domain/call/commands.ts'
import { isE164 } from '../domain/phone-number.ts'
import type { VoiceDriver } from '../domain/voice.ts'
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

  async function transfer({ leg, to }: ReferredLeg): Promise<Reply> {
    const call = engine.live().find(({ state }) => state.agents.some((agent) => agent.leg === leg))
    const agent = call?.state.agents.find((one) => one.leg === leg)
    if (!call || !agent) return { ok: false, refused: 'gone', why: 'The device is not on a call' }
    const target = await destinationOf(call.state.companyId, to)
    if (!target) return { ok: false, refused: 'state', why: 'Neither a number nor an extension' }
    return send(call.key, { kind: 'transfer', by: agent.userId, to: target, firstUserId: null })
  }

  async function destinationOf(companyId: CompanyId, to: string): Promise<TransferDestination | undefined> {
    if (isE164(to)) return { type: 'number', number: to }
    const id = await userByExtension(db, companyId, to)
    return id === undefined ? undefined : { type: 'user', id }
  }

  return async function referred(driver: VoiceDriver, event: ReferredLeg): Promise<void> {
    const reply = await transfer(event)
    if (reply.ok) return
    log.info({ event: 'device.transfer_refused', why: reply.why }, 'transfer asked for by a device was refused')
    await driver.refuseTransfer(event.leg)
  }
}
