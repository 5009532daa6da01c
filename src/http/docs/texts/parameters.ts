/**
 * Descriptions of path and query parameters that their schema does not describe: `operationId.name` first, then `name`.
 * The final period is added.
 */
export const parameterTexts: Record<string, string> = {
  page: 'Number of the page to return, counted from 1',
  per_page: 'Number of items on a page',
  order: 'Sort order by creation time: oldest first (`asc`) or newest first (`desc`)',
  order_by: 'Field to sort by',
  id: 'Id of the object',
  agent_id: 'Id of the AI voice agent that places the call',
  call_id: 'Id of the call',
  category: 'Returns only templates of this category',
  delivery_id: 'Id of the delivery, such as `dlv_01K…`',
  direction: 'Returns only inbound or only outbound calls',
  email_id: 'Id of the email address in the contact',
  event: 'Returns only deliveries of this event',
  events_action: 'Whether `events` is added to the list of the webhook or removed from it',
  export_id: 'Id of the export, from the response that created it',
  fetch_playbook: '`true` includes the playbook that the call was compared with',
  kind: 'Returns only deliveries of this kind: `live` events, the `backlog` of a webhook, replays or tests',
  limit: 'Number of templates on a page',
  mode: '`realtime` returns the realtime transcription instead of the final one',
  name: 'Name of the scenario',
  phone_number_id: 'Id of the phone number in the contact',
  replay_id: 'Id of the replay, such as `rpl_01K…`',
  sort: 'Sort order of the templates',
  status: 'Returns only templates with this status',
  team_id: 'Id of the team',
  webhook_id: 'Id of the webhook: its UUID, or the numeric id of older webhooks',
  user_id: 'Id or email address of the user',
  from: 'Returns only objects created at this time or later, in UNIX seconds',
  to: 'Returns only objects created at this time or earlier, in UNIX seconds',

  'listDeliveries.from': 'Returns only deliveries created at this time or later, in UNIX seconds',
  'listDeliveries.to': 'Returns only deliveries created at this time or earlier, in UNIX seconds',
  'listDeliveries.status': 'Returns only deliveries whose last response had this HTTP status',
  'listDeliveries.state':
    'Returns only deliveries in this state: `queued` waits for its next attempt, `leased` is being sent, `exhausted` failed 13 times, `held` waits for a disabled webhook, `expired` was held for 14 days',
  'listDeliveries.replay_id': 'Returns only deliveries of this replay',
  'listDeliveries.resource_id': 'Returns only deliveries about this call, user, contact or other object',
  'listEvents.call_id': 'Returns only events about this call',
  'searchCalls.phone_number':
    'Returns only calls with this number: that of the external party, or the Number of the call. Digits are compared, `+` is optional, and a national number is read in the country of the company',
  'searchCalls.user_id': 'Returns only calls that this user answered or placed',
  'listContacts.email': 'Returns only contacts with exactly this email address, regardless of case',
  'listContacts.phone_number': 'Returns only contacts with this phone number. Digits are compared, and `+` is optional',
  'searchContacts.email': 'Returns only contacts with exactly this email address, regardless of case',
  'searchContacts.phone_number':
    'Returns only contacts with this phone number. Digits are compared, and `+` is optional',
  'listWhatsappTemplates.token': 'Position of the page to return: `nextToken` of the previous page',

  'getTeam.id': 'Id of the team',
  'deleteTeam.id': 'Id of the team',
  'deleteDialerCampaignNumber.id': 'Id of the phone number in the campaign',
  'getAiVoiceAgent.id': 'Id of the AI voice agent',
  'getAiVoiceAgentCall.id': 'Id of the outbound call',
}

/** The object that `:id` names, by the beginning of the path. */
export const idTexts: [prefix: string, text: string][] = [
  ['/v1/calls/', 'Id of the call'],
  ['/v1/numbers/', 'Id of the Number'],
  ['/v1/contacts/', 'Id of the contact'],
  ['/v1/tags/', 'Id of the tag'],
  ['/v1/users/', 'Id or email address of the user'],
  ['/v2/users/', 'Id or email address of the user'],
  ['/v1/admin/numbers/', 'Id of the Number'],
  ['/v1/admin/message_lines/', 'Id of the Number'],
  ['/v1/admin/trunks/', 'Id of the SIP trunk'],
  ['/v1/admin/carriers/', 'Id of the message carrier'],
  ['/v1/admin/api_keys/', 'Id of the API key; not its `api_id`'],
  ['/v1/admin/blocked_callers/', 'Id of the blocked caller'],
  ['/v1/admin/sms/templates/', 'Id of the SMS template'],
  ['/v1/admin/ai_voice_agents/', 'Id of the AI voice agent'],
  ['/v1/admin/intelligence/guides/', 'Id of the guide'],
  ['/v1/admin/oauth_apps/', 'Id of the OAuth app'],
  ['/sandbox/v1/users/', 'Id or email address of the user'],
]
