// Every public endpoint of the contract, written down by hand: what the route table must come to, no more and no less.

export type Group =
  | 'service'
  | 'oauth'
  | 'users v1'
  | 'users v2'
  | 'teams'
  | 'calls'
  | 'intelligence'
  | 'dialer'
  | 'numbers'
  | 'messages'
  | 'webhooks'
  | 'tags'
  | 'contacts'
  | 'company'
  | 'integrations'
  | 'voice agents'
  | 'analytics'

export interface Endpoint {
  group: Group
  method: 'GET' | 'POST' | 'PUT' | 'DELETE'
  path: string
  success: 200 | 201 | 202 | 204
  /** The key the answer is under · the keys of an answer without one · nothing at all. */
  root: string | string[] | null
}

type Line = [method: Endpoint['method'], path: string, success: Endpoint['success'], root: Endpoint['root']]

const inGroup = (group: Group, lines: Line[]): Endpoint[] =>
  lines.map(([method, path, success, root]) => ({ group, method, path, success, root }))

const campaign = '/v1/users/:user_id/dialer_campaign'
const result = '/v1/calls/:call_id'
const configured = ['token', 'callbackUrl', 'type']

export const endpoints: Endpoint[] = [
  ...inGroup('service', [
    ['GET', '/v1', 200, ['resource', 'contact']],
    ['GET', '/v1/ping', 200, ['ping']],
  ]),
  ...inGroup('oauth', [['POST', '/v1/oauth/token', 200, ['access_token', 'token_type', 'created_at']]]),
  ...inGroup('users v1', [
    ['GET', '/v1/users', 200, 'users'],
    ['POST', '/v1/users', 201, 'user'],
    ['GET', '/v1/users/availabilities', 200, 'users'],
    ['GET', '/v1/users/:id', 200, 'user'],
    ['PUT', '/v1/users/:id', 200, 'user'],
    ['DELETE', '/v1/users/:id', 204, null],
    ['GET', '/v1/users/:id/availability', 200, 'availability'],
    ['POST', '/v1/users/:id/calls', 204, null],
    ['POST', '/v1/users/:id/dial', 204, null],
  ]),
  ...inGroup('users v2', [
    ['GET', '/v2/users', 200, 'users'],
    ['POST', '/v2/users', 201, 'user'],
    ['GET', '/v2/users/:id', 200, 'user'],
    ['PUT', '/v2/users/:id', 200, 'user'],
    ['GET', '/v2/users/:id/numbers', 200, 'numbers'],
  ]),
  ...inGroup('teams', [
    ['GET', '/v1/teams', 200, 'teams'],
    ['POST', '/v1/teams', 201, 'team'],
    ['GET', '/v1/teams/:id', 200, 'team'],
    ['DELETE', '/v1/teams/:id', 204, null],
    ['POST', '/v1/teams/:team_id/users/:user_id', 201, 'team'],
    ['DELETE', '/v1/teams/:team_id/users/:user_id', 200, 'team'],
  ]),
  ...inGroup('calls', [
    ['GET', '/v1/calls', 200, 'calls'],
    ['GET', '/v1/calls/search', 200, 'calls'],
    ['GET', '/v1/calls/:id', 200, 'call'],
    ['GET', '/v1/calls/:id/participants', 200, 'participants'],
    ['GET', '/v1/calls/:id/ivr_options', 200, 'ivr_options'],
    ['POST', '/v1/calls/:id/transfers', 204, null],
    ['POST', '/v1/calls/:id/insight_cards', 201, []],
    ['POST', '/v1/calls/:id/comments', 201, 'call'],
    ['POST', '/v1/calls/:id/tags', 201, 'call'],
    ['PUT', '/v1/calls/:id/archive', 200, 'call'],
    ['PUT', '/v1/calls/:id/unarchive', 200, 'call'],
    ['POST', '/v1/calls/:id/pause_recording', 204, null],
    ['POST', '/v1/calls/:id/resume_recording', 204, null],
    ['DELETE', '/v1/calls/:id/recording', 204, null],
    ['DELETE', '/v1/calls/:id/voicemail', 204, null],
  ]),
  ...inGroup('intelligence', [
    ['GET', `${result}/transcription`, 200, 'transcription'],
    ['GET', `${result}/realtime_transcription`, 200, ['call_id', 'call_uuid', 'content']],
    ['GET', `${result}/sentiments`, 200, 'sentiment'],
    ['GET', `${result}/topics`, 200, 'topic'],
    ['GET', `${result}/summary`, 200, 'summary'],
    ['GET', `${result}/custom_summary_result`, 200, ['id', 'custom_summary', 'summary_template_results']],
    ['GET', `${result}/action_items`, 200, ['call_id', 'action_items']],
    ['GET', `${result}/playbook_result`, 200, ['id', 'call_id', 'adherence_score', 'playbook_result_topics']],
    ['GET', `${result}/evaluations`, 200, ['id', 'call_id', 'evaluations']],
    ['GET', `${result}/predicted_csat`, 200, 'csat'],
  ]),
  ...inGroup('dialer', [
    ['GET', campaign, 200, ['id', 'number_id', 'created_at']],
    ['POST', campaign, 204, null],
    ['DELETE', campaign, 204, null],
    ['GET', `${campaign}/phone_numbers`, 200, 'numbers'],
    ['POST', `${campaign}/phone_numbers`, 204, null],
    ['DELETE', `${campaign}/phone_numbers/:id`, 204, null],
  ]),
  ...inGroup('numbers', [
    ['GET', '/v1/numbers', 200, 'numbers'],
    ['GET', '/v1/numbers/:id', 200, 'number'],
    ['PUT', '/v1/numbers/:id', 200, 'number'],
    ['GET', '/v1/numbers/:id/registration_status', 200, ['status', 'updatedAt']],
  ]),
  ...inGroup('messages', [
    ['POST', '/v1/numbers/:id/messages/configuration', 200, configured],
    ['GET', '/v1/numbers/:id/messages/configuration', 200, configured],
    ['DELETE', '/v1/numbers/:id/messages/configuration', 204, null],
    ['POST', '/v1/numbers/:id/messages/native/send', 200, []],
    ['POST', '/v1/numbers/:id/messages/send', 200, []],
    ['POST', '/v1/numbers/:id/messages/group/native/send', 200, []],
    ['POST', '/v1/numbers/:id/messages/group/send', 200, []],
    ['POST', '/v1/messages/whatsapp/send', 200, []],
    ['POST', '/v1/messages/send/whatsapp/native', 200, []],
    ['GET', '/v1/numbers/:id/templates', 200, ['templates', 'pageInfo']],
    ['GET', '/v1/numbers/:id/whatsapp_status', 200, []],
    ['GET', '/v1/sms/templates', 200, 'templates'],
  ]),
  ...inGroup('webhooks', [
    ['GET', '/v1/webhooks', 200, 'webhooks'],
    // The secret stands beside the object, which is the same in every answer.
    ['POST', '/v1/webhooks', 201, ['webhook', 'signing_secret']],
    ['GET', '/v1/webhooks/:webhook_id', 200, 'webhook'],
    ['PUT', '/v1/webhooks/:webhook_id', 200, 'webhook'],
    ['DELETE', '/v1/webhooks/:webhook_id', 204, null],
  ]),
  ...inGroup('tags', [
    ['GET', '/v1/tags', 200, 'tags'],
    ['POST', '/v1/tags', 201, 'tag'],
    ['GET', '/v1/tags/:id', 200, 'tag'],
    ['PUT', '/v1/tags/:id', 200, 'tag'],
    ['DELETE', '/v1/tags/:id', 204, null],
  ]),
  ...inGroup('contacts', [
    ['GET', '/v1/contacts', 200, 'contacts'],
    ['GET', '/v1/contacts/search', 200, 'contacts'],
    ['POST', '/v1/contacts', 201, 'contact'],
    ['GET', '/v1/contacts/:id', 200, 'contact'],
    ['POST', '/v1/contacts/:id', 200, 'contact'],
    ['PUT', '/v1/contacts/:id', 200, 'contact'],
    ['DELETE', '/v1/contacts/:id', 204, null],
    ['POST', '/v1/contacts/:id/phone_details', 201, 'contact'],
    ['PUT', '/v1/contacts/:id/phone_details/:phone_number_id', 200, 'contact'],
    ['DELETE', '/v1/contacts/:id/phone_details/:phone_number_id', 204, null],
    ['POST', '/v1/contacts/:id/email_details', 201, 'contact'],
    ['PUT', '/v1/contacts/:id/email_details/:email_id', 200, 'contact'],
    ['DELETE', '/v1/contacts/:id/email_details/:email_id', 204, null],
  ]),
  ...inGroup('company', [['GET', '/v1/company', 200, 'company']]),
  ...inGroup('integrations', [
    ['GET', '/v1/integrations/me', 200, 'integration'],
    ['POST', '/v1/integrations/enable', 200, 'integration'],
    ['POST', '/v1/integrations/disable', 200, 'integration'],
  ]),
  ...inGroup('voice agents', [
    ['GET', '/v1/ai_voice_agents', 200, 'ai_voice_agents'],
    ['GET', '/v1/ai_voice_agents/:id', 200, 'ai_voice_agent'],
    ['GET', '/v1/outbound-calls', 200, 'outbound_calls'],
    ['GET', '/v1/outbound-calls/:id', 200, ['id', 'idempotency_key', 'status', 'virtual_agent_id']],
    ['POST', '/v1/outbound-calls/agents/:agent_id', 202, ['id', 'idempotency_key', 'status', 'virtual_agent_id']],
  ]),
  ...inGroup('analytics', [
    ['POST', '/v1/analytics/report/export', 201, ['exportID', 'createdAt', 'status']],
    ['GET', '/v1/analytics/report/export/:export_id', 200, ['exportID', 'createdAt', 'status']],
  ]),
]

