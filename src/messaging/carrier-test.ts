import type { CompanyId } from '../db/tables.ts'
import { findNumber } from '../features/accounts/numbers/store.ts'
import { type Carrier as CarrierRow, findLine } from '../features/messages/lines/store.ts'
import { randomId } from '../lib/secrets.ts'
import type { Carriers, CarrierTest, Services } from '../services.ts'
import type { Handover, MessageCarrier } from './carrier.ts'

/** Sends a test message over a carrier; undefined: it is not open in this process. */
export async function testCarrier(
  { db, clock }: Services,
  open: { row: CarrierRow; carrier: MessageCarrier } | undefined,
  companyId: CompanyId,
  { carrierId, numberId, to, body }: Parameters<Carriers['test']>[1],
): Promise<CarrierTest> {
  const startedAt = clock.machineNow()
  const number = await findNumber(db, companyId, numberId)
  const done = (handover: Handover): CarrierTest => ({
    outcome: handover.kind,
    code: handover.kind === 'refused' ? handover.code : null,
    seconds: (clock.machineNow() - startedAt) / 1_000,
    explanation: handover.kind === 'taken' ? 'The carrier has accepted the message' : handover.why,
  })
  if (!number || !open) {
    const why = number ? 'The carrier is disabled, or this process sends no messages' : 'No such Number'
    return done({ kind: 'later', afterMs: 0, why })
  }
  const { phoneNumberId, whatsappCarrierId } = await findLine(db, companyId, numberId)
  const channel = open.row.kind === 'whatsapp' ? ('whatsapp' as const) : null
  const usedId = channel === null || whatsappCarrierId === carrierId ? phoneNumberId : null
  const message = { id: `test-${randomId()}`, channel, from: number.digits, to, phoneNumberId: usedId, body }
  return done(await open.carrier.send({ ...message, media: [], template: null }))
}
