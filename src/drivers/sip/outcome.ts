import type { EndReason } from '../../domain/voice.ts'

export type RejectReason = 'busy' | 'unknown' | 'unavailable' | 'declined' | 'overloaded' | 'unusable'

interface Status {
  status: number
  phrase: string
}

/** Our words for a refusal, in SIP. */
export const refusals: Record<RejectReason, Status> = {
  busy: { status: 486, phrase: 'Busy Here' },
  unknown: { status: 404, phrase: 'Not Found' },
  unavailable: { status: 480, phrase: 'Temporarily Unavailable' },
  declined: { status: 603, phrase: 'Decline' },
  overloaded: { status: 503, phrase: 'Service Unavailable' },
  unusable: { status: 488, phrase: 'Not Acceptable Here' },
}

/** What a final answer to our INVITE means for the call. */
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

/** RFC 3326: why we hang up, for the carrier's records. */
export function reasonHeader(reason: EndReason): string {
  const cause = { hangup: 16, cancelled: 16, busy: 17, no_answer: 19, rejected: 21, failed: 41, lost: 41 }[reason]
  return `Q.850;cause=${cause}`
}

const phrases: Record<number, string> = {
  100: 'Trying',
  180: 'Ringing',
  181: 'Call Is Being Forwarded',
  182: 'Queued',
  183: 'Session Progress',
  200: 'OK',
  202: 'Accepted',
  400: 'Bad Request',
  401: 'Unauthorized',
  403: 'Forbidden',
  404: 'Not Found',
  405: 'Method Not Allowed',
  415: 'Unsupported Media Type',
  416: 'Unsupported URI Scheme',
  420: 'Bad Extension',
  422: 'Session Interval Too Small',
  480: 'Temporarily Unavailable',
  481: 'Call/Transaction Does Not Exist',
  482: 'Loop Detected',
  486: 'Busy Here',
  487: 'Request Terminated',
  488: 'Not Acceptable Here',
  491: 'Request Pending',
  500: 'Server Internal Error',
  501: 'Not Implemented',
  503: 'Service Unavailable',
  504: 'Server Time-out',
  603: 'Decline',
}

export const phraseOf = (status: number) => phrases[status] ?? 'Other'
