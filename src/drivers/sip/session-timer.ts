import { header, headerList, type SipMessage } from './message.ts'

// RFC 4028: both ends agree on an interval, one of them refreshes, and whoever hears nothing in time hangs up.

export interface SessionTimer {
  seconds: number
  refresher: 'us' | 'them'
}

export const defaultInterval = 1_800
export const minInterval = 90

export type TimerAnswer = { kind: 'none' } | { kind: 'tooShort' } | { kind: 'agreed'; timer: SessionTimer }

/** What we, being asked, make of the caller's wish. We refresh where nothing else was said. */
export function answerTimer(request: SipMessage): TimerAnswer {
  const wish = sessionExpires(request)
  const isSupported = headerList(request, 'supported').some((one) => one.toLowerCase() === 'timer')
  if (!wish) {
    return isSupported ? { kind: 'agreed', timer: { seconds: defaultInterval, refresher: 'us' } } : { kind: 'none' }
  }
  // §9: only a caller who understands the 422 may be told so.
  if (wish.seconds < minInterval && isSupported) return { kind: 'tooShort' }
  const seconds = Math.max(wish.seconds, minInterval)
  return { kind: 'agreed', timer: { seconds, refresher: wish.refresher === 'uac' ? 'them' : 'us' } }
}

/** What a 2xx to our own INVITE or UPDATE settled. */
export function agreedTimer(response: SipMessage): SessionTimer | undefined {
  const found = sessionExpires(response)
  if (!found) return undefined
  return {
    seconds: Math.max(found.seconds, minInterval),
    refresher: found.refresher === 'uas' ? 'them' : 'us',
  }
}

/** As the header of a 2xx that we send. */
export const timerOfAnswer = ({ seconds, refresher }: SessionTimer) =>
  `${seconds};refresher=${refresher === 'us' ? 'uas' : 'uac'}`

/** As the header of a request that we send. */
export const timerOfRequest = ({ seconds, refresher }: SessionTimer) =>
  `${seconds};refresher=${refresher === 'us' ? 'uac' : 'uas'}`

/** §10: half way for who refreshes; a little before the end for who waits. */
export function timerMs({ seconds, refresher }: SessionTimer): number {
  return 1_000 * (refresher === 'us' ? seconds / 2 : seconds - Math.min(32, seconds / 3))
}

function sessionExpires(message: SipMessage): { seconds: number; refresher: string | undefined } | undefined {
  const [first = '', ...params] = (header(message, 'session-expires') ?? '').split(';')
  if (!/^\d{1,8}$/.test(first.trim())) return undefined
  const refresher = params.map((one) => /^\s*refresher\s*=\s*(uac|uas)\s*$/i.exec(one)?.[1]).find((one) => one)
  return { seconds: Number(first), refresher: refresher?.toLowerCase() }
}
