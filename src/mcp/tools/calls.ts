import { Type } from 'typebox'
import { request, withQuery } from '../api.ts'
import { callId, idInput, limit, optional, phoneNumber, timeAt } from '../inputs.ts'
import { bounded, briefCall, epochSeconds, fullCall, objectIn, objectsIn } from '../present.ts'
import { defineTool, type McpTool } from '../tool.ts'

const filters = {
  from: optional(timeAt('Earliest start')),
  to: optional(timeAt('Latest start')),
  direction: optional(Type.Union([Type.Literal('inbound'), Type.Literal('outbound')])),
  missed: optional(Type.Boolean({ description: 'Only calls that were not answered' })),
  user_id: optional(idInput('user who took or made the call')),
  contact_id: optional(idInput('contact')),
  phone_number: optional(Type.String({ maxLength: 64, description: 'Number of the other party or of the company' })),
  text: optional(Type.String({ maxLength: 255, description: 'Part of a name or of a phone number' })),
  tag_ids: optional(Type.Array(idInput('tag'), { maxItems: 50, description: 'The call has all of these tags' })),
}

export const callTools: McpTool[] = [
  defineTool({
    name: 'find_calls',
    title: 'Find calls',
    description:
      'Find calls of the last six months, newest first, by time, direction, user, contact, phone number or tag. ' +
      'Returns one line per call; use get_call for notes and get_transcript for what was said.',
    effect: 'read',
    input: Type.Object({ ...filters, limit }),
    async run(api, { from, to, tag_ids, limit: perPage = 20, ...rest }) {
      const target = withQuery('/v1/calls/search', {
        ...rest,
        from: epochSeconds(from),
        to: epochSeconds(to),
        ...(tag_ids && { tags: tag_ids }),
        order: 'desc',
        per_page: perPage,
        fetch_contact: true,
      })
      const { calls, meta } = await request(api, 'GET', target)
      return bounded('calls', objectsIn(calls).map(briefCall), meta)
    },
  }),
  defineTool({
    name: 'get_call',
    title: 'Get a call',
    description: 'Get one call: who, when, how long, its outcome, tags, notes and a link to its page in the dashboard.',
    effect: 'read',
    input: callId,
    async run(api, { call_id }) {
      const { call } = await request(api, 'GET', `/v1/calls/${call_id}?fetch_contact=true`)
      return fullCall(objectIn(call) ?? {})
    },
  }),
  defineTool({
    name: 'explain_missed_call',
    title: 'Explain a missed call',
    description:
      'Explain why a call was not answered: the reason, the steps of the call flow with their times, and whether the ' +
      'caller left a voicemail or was called back since.',
    effect: 'read',
    input: callId,
    async run(api, { call_id }) {
      const { call } = await request(api, 'GET', `/v1/calls/${call_id}?fetch_contact=true&fetch_call_timeline=true`)
      const found = objectIn(call) ?? {}
      const later = await laterCalls(api, found)
      const reason = typeof found.missed_call_reason === 'string' ? found.missed_call_reason : null
      return {
        call: fullCall(found),
        reason,
        explanation: reason === null ? 'This call was not missed.' : (reasons[reason] ?? reason),
        steps: objectsIn(found.ivr_options_selected),
        later_calls_with_this_number: later,
      }
    },
  }),
  defineTool({
    name: 'add_note',
    title: 'Add a note to a call',
    description:
      'Add a note to a call; a call has at most five. Everyone in the company who can see the call reads it.',
    effect: 'write',
    input: Type.Object({
      call_id: idInput('call'),
      text: Type.String({ minLength: 1, maxLength: 4_000, description: 'The note, plain text' }),
    }),
    async run(api, { call_id, text }) {
      await request(api, 'POST', `/v1/calls/${call_id}/comments`, { content: text })
      return { added: true, call_id }
    },
  }),
  defineTool({
    name: 'tag_call',
    title: 'Tag a call',
    description: 'Add tags to a call. list_tags returns the ids.',
    effect: 'write',
    input: Type.Object({
      call_id: idInput('call'),
      tag_ids: Type.Array(idInput('tag'), { minItems: 1, maxItems: 20 }),
    }),
    async run(api, { call_id, tag_ids }) {
      const { call } = await request(api, 'POST', `/v1/calls/${call_id}/tags`, { tags: tag_ids })
      return { call_id, tags: objectsIn(objectIn(call)?.tags).map(({ name }) => name) }
    },
  }),
  defineTool({
    name: 'mark_call_done',
    title: 'Mark a call as done or not done',
    description: 'Mark a missed call or voicemail as done, so that it leaves the to-do list, or as not done again.',
    effect: 'write',
    input: Type.Object({ call_id: idInput('call'), done: optional(Type.Boolean({ default: true })) }),
    async run(api, { call_id, done = true }) {
      await request(api, 'PUT', `/v1/calls/${call_id}/${done ? 'archive' : 'unarchive'}`)
      return { call_id, done }
    },
  }),
  defineTool({
    name: 'start_call',
    title: 'Start a call',
    description:
      'Start a real phone call: the phone app of the user calls the number at once. Ask the person you work for to ' +
      'confirm user, number and caller before you use this. who_is_available returns users who can call.',
    effect: 'contact',
    input: Type.Object({
      user_id: idInput('user who calls'),
      number_id: idInput('company number that is shown to the called party; it must be assigned to the user'),
      to: phoneNumber('Number to call'),
    }),
    async run(api, { user_id, number_id, to }) {
      await request(api, 'POST', `/v1/users/${user_id}/calls`, { number_id, to })
      return { started: true, user_id, to }
    },
  }),
  defineTool({
    name: 'create_callback',
    title: 'Request a callback from a user',
    description:
      'Put a phone number on the list of calls that a user makes next in the phone app. No call starts by itself; a ' +
      'number that is on the list already is refused.',
    effect: 'write',
    input: Type.Object({ user_id: idInput('user who calls back'), to: phoneNumber('Number to call back') }),
    async run(api, { user_id, to }) {
      await request(api, 'POST', `/v1/users/${user_id}/dialer_campaign`, { phone_numbers: [to] })
      return { added: true, user_id, to }
    },
  }),
]

const reasons: Record<string, string> = {
  out_of_opening_hours: 'The call arrived outside the opening hours of the number.',
  short_abandoned: 'The caller hung up within the first seconds.',
  abandoned_in_ivr: 'The caller hung up in the menu or while a message was played.',
  abandoned_in_classic: 'The caller hung up while the number was ringing.',
  no_available_agent: 'No user whom the number rings was available.',
  agents_did_not_answer: 'Users were rung, and none of them answered in time.',
}

/** Whether the caller was reached since. */
async function laterCalls(api: Parameters<McpTool['run']>[0], call: Record<string, unknown>) {
  if (typeof call.raw_digits !== 'string' || typeof call.started_at !== 'number') return []
  const digits = call.raw_digits.replaceAll(/[^+\d]/g, '')
  if (!digits.startsWith('+')) return []
  const target = withQuery('/v1/calls/search', {
    phone_number: digits,
    from: call.started_at,
    order: 'asc',
    per_page: 10,
  })
  const { calls } = await request(api, 'GET', target)
  return objectsIn(calls)
    .filter(({ id }) => id !== call.id)
    .map(briefCall)
}
