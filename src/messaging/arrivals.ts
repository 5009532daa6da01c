import { transaction } from '../db/database.ts'
import type { CompanyId } from '../db/tables.ts'
import { endingOf, mediaTypeOf, statusOfAll, unknownType } from '../domain/message.ts'
import { isE164 } from '../domain/phone-number.ts'
import { findNumberByDigits } from '../features/accounts/numbers/store.ts'
import { fileNameIn, messageId } from '../features/messages/messages/format.ts'
import { mediumKey } from '../features/messages/messages/links.ts'
import { lockMessages, type Medium, messageAt } from '../features/messages/messages/store.ts'
import { receiveMessage } from '../features/messages/transport/receive.ts'
import { changeStatuses } from '../features/messages/transport/status.ts'

import {
  pieceByRef,
  piecesOf,
  setPiece,
  storeEarlyReport,
  takeEarlyReports,
} from '../features/messages/transport/store.ts'

import type { Services } from '../services.ts'
import type { Arrivals, Arrived, ArrivedMedium, DeliveryReport } from './carrier.ts'

const notReceived = 'a file of an inbound message could not be received'

/** Inbound messages and delivery reports of one carrier. */
export function createArrivals(
  services: Services,
  { companyId, carrierId, state }: { companyId: CompanyId; carrierId: number; state: Arrivals['state'] },
): Arrivals {
  const { db, clock, log, files } = services

  async function kept(id: string, medium: ArrivedMedium, place: number): Promise<Medium> {
    if ('url' in medium) return { url: medium.url, name: medium.name ?? fileNameIn(medium.url), type: '', file: null }
    const type = 'bytes' in medium ? mediaTypeOf(medium.bytes) : undefined
    if (!('bytes' in medium) || type === undefined) {
      const code = 'error' in medium ? medium.error : 63021
      log.warn({ event: 'message.media_not_received', companyId, carrierId, messageId: id, code }, notReceived)
      const name = medium.name === undefined ? '' : fileNameIn(medium.name)
      return { url: null, name, type: ('type' in medium && medium.type) || unknownType, file: null, error: code }
    }
    const file = mediumKey(companyId, id, place, endingOf(type))
    await files.put(file, medium.bytes)
    return { url: null, name: fileNameIn(medium.name ?? `${place}.${endingOf(type)}`), type, file }
  }

  return {
    state,
    async received(arrived: Arrived) {
      const number = await findNumberByDigits(db, companyId, arrived.to)
      // Acknowledged and discarded: the carrier would deliver the same message again.
      if (!number || !isE164(arrived.from)) {
        log.warn(
          { event: 'message.discarded', companyId, carrierId },
          'inbound message without a valid sender or Number',
        )
        return
      }
      const id = messageId(clock)
      const media: Medium[] = []
      for (const [place, medium] of arrived.media.slice(0, 10).entries()) media.push(await kept(id, medium, place))
      const parent = arrived.replyTo && (await pieceByRef(db, companyId, carrierId, arrived.replyTo))
      const parentMessage = parent ? await messageAt(db, companyId, parent.message_row) : undefined
      await receiveMessage(services, companyId, {
        id,
        numberId: number.id,
        from: arrived.from,
        channel: arrived.channel,
        body: arrived.body,
        media,
        participants: arrived.participants,
        type: arrived.type,
        metadata: withOurName(arrived.metadata, parentMessage?.id),
        parentId: parentMessage?.id,
        ...(arrived.ref !== null && { arrival: { carrierId, ref: arrived.ref } }),
      })
    },
    reported: (report) => applyReport(services, companyId, carrierId, report),
  }
}

/** A reaction refers to an outbound message by the carrier's id. */
function withOurName(metadata: Arrived['metadata'], id: string | undefined): Arrived['metadata'] {
  const reaction = metadata?.reaction
  if (typeof reaction !== 'object' || reaction === null || id === undefined) return metadata
  return { ...metadata, reaction: { ...reaction, message_id: id } }
}

async function applyReport(
  services: Services,
  companyId: CompanyId,
  carrierId: number,
  report: DeliveryReport,
): Promise<void> {
  const { db, clock } = services
  await transaction(db, async (tx) => {
    const found = await pieceByRef(tx, companyId, carrierId, report.ref)
    if (!found) return storeEarlyReport(tx, companyId, carrierId, report.ref, JSON.stringify(report), clock.now())
    const [message] = await lockMessages(tx, companyId, [found.message_row])
    // Read again under the lock: two reports may arrive at the same time.
    const pieces = await piecesOf(tx, companyId, found.message_row)
    const piece = pieces.find(({ place }) => place === found.place)
    if (!message || !piece || !isForward(piece.status, report.status)) return
    await setPiece(tx, companyId, { ...piece, status: report.status })
    // The other parts are still being sent.
    if (message.queued > 0) return
    const now = pieces.map((one) => (one === piece ? report.status : one.status))
    await changeStatuses(services, tx, companyId, [
      { message, status: statusOfAll(now), ...(report.code !== null && { code: report.code }) },
    ])
  })
}

const isForward = (now: string, next: DeliveryReport['status']) =>
  now === 'handed' || (now === 'delivered' && next === 'read')

/** Reports that arrived before the ids of their parts were stored. */
export async function applyKeptReports(
  services: Services,
  companyId: CompanyId,
  carrierId: number,
  refs: readonly string[],
): Promise<void> {
  const kept = await takeEarlyReports(services.db, companyId, carrierId, refs)
  for (const report of kept) await applyReport(services, companyId, carrierId, JSON.parse(report))
}
