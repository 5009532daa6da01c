import type { CallShown } from '../../src/live/protocol.ts'
import type { PhoneEvent, PhoneState } from './model.ts'

/** An event for the page that embeds the phone. */
export interface EmbedEvent {
  name: string
  value?: unknown
}

/** The events for the embedding page that a state change causes. */
export function embedEvents(before: PhoneState, after: PhoneState, event: PhoneEvent): EmbedEvent[] {
  return [...rings(before, after), ...talks(before, after, event), ...others(event)]
}

/** A ring is reported once its number is known. */
function rings(before: PhoneState, after: PhoneState): EmbedEvent[] {
  const started = after.rings.filter((ring) => isReportable(ring) && !isReportable(find(before.rings, ring)))
  const ended = before.rings.filter((ring) => isReportable(ring) && !find(after.rings, ring))
  return [
    ...ended.map((ring) => ({
      name: 'call_end_ringtone',
      value: { answer_status: answerStatus(before, after, ring), call_id: ring.call_id },
    })),
    ...started.map(({ external, number, call_id }) => ({
      name: 'incoming_call',
      value: { from: external, to: number?.digits ?? '', call_id },
    })),
  ]
}

function answerStatus(before: PhoneState, after: PhoneState, ring: CallShown) {
  if (find(after.talks, ring)) return 'answered'
  return before.declined.includes(ring.key) ? 'refused' : 'disconnected'
}

function talks(before: PhoneState, after: PhoneState, event: PhoneEvent): EmbedEvent[] {
  // After a reload during a call the page has received the events already.
  if (!before.isKnown) return []
  const events: EmbedEvent[] = []
  for (const call of after.talks.filter(isReportable)) {
    if (call.direction !== 'outbound') continue
    const earlier = find(before.talks, call)
    const { external, number, call_id } = call
    if (!isReportable(earlier)) {
      events.push({ name: 'outgoing_call', value: { from: number?.digits ?? '', to: external, call_id } })
    }
    if (call.phase === 'talking' && earlier?.phase !== 'talking') {
      events.push({ name: 'outgoing_answered', value: { call_id } })
    }
  }
  for (const call of before.talks.filter(isReportable)) {
    if (find(after.talks, call)) continue
    const now = 'at' in event ? event.at + after.aheadMs : call.started_at * 1_000
    const duration = Math.max(0, Math.round(now / 1_000) - call.started_at)
    events.push({ name: 'call_ended', value: { duration, call_id: call.call_id } })
  }
  return events
}

function others(event: PhoneEvent): EmbedEvent[] {
  if (event.type !== 'message') return []
  if (event.message.type === 'dial') return [{ name: 'external_dial', value: { phone_number: event.message.to } }]
  return event.message.type === 'dialer_campaign' ? [{ name: 'powerdialer_updated' }] : []
}

const find = (calls: readonly CallShown[], { key }: CallShown) => calls.find((call) => call.key === key)

/** Internal calls are not reported, and a ring message alone does not name its number. */
const isReportable = (call: CallShown | undefined): boolean =>
  call !== undefined && call.call_id !== null && call.number !== null
