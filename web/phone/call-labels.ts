import type { PhoneCall } from './data.ts'
import type { CustomerItem } from './work-data.ts'

// The outcome of a call in the words of every screen.

const missedLabels: Record<string, string> = {
  out_of_opening_hours: 'After hours',
  short_abandoned: 'Abandoned (short)',
  abandoned_in_ivr: 'Abandoned in IVR',
  abandoned_in_classic: 'Abandoned in queue',
  no_available_agent: 'No agents available',
}

// Without a special reason, agents did not answer.
const missedLabel = (reason: string | null | undefined) => (reason && missedLabels[reason]) || 'Missed'

export const isMissedCall = ({ status, answered_at }: PhoneCall) => status === 'done' && answered_at === null

/** Whether the call is listed in To do until it is archived. */
export const isToDoCall = (call: PhoneCall) =>
  call.direction === 'inbound' && call.status === 'done' && (call.answered_at === null || call.voicemail !== null)

export function callOutcome(call: PhoneCall): string {
  if (call.status !== 'done') return 'In progress'
  if (call.answered_at !== null && call.voicemail) return 'Answered, then voicemail'
  if (call.answered_at !== null) return call.direction === 'inbound' ? 'Answered' : 'Connected'
  if (call.voicemail) return 'Voicemail'
  return call.direction === 'inbound' ? missedLabel(call.missed_call_reason) : 'No answer'
}

export function outcomeOfItem({ call, details }: CustomerItem): string {
  if (!call) return ''
  if (call.status !== 'done') return 'In progress'
  if (call.answered && call.voicemail) return 'Answered, then voicemail'
  if (call.answered) return call.direction === 'inbound' ? 'Answered' : 'Connected'
  if (call.voicemail) return 'Voicemail'
  return call.direction === 'inbound' ? missedLabel(details?.missed_call_reason) : 'No answer'
}
