import type { SmppSettings } from '../features/messages/carriers/settings.ts'
import type { Receipt } from './smpp-text.ts'

type ReceiptIds = SmppSettings['receipt_ids']

/** The id that a carrier gave a part. If receipts use another number format for ids, both are stored as decimal numbers. */
export const refOfSubmitted = (receiptIds: ReceiptIds, id: string): string =>
  numberIn(receiptIds, id, receiptIds === 'decimal' ? 16 : 10)

/** The id of the part that a receipt reports on. */
export const refOfReceipt = (receiptIds: ReceiptIds, { id, from }: Receipt): string =>
  from === 'field' ? refOfSubmitted(receiptIds, id) : numberIn(receiptIds, id, receiptIds === 'hexadecimal' ? 16 : 10)

function numberIn(receiptIds: ReceiptIds, id: string, base: 10 | 16): string {
  if (receiptIds === 'same') return id
  const isNumber = base === 16 ? /^[0-9a-f]{1,64}$/i.test(id) : /^\d{1,64}$/.test(id)
  return isNumber ? BigInt(base === 16 ? `0x${id}` : id).toString() : id
}
