/** What a SIP response means to the caller; RFC 3261 §21 and later registrations. */

const phrases: Record<number, string> = {
  100: 'Trying',
  180: 'Ringing',
  181: 'Call Is Being Forwarded',
  182: 'Queued',
  183: 'Session Progress',
  200: 'OK',
  202: 'Accepted',
  300: 'Multiple Choices',
  301: 'Moved Permanently',
  302: 'Moved Temporarily',
  400: 'Bad Request',
  401: 'Unauthorized',
  402: 'Payment Required',
  403: 'Forbidden',
  404: 'Not Found',
  405: 'Method Not Allowed',
  406: 'Not Acceptable',
  407: 'Proxy Authentication Required',
  408: 'Request Timeout',
  410: 'Gone',
  415: 'Unsupported Media Type',
  416: 'Unsupported URI Scheme',
  420: 'Bad Extension',
  422: 'Session Interval Too Small',
  480: 'Temporarily Unavailable',
  481: 'Call/Transaction Does Not Exist',
  482: 'Loop Detected',
  484: 'Address Incomplete',
  486: 'Busy Here',
  487: 'Request Terminated',
  488: 'Not Acceptable Here',
  491: 'Request Pending',
  500: 'Server Internal Error',
  501: 'Not Implemented',
  502: 'Bad Gateway',
  503: 'Service Unavailable',
  504: 'Server Time-out',
  600: 'Busy Everywhere',
  603: 'Decline',
  604: 'Does Not Exist Anywhere',
  606: 'Not Acceptable',
  607: 'Unwanted',
  608: 'Rejected',
}

export const phraseOf = (status: number) => phrases[status] ?? 'Other'

/** `404 Not Found`. */
export const responseText = (status: number) => (phrases[status] ? `${status} ${phrases[status]}` : String(status))

/** Why a call could not be completed, for the user who placed it. `code` is the final SIP response, if any. */
export function failureText(code: number | null): string {
  if (code === null) return 'No SIP response from the carrier'
  return `${meaningOf(code)} (${responseText(code)})`
}

function meaningOf(code: number): string {
  switch (code) {
    case 404:
    case 410:
    case 604:
      return 'The number does not exist'
    case 484:
      return 'The number is incomplete'
    case 480:
    case 408:
      return 'The called party is not available'
    case 486:
    case 600:
      return 'The number is busy'
    case 488:
    case 606:
      return 'No common audio codec with the carrier'
    case 402:
    case 401:
    case 403:
    case 407:
      return 'The carrier refused the call: check the account and the caller ID of the trunk'
    case 603:
    case 607:
    case 608:
      return 'The call was declined'
    default:
      return code >= 500 && code < 600 ? 'The carrier cannot place the call at the moment' : 'The call failed'
  }
}