/** Our additions: existing clients never use them, and the contract's delivery design names them. */
export const additions: Record<string, number> = {
  'POST /v1/webhooks/:webhook_id/secret/rotations': 201,
  'GET /v1/webhooks/:webhook_id/deliveries': 200,
  'GET /v1/webhooks/:webhook_id/deliveries/:delivery_id': 200,
  'POST /v1/webhooks/:webhook_id/deliveries/:delivery_id/redeliver': 201,
  'GET /v1/webhooks/:webhook_id/health': 200,
  'POST /v1/webhooks/:webhook_id/test': 201,
  'POST /v1/webhooks/:webhook_id/replays': 201,
  'GET /v1/webhooks/:webhook_id/replays': 200,
  'GET /v1/webhooks/:webhook_id/replays/:replay_id': 200,
  'DELETE /v1/webhooks/:webhook_id/replays/:replay_id': 204,
  'GET /v1/calls/:id/trace': 200,
  'GET /v1/calls/:id/quality': 200,
  'GET /v1/outbound-campaigns': 200,
  'POST /v1/outbound-campaigns': 201,
  'GET /v1/outbound-campaigns/:id': 200,
  'PUT /v1/outbound-campaigns/:id': 200,
  'DELETE /v1/outbound-campaigns/:id': 204,
  'POST /v1/outbound-campaigns/:id/start': 200,
  'POST /v1/outbound-campaigns/:id/pause': 200,
  'POST /v1/outbound-campaigns/:id/resume': 200,
  'POST /v1/outbound-campaigns/:id/cancel': 200,
  'GET /v1/outbound-campaigns/:id/recipients': 200,
  'POST /v1/outbound-campaigns/:id/recipients': 200,
  'GET /v1/outbound-campaigns/:id/export': 200,
  'GET /v1/call_opt_outs': 200,
  'POST /v1/call_opt_outs': 201,
  'DELETE /v1/call_opt_outs/:phone_number': 204,
  'GET /v1/events': 200,
  'GET /v1/events/stream': 200,
  'POST /v1/events/test': 201,
  'GET /v1/export/calls': 200,
  'GET /v1/export/contacts': 200,
  'GET /v1/export/messages': 200,
  'POST /v1/admin/numbers': 201,
  'DELETE /v1/admin/numbers/:id': 204,
  'PUT /v1/admin/numbers/:id/users': 200,
  'POST /v1/admin/numbers/:id/users': 200,
  'GET /v1/admin/numbers/:id/settings': 200,
  'PUT /v1/admin/numbers/:id/settings': 200,
  'GET /v1/admin/numbers/:id/opening_hours': 200,
  'PUT /v1/admin/numbers/:id/opening_hours': 200,
  'GET /v1/admin/numbers/:id/flow': 200,
  'PUT /v1/admin/numbers/:id/flow': 200,
  'GET /v1/admin/numbers/:id/flow/versions': 200,
  'GET /v1/admin/numbers/:id/recording_notice': 200,
  'PUT /v1/admin/numbers/:id/recording_notice': 200,
  'GET /v1/admin/configuration': 200,
  'POST /v1/admin/configuration/plan': 200,
  'POST /v1/admin/configuration/apply': 200,
  'GET /v1/admin/company/settings': 200,
  'PUT /v1/admin/company/settings': 200,
  'GET /v1/admin/company/retention': 200,
  'PUT /v1/admin/company/retention': 200,
  'POST /v1/admin/company/retention/preview': 200,
  'GET /v1/admin/company/recording_notice': 200,
  'PUT /v1/admin/company/recording_notice': 200,
  'GET /v1/admin/api_keys': 200,
  'POST /v1/admin/api_keys': 201,
  'PUT /v1/admin/api_keys/:id': 200,
  'DELETE /v1/admin/api_keys/:id': 204,
  'POST /v1/admin/api_keys/:id/rotations': 201,
  'GET /v1/admin/webhooks': 200,
  'PUT /v1/admin/webhooks/:webhook_id': 200,
  'DELETE /v1/admin/webhooks/:webhook_id': 204,
  'GET /v1/admin/trunks': 200,
  'POST /v1/admin/trunks': 201,
  'PUT /v1/admin/trunks/:id': 200,
  'DELETE /v1/admin/trunks/:id': 204,
  'GET /v1/admin/dial_limits': 200,
  'PUT /v1/admin/dial_limits': 200,
  'GET /v1/admin/carriers': 200,
  'POST /v1/admin/carriers': 201,
  'PUT /v1/admin/carriers/:id': 200,
  'DELETE /v1/admin/carriers/:id': 204,
  'GET /v1/admin/message_lines': 200,
  'PUT /v1/admin/message_lines/:id': 200,
  'GET /v1/admin/message_limits': 200,
  'PUT /v1/admin/message_limits': 200,
  'POST /v1/admin/sms/templates': 201,
  'PUT /v1/admin/sms/templates/:id': 200,
  'DELETE /v1/admin/sms/templates/:id': 204,
  'GET /v1/admin/blocked_callers': 200,
  'POST /v1/admin/blocked_callers': 201,
  'PUT /v1/admin/blocked_callers/:id': 200,
  'DELETE /v1/admin/blocked_callers/:id': 204,
  'GET /v1/admin/ai_voice_agents/:id/settings': 200,
  'POST /v1/admin/ai_voice_agents': 201,
  'PUT /v1/admin/ai_voice_agents/:id': 200,
  'DELETE /v1/admin/ai_voice_agents/:id': 204,
  'GET /v1/admin/ai_voice_agents/:id/tests': 200,
  'PUT /v1/admin/ai_voice_agents/:id/tests': 200,
  'POST /v1/admin/ai_voice_agents/:id/tests/run': 200,
  'POST /v1/admin/ai_voice_agents/:id/tests/import': 200,
  'GET /v1/admin/ai_voice_agents/:id/versions': 200,
  'GET /v1/admin/ai_voice_agents/:id/versions/:version': 200,
  'POST /v1/admin/ai_voice_agents/:id/versions/:version/restore': 200,
  'GET /v1/admin/ai_voice_agents/:id/documents': 200,
  'GET /v1/admin/ai_voice_agents/:id/documents/:document_id': 200,
  'POST /v1/admin/ai_voice_agents/:id/documents': 201,
  'POST /v1/admin/ai_voice_agents/:id/documents/:document_id/refresh': 200,
  'DELETE /v1/admin/ai_voice_agents/:id/documents/:document_id': 204,
  'GET /v1/admin/intelligence/guides': 200,
  'POST /v1/admin/intelligence/guides': 201,
  'PUT /v1/admin/intelligence/guides/:id': 200,
  'DELETE /v1/admin/intelligence/guides/:id': 204,
  'GET /v1/admin/intelligence/settings': 200,
  'PUT /v1/admin/intelligence/settings': 200,
  'GET /v1/admin/intelligence/suggestions': 200,
  'PUT /v1/admin/intelligence/suggestions': 200,
  'GET /v1/admin/oauth_apps': 200,
  'POST /v1/admin/oauth_apps': 201,
  'PUT /v1/admin/oauth_apps/:id': 200,
  'DELETE /v1/admin/oauth_apps/:id': 204,
  'POST /v1/admin/oauth_apps/:id/secret/rotations': 201,
}

export const nameOf = ({ method, path }: { method: string; path: string }) => `${method} ${path}`

const stepOfGroup: Partial<Record<Group, number>> = {}

/** What is not served yet, each with the step that brings it. An entry leaves this list when its route is registered. */
export const stillToCome = new Map<string, number>(
  endpoints.flatMap((endpoint): [string, number][] => {
    const step = stepOfGroup[endpoint.group]
    return step === undefined ? [] : [[nameOf(endpoint), step]]
  }),
)
