import type { EndReason } from '../../domain/voice.ts'

export type RejectReason = 'busy' | 'unknown' | 'unavailable' | 'declined' | 'overloaded' | 'unusable'

interface Status {
  status: number
  phrase: string
}

/** Reject reasons as SIP responses. */
export const refusals: Record<RejectReason, Status> = {
  busy: { status: 486, phrase: 'Busy Here' },
  unknown: { status: 404, phrase: 'Not Found' },
  unavailable: { status: 480, phrase: 'Temporarily Unavailable' },
  declined: { status: 603, phrase: 'Decline' },
  overloaded: { status: 503, phrase: 'Service Unavailable' },
  unusable: { status: 488, phrase: 'Not Acceptable Here' },
}

/** The end reason for a final response to our INVITE. */
export function outcomeOf(status: number): EndReason {
  switch (status) {
    case 486:
    case 600:
      return 'busy'
    case 408:
    case 480:
      return 'no_answer'
    case 403:
    case 603:
    case 606:
    case 607:
    case 608:
      return 'rejected'
    case 487:
      return 'cancelled'
    default:
      return 'failed'
  }
}

export type HangupReason = EndReason | 'answered_elsewhere'

export const endReasonOf = (why: HangupReason): EndReason => (why === 'answered_elsewhere' ? 'cancelled' : why)

/** RFC 3326: why we hang up, for the carrier's records; a device shows no missed call for a call answered elsewhere. */
export function reasonHeader(reason: HangupReason): string {
  if (reason === 'answered_elsewhere') return 'SIP;cause=200;text="Call completed elsewhere"'
  const cause = { hangup: 16, cancelled: 16, busy: 17, no_answer: 19, rejected: 21, failed: 41, lost: 41 }[reason]
  return `Q.850;cause=${cause}`
}
