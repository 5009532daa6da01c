import { header, headerList, type SipMessage } from './message.ts'

// RFC 4028: both ends agree on an interval, one of them refreshes the session, and the other hangs up without a refresh.

export interface SessionTimer {
  seconds: number
  refresher: 'us' | 'them'
}

export const defaultInterval = 1_800
export const minInterval = 90

export type TimerAnswer = { kind: 'none' } | { kind: 'tooShort' } | { kind: 'agreed'; timer: SessionTimer }

/** Our answer to the session timer that a request asks for. We refresh unless it specifies otherwise. */
export function answerTimer(request: SipMessage): TimerAnswer {
  const requested = sessionExpires(request)
  const isSupported = headerList(request, 'supported').some((one) => one.toLowerCase() === 'timer')
  if (!requested) {
    return isSupported ? { kind: 'agreed', timer: { seconds: defaultInterval, refresher: 'us' } } : { kind: 'none' }
  }
  // §9: a 422 may be sent only if the far end supports the extension.
  if (requested.seconds < minInterval && isSupported) return { kind: 'tooShort' }
  const seconds = Math.max(requested.seconds, minInterval)
  return { kind: 'agreed', timer: { seconds, refresher: requested.refresher === 'uac' ? 'them' : 'us' } }
}

/** The session timer of a 2xx to our INVITE or UPDATE. */
export function agreedTimer(response: SipMessage): SessionTimer | undefined {
  const found = sessionExpires(response)
  if (!found) return undefined
  return {
    seconds: Math.max(found.seconds, minInterval),
    refresher: found.refresher === 'uas' ? 'them' : 'us',
  }
}

/** Session-Expires of a 2xx that we send. */
export const timerOfAnswer = ({ seconds, refresher }: SessionTimer) =>
  `${seconds};refresher=${refresher === 'us' ? 'uas' : 'uac'}`

/** Session-Expires of a request that we send. */
export const timerOfRequest = ({ seconds, refresher }: SessionTimer) =>
  `${seconds};refresher=${refresher === 'us' ? 'uac' : 'uas'}`

/** §10: the refresher acts after half the interval, the other side shortly before its end. */
export function timerMs({ seconds, refresher }: SessionTimer): number {
  return 1_000 * (refresher === 'us' ? seconds / 2 : seconds - Math.min(32, seconds / 3))
}

function sessionExpires(message: SipMessage): { seconds: number; refresher: string | undefined } | undefined {
  const [first = '', ...params] = (header(message, 'session-expires') ?? '').split(';')
  if (!/^\d{1,8}$/.test(first.trim())) return undefined
  const refresher = params.map((one) => /^\s*refresher\s*=\s*(uac|uas)\s*$/i.exec(one)?.[1]).find((one) => one)
  return { seconds: Number(first), refresher: refresher?.toLowerCase() }
}
