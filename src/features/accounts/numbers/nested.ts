import { type Static, Type } from 'typebox'
import type { Flow } from '../../../domain/flow/document.ts'
import { hasIvr, messagesOf } from '../../../domain/flow/messages.ts'
import { firstTimeRule, ruleIsOpen } from '../../../domain/flow/time-rule.ts'
import { nullable, oneOf, Timestamp } from '../../../http/schemas.ts'
import type { ViewContext } from '../../../http/view-context.ts'
import { isoSeconds } from '../../../lib/time-format.ts'
import type { PhoneNumber } from './store.ts'

// Numbers as they appear inside other objects.

export const NumberMessages = Type.Object({
  welcome: Type.String(),
  waiting: Type.String(),
  ivr: Type.String(),
  voicemail: Type.String(),
  closed: Type.String(),
  callback_later: Type.String(),
  unanswered_call: Type.String(),
  after_hours: Type.String(),
  ringing_tone: Type.String(),
})

const numberFields = {
  id: Type.Integer(),
  direct_link: Type.String(),
  name: Type.String(),
  digits: Type.String({ description: 'International form, grouped as in its country' }),
  created_at: Timestamp,
  country: Type.String({ description: 'ISO 3166-1 alpha-2' }),
  time_zone: Type.String(),
  open: Type.Boolean({ deprecated: true, description: 'What the first Time Rule of the flow says now' }),
  availability_status: oneOf(['open', 'custom', 'closed'], { description: 'Mode of the first Time Rule of the flow' }),
  is_ivr: Type.Boolean({ deprecated: true, description: 'Whether the flow has an IVR' }),
  live_recording_activated: Type.Boolean({ description: 'Inbound and outbound together' }),
  priority: nullable(Type.Integer({ description: '1 is served before 0 and null' })),
  messages: NumberMessages,
}

export const NestedNumber = Type.Object(numberFields)
/** Event payloads also contain the number in E.164. */
export const EventNumber = Type.Object({ ...numberFields, e164_digits: Type.String() })

export function nestedNumber(context: ViewContext, number: PhoneNumber): Static<typeof EventNumber> {
  const { flow } = number
  const { rule, isIvr, messages } = readingOf(flow)
  return {
    id: number.id,
    direct_link: `${context.links.api}/v1/numbers/${number.id}`,
    name: number.name,
    digits: number.display,
    created_at: isoSeconds(number.createdAt),
    country: number.country,
    time_zone: number.timeZone,
    open: rule === undefined || ruleIsOpen(rule, number.timeZone, context.at),
    availability_status: rule?.mode ?? 'open',
    is_ivr: isIvr,
    live_recording_activated: number.recording,
    priority: number.priority,
    messages: messageUrls(context, number, messages),
    e164_digits: number.digits,
  }
}

const readings = new WeakMap<Flow, ReturnType<typeof readFlow>>()

/** What follows from the drawing alone, whatever the time: every call that names the Number shows it. */
function readingOf(flow: Flow) {
  const known = readings.get(flow) ?? readFlow(flow)
  readings.set(flow, known)
  return known
}

const readFlow = (flow: Flow) => ({
  rule: firstTimeRule(flow)?.rule,
  isIvr: hasIvr(flow),
  messages: messagesOf(flow),
})

function messageUrls(
  { links }: ViewContext,
  { musicOnHold }: PhoneNumber,
  set: ReturnType<typeof messagesOf>,
): Static<typeof NumberMessages> {
  const fallback = (name: string) => `${links.api}/audio/${name}.wav`
  return {
    welcome: set.welcome ?? fallback('welcome'),
    waiting: musicOnHold ?? fallback('waiting'),
    ivr: set.ivr ?? fallback('ivr'),
    voicemail: set.voicemail ?? fallback('voicemail'),
    closed: fallback('closed'),
    callback_later: fallback('callback_later'),
    unanswered_call: fallback('unanswered_call'),
    after_hours: set.after_hours ?? fallback('after_hours'),
    ringing_tone: set.ringing_tone ?? fallback('ringing_tone'),
  }
}

export const NumberOfUser = Type.Object({ ...NestedNumber.properties, flow_editor_enabled: Type.Boolean() })

export const numberOfUserView = (context: ViewContext, number: PhoneNumber): Static<typeof NumberOfUser> => ({
  ...nestedNumber(context, number),
  flow_editor_enabled: number.flowEditor,
})
