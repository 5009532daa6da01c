import { header, type SipRequest } from './message.ts'

const keys: Record<string, string> = { '10': '*', '11': '#', '12': 'A', '13': 'B', '14': 'C', '15': 'D' }

/** A DTMF digit sent by INFO: `Signal=5` of dtmf-relay, or the bare digit of dtmf. */
export function digitOf(info: SipRequest): string | undefined {
  const type = header(info, 'content-type')?.split(';')[0]?.trim().toLowerCase()
  const text =
    type === 'application/dtmf-relay'
      ? signalIn(info.body)
      : type === 'application/dtmf'
        ? info.body.trim().slice(0, 3)
        : undefined
  if (text === undefined) return undefined
  const digit = keys[text] ?? text.toUpperCase()
  return /^[0-9*#A-D]$/.test(digit) ? digit : undefined
}

function signalIn(body: string): string | undefined {
  const pairs = body.split('\n', 8).map((line) => line.split('=', 2).map((part) => part.trim()))
  return pairs.find(([name]) => name?.toLowerCase() === 'signal')?.[1]
}
