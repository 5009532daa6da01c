import { type EventName, events, type Resource, type ServiceEventName, serviceEvents } from '../../domain/events.ts'
import { table } from './reference.ts'

/** The catalogue as Markdown: one table per resource, in the order of the list of events. */
export function eventTables(): string {
  const kinds = { ...events, ...serviceEvents }
  const resources = [...new Set(Object.values(kinds).map(({ resource }) => resource))]
  return resources
    .map((resource) => {
      const rows = Object.entries(kinds)
        .filter(([, kind]) => kind.resource === resource)
        .map(([name, kind]) => [
          `\`${name}\``,
          'deprecated' in kind ? `V${kind.version}, deprecated` : `V${kind.version}`,
          triggers[name as EventName | ServiceEventName],
        ])
      return `### ${titles[resource]}\n\n${texts[resource]}\n\n${table(['Event', 'Version', 'Sent when'], rows)}`
    })
    .join('\n\n')
}

const titles: Record<Resource, string> = {
  call: 'Calls',
  user: 'Users',
  number: 'Numbers',
  contact: 'Contacts',
  message: 'Messages',
  group_message: 'Group messages',
  conversation_intelligence: 'Conversation intelligence',
  ai_voice_agent: 'AI voice agents',
  analytics: 'Analytics',
  integration: 'Integrations',
  webhook: 'Service events',
}

const texts: Record<Resource, string> = {
  call: '`resource` is `call`; `data` is the call as it was at that moment. Internal calls send nothing.',
  user:
    '`resource` is `user`. One fact sends both versions, each to the webhooks that asked for it. Version 1 carries the ' +
    'Numbers of the user, version 2 does not.',
  number: '`resource` is `number`; `data` is the Number with its users and `e164_digits`.',
  contact: '`resource` is `contact`; dates are `YYYY-MM-DDTHH:mm:ssZ`.',
  message: '`resource` is `message`: SMS, MMS and WhatsApp.',
  group_message: '`resource` is `group_message`.',
  conversation_intelligence: '`resource` is `conversation_intelligence`, whatever the first word of the name.',
  ai_voice_agent: '`resource` is `ai_voice_agent`; the ordinary call events are sent as well.',
  analytics: '`resource` is `analytics`.',
  integration: '`resource` is `integration`; only webhooks made with the OAuth token of that app get it.',
  webhook:
    '`resource` is `webhook`. They tell about your webhooks, are not among the 67, and reach only a webhook that names ' +
    'them in `events`.',
}

const session = 'A phone app session'
const triggers: Record<EventName | ServiceEventName, string> = {
  'call.created': 'A call begins: inbound when it reaches its first Number, outbound when it starts. Once per call.',
  'call.ringing_on_agent': 'One agent is rung; five agents make five events.',
  'call.agent_declined': 'An agent refuses the ring.',
  'call.answered': 'Somebody picks up: an agent, an AI voice agent, or the person called. At most once per call.',
  'call.transferred': 'The call is passed on to a user, a team or an outside number.',
  'call.external_transferred': 'The call is passed on to an outside number; follows `call.transferred`.',
  'call.unsuccessful_transfer': 'Nobody takes a call that was passed on.',
  'call.hungup': 'A side hangs up. Sent at once, before recording and voicemail are known.',
  'call.ended': 'Everything about the call is known: by default half a minute after the hang-up. Once per call.',
  'call.hold': 'The agent puts the caller on hold.',
  'call.unhold': 'The agent comes back to the caller.',
  'call.ivr_option_selected': 'The caller picks a key of a menu, or the fallback is taken.',
  'call.comm_assets_generated': 'The recording or the voicemail can be fetched.',
  'call.voicemail_left': 'A voicemail was kept; comes after `call.ended`.',
  'call.assigned': 'The call gets an owner: by hand, or by taking a transfer or an escalation.',
  'call.archived': 'The call is put away: by the API, in the app, or because a callback was done.',
  'call.tagged': 'Tags are added, once per request; `data` holds all tags.',
  'call.untagged': 'A tag is taken off in the app.',
  'call.commented': 'A comment is posted. What an agent types during the call comes after `call.ended`.',
  'user.created': 'A user is invited.',
  'user.deleted': 'A user is deleted; `data` is the user as last known.',
  'user.connected': `${session} opens; two tabs send two events.`,
  'user.disconnected': `${session} closes.`,
  'user.opened': 'The user becomes available, by hand or by working hours.',
  'user.closed': 'The user stops being available. With a reason it comes twice: first without, then with it.',
  'user.wut_start': 'Wrap-up begins; before `call.hungup` of the same call.',
  'user.wut_end': 'Wrap-up is over.',
  'user.created.v2': 'As `user.created`.',
  'user.deleted.v2': 'As `user.deleted`.',
  'user.connected.v2': 'As `user.connected`.',
  'user.disconnected.v2': 'As `user.disconnected`.',
  'user.opened.v2': 'As `user.opened`.',
  'user.closed.v2': 'As `user.closed`.',
  'user.wut_start.v2': 'As `user.wut_start`, with `last_call_id`.',
  'user.wut_end.v2': 'As `user.wut_end`, with `last_call_id`.',
  'number.created': 'The company gets a Number.',
  'number.opened': 'A classic number enters its opening hours. Not for a change by hand, never for a flow number.',
  'number.closed': 'A classic number leaves its opening hours. Not for a change by hand, never for a flow number.',
  'number.deleted': 'The company gives a Number up; `users` is empty.',
  'contact.created': 'A contact is made.',
  'contact.updated': 'A contact changes, or one of its phone numbers or e-mail addresses does.',
  'contact.deleted': 'A contact is deleted; its two lists are empty.',
  'message.sent': 'A message leaves the account.',
  'message.received': 'A message arrives.',
  'message.status_updated': 'A message you sent gets another status.',
  'group_message.sent': 'A group message leaves the account.',
  'group_message.received': 'A group message arrives.',
  'group_message.status_updated': 'A group message you sent gets another status.',
  'transcription.created': 'The words of a call or voicemail are ready.',
  'summary.created': 'The summary of a call is ready.',
  'topics.created': 'The topics of a call are ready.',
  'sentiment.created': 'The mood of a call is ready.',
  'action_item.created': 'Something to do was found in a call, or added by hand.',
  'playbook_result.created': 'A call was compared with its playbook.',
  'playbook_result.updated': 'That comparison changes.',
  'realtime_transcription.utterances_received': 'Somebody said something in a call that is still going on.',
  'custom_summary.result_created': 'A summary by your own template is ready.',
  'custom_summary.result_updated': 'Such a summary is edited.',
  'call_evaluation.created': 'A call is evaluated.',
  'call_evaluation.updated': 'An evaluation changes.',
  'ai_voice_agent.started': 'An AI voice agent takes a call.',
  'ai_voice_agent.ended': 'Its part of the call is over.',
  'ai_voice_agent.escalated': 'It hands the call to a person.',
  'ai_voice_agent.summary': 'What it learnt is ready; the last of the four.',
  'analytics.report_created': 'An export can be downloaded.',
  'analytics.report_failed': 'An export did not succeed.',
  'integration.deleted': 'An OAuth app is removed from the company.',
  'webhook.failing': 'Another webhook of yours has been failing for 1, 24 or 96 hours.',
  'webhook.disabled': 'Another webhook of yours was switched off by the service.',
  'webhook.test': 'You asked for a test without naming an event.',
}
