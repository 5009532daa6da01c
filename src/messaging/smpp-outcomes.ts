import type { TroubleCode } from '../domain/message.ts'
import { second } from '../lib/clock.ts'
import type { Handover } from './carrier.ts'
import { status } from './smpp-pdu.ts'
import type { ReceiptState } from './smpp-text.ts'

// What the responses and receipts of an SMPP carrier mean for a message.

export const throttledMs = 2 * second
const systemErrorMs = 10 * second

export const refusedBySmpp = (code: TroubleCode, why: string): Handover => ({ kind: 'refused', code, why })

export const receiptOutcomes: Partial<
  Record<ReceiptState, { status: 'delivered' | 'undelivered'; code: TroubleCode | null }>
> = {
  DELIVRD: { status: 'delivered', code: null },
  EXPIRED: { status: 'undelivered', code: 30003 },
  DELETED: { status: 'undelivered', code: 30008 },
  UNDELIV: { status: 'undelivered', code: 30003 },
  UNKNOWN: { status: 'undelivered', code: 30008 },
  REJECTD: { status: 'undelivered', code: 30007 },
}

/** SMPP 3.4 §5.1.3, and common codes of later versions. */
export function submitOutcome(code: number): Handover {
  const why = `The carrier answered 0x${code.toString(16).padStart(8, '0')}`
  switch (code) {
    case status.throttled:
    case status.queueFull:
      return { kind: 'later', afterMs: throttledMs, why: 'The carrier throttles messages' }
    case status.systemError:
    case status.temporaryApplicationError:
    case status.wrongBindStatus:
      return { kind: 'later', afterMs: systemErrorMs, why: why }
    case status.invalidDestination:
    case 0x50:
    case 0x51:
      return refusedBySmpp(30005, why)
    case 0x101:
    case 0x102:
      return refusedBySmpp(30007, why)
    default:
      return refusedBySmpp(30008, why)
  }
}
