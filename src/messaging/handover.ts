import { transaction } from '../db/database.ts'
import type { CompanyId } from '../db/tables.ts'
import { statusOfAll, type TroubleCode } from '../domain/message.ts'
import { findNumber } from '../features/accounts/numbers/store.ts'
import type { MessageLine } from '../features/messages/lines/store.ts'
import { lockMessages, type Message, setQueued } from '../features/messages/messages/store.ts'
import { changeStatuses } from '../features/messages/transport/status.ts'
import { insertPieces, piecesOf } from '../features/messages/transport/store.ts'
import { second } from '../lib/clock.ts'
import type { Services } from '../services.ts'
import type { Handover, MessageCarrier } from './carrier.ts'
import type { Keep } from './leases.ts'
import { outgoingMessage } from './outgoing-message.ts'
import { sendRefusalOf } from './refusals.ts'

export interface HandoverOptions {
  services: Services
  /** Parts were sent: reports that arrived too early are applied now. */
  handed(companyId: CompanyId, carrierId: number, refs: readonly string[]): Promise<void>
  /** Delay before another try at a carrier with an unknown outcome. */
  retryMs: number
}

export interface HandoverTask {
  line: MessageLine
  message: Message
  carrierId: number
  carrier: MessageCarrier
  isStillOurs: Keep
}

/** Hands a message to its carrier, recipient by recipient. Resolves with the delay before the next try. */
export async function handOver(options: HandoverOptions, companyId: CompanyId, task: HandoverTask): Promise<number> {
  const { services, handed, retryMs } = options
  const { db } = services
  const { line, message, carrierId, carrier, isStillOurs } = task
  const { rowId } = message
  const refusal = await sendRefusalOf(services, companyId, message)
  if (refusal) return finish(services, companyId, rowId, { status: 'failed', code: refusal.code })
  const number = await findNumber(db, companyId, message.numberId)
  if (!number) {
    return finish(services, companyId, rowId, { status: 'failed', code: 30008, why: 'The Number was deleted' })
  }
  const done = await piecesOf(db, companyId, rowId)
  let place = done.length
  let trouble: { code: TroubleCode; why: string } | undefined
  // A process that died while sending may or may not have sent it.
  let isInDoubt = message.queued === 2
  for (const to of recipientsLeft(message, done)) {
    if (!(await isStillOurs())) return second
    let handover: Handover = { kind: 'unknown', why: 'The connection broke before the carrier answered' }
    if (!isInDoubt || carrier.isIdempotent) {
      await setQueued(db, companyId, rowId, 2)
      const addresses = { from: number.digits, to, phoneNumberId: line.phoneNumberId }
      handover = await carrier.send(outgoingMessage(services, message, addresses))
    }
    isInDoubt = false
    if (handover.kind === 'later' || (handover.kind === 'unknown' && carrier.isIdempotent)) {
      await setQueued(db, companyId, rowId, 1)
      return handover.kind === 'later' ? Math.max(handover.afterMs, 1) : retryMs
    }
    trouble = troubleOf(handover) ?? trouble
    const pieces = piecesTaken(handover)
    const columns = { message_row: rowId, recipient: to, carrier_id: carrierId }
    await insertPieces(
      db,
      companyId,
      pieces.map((piece) => ({ ...piece, ...columns, place: place++ })),
    )
    if (handover.kind === 'taken' && handover.refs.length > 0) await handed(companyId, carrierId, handover.refs)
  }
  const all = await piecesOf(db, companyId, rowId)
  return finish(services, companyId, rowId, { status: statusOfAll(all.map(({ status }) => status)), ...trouble })
}

function recipientsLeft({ participants, external }: Message, done: readonly { recipient: string }[]): string[] {
  const reached = new Set(done.map(({ recipient }) => recipient))
  return (participants ?? [external ?? '']).filter((phone) => !reached.has(phone))
}

function troubleOf(handover: Handover): { code: TroubleCode; why: string } | undefined {
  if (handover.kind === 'taken') return undefined
  return { code: handover.kind === 'refused' ? handover.code : 30008, why: handover.why }
}

const piecesTaken = (handover: Handover) =>
  handover.kind === 'taken'
    ? handover.refs.map((ref) => ({ ref, status: 'handed' as const }))
    : [{ ref: null, status: 'failed' as const }]

/** The message leaves the queue: nothing more to wait for. */
async function finish(
  services: Services,
  companyId: CompanyId,
  rowId: number,
  change: { status: Message['status']; code?: TroubleCode; why?: string },
): Promise<0> {
  await transaction(services.db, async (tx) => {
    const [message] = await lockMessages(tx, companyId, [rowId])
    if (!message) return
    await changeStatuses(services, tx, companyId, [{ message, ...change }])
    // A report that arrived meanwhile may have changed the status already.
    await setQueued(tx, companyId, rowId, 0)
  })
  return 0
}
