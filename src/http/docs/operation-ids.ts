import type { Route } from '../route.ts'
import { singular } from './schema.ts'

/**
 * The operationId of a route: the name of its method in client libraries. It never changes once released. Derived from
 * method and path, unless the table or the route itself names it.
 */
export function operationIdOf({ method, path, document }: Route): string {
  return document.operationId ?? chosen[`${method} ${path}`] ?? derived(method, path, document)
}

const skipped = new Set(['v1', 'v2', 'app', 'sandbox', 'admin'])
const verbs: Record<string, string> = { POST: 'create', PUT: 'update', DELETE: 'delete' }

/** `PUT /v1/numbers/:id/flow` → updateNumberFlow */
function derived(method: string, path: string, { reply }: Route['document']): string {
  const parts = path.split('/').filter((part) => part !== '' && !skipped.has(part))
  const isOne = parts.at(-1)?.startsWith(':') === true
  const isList = method === 'GET' && !isOne && hasList(reply)
  const nouns = parts.flatMap((part, n) => {
    if (part.startsWith(':')) return []
    const next = parts[n + 1]
    const isSingle = next === undefined ? method === 'POST' : next.startsWith(':')
    return [isSingle && !part.endsWith('status') ? singular(part) : part]
  })
  const verb = verbs[method] ?? (isList ? 'list' : 'get')
  return verb + nouns.map(pascal).join('')
}

function hasList(reply: Route['document']['reply']): boolean {
  if (!('body' in reply)) return false
  const properties = (reply.body as { properties?: Record<string, { type?: string }> }).properties ?? {}
  return Object.values(properties).some(({ type }) => type === 'array')
}

export const pascal = (words: string) =>
  words
    .split(/[^a-zA-Z0-9]+/)
    .map((word) => word.slice(0, 1).toUpperCase() + word.slice(1))
    .join('')

/** Names that are not the derived ones. Version 1 of users is deprecated; its names say so. */
const chosen: Record<string, string> = {
  'GET /v1': 'getApiInfo',
  'GET /v1/ping': 'ping',
  'GET /v1/company': 'getCompany',
  'POST /v1/session': 'signIn',
  'DELETE /v1/session': 'signOut',

  'GET /v1/users': 'listUsersLegacy',
  'POST /v1/users': 'inviteUserLegacy',
  'GET /v1/users/:id': 'getUserLegacy',
  'PUT /v1/users/:id': 'updateUserLegacy',
  'GET /v2/users': 'listUsers',
  'POST /v2/users': 'inviteUser',
  'GET /v2/users/:id': 'getUser',
  'PUT /v2/users/:id': 'updateUser',
  'DELETE /v1/users/:id': 'deleteUser',
  'GET /v1/users/availabilities': 'listUserAvailabilities',
  'GET /v1/users/:id/availability': 'getUserAvailability',
  'GET /v2/users/:id/numbers': 'listUserNumbers',
  'POST /v1/users/:id/calls': 'startCall',
  'POST /v1/users/:id/dial': 'fillDialpad',

  'POST /v1/teams/:team_id/users/:user_id': 'addUserToTeam',
  'DELETE /v1/teams/:team_id/users/:user_id': 'removeUserFromTeam',

  'GET /v1/users/:user_id/dialer_campaign': 'getDialerCampaign',
  'POST /v1/users/:user_id/dialer_campaign': 'createDialerCampaign',
  'DELETE /v1/users/:user_id/dialer_campaign': 'deleteDialerCampaign',
  'GET /v1/users/:user_id/dialer_campaign/phone_numbers': 'listDialerCampaignNumbers',
  'POST /v1/users/:user_id/dialer_campaign/phone_numbers': 'addDialerCampaignNumbers',
  'DELETE /v1/users/:user_id/dialer_campaign/phone_numbers/:id': 'deleteDialerCampaignNumber',

  'GET /v1/calls/search': 'searchCalls',
  'GET /v1/calls/:id/trace': 'getCallTrace',
  'POST /v1/calls/:id/transfers': 'transferCall',
  'POST /v1/calls/:id/insight_cards': 'createInsightCard',
  'POST /v1/calls/:id/pause_recording': 'pauseRecording',
  'POST /v1/calls/:id/resume_recording': 'resumeRecording',
  'POST /v1/calls/:id/comments': 'createCallComment',
  'POST /v1/calls/:id/tags': 'addCallTags',
  'PUT /v1/calls/:id/archive': 'archiveCall',
  'PUT /v1/calls/:id/unarchive': 'unarchiveCall',
  'DELETE /v1/calls/:id/recording': 'deleteRecording',
  'DELETE /v1/calls/:id/voicemail': 'deleteVoicemail',
  'GET /v1/calls/:id/quality': 'getCallQuality',
  'GET /v1/export/calls': 'exportCalls',
  'GET /v1/export/contacts': 'exportContacts',
  'GET /v1/export/messages': 'exportMessages',

  'GET /v1/calls/:call_id/transcription': 'getTranscription',
  'GET /v1/calls/:call_id/realtime_transcription': 'getRealtimeTranscription',
  'GET /v1/calls/:call_id/sentiments': 'getSentiments',
  'GET /v1/calls/:call_id/topics': 'getTopics',
  'GET /v1/calls/:call_id/summary': 'getSummary',
  'GET /v1/calls/:call_id/custom_summary_result': 'getCustomSummaryResult',
  'GET /v1/calls/:call_id/action_items': 'getActionItems',
  'GET /v1/calls/:call_id/playbook_result': 'getPlaybookResult',
  'GET /v1/calls/:call_id/evaluations': 'getEvaluations',
  'GET /v1/calls/:call_id/predicted_csat': 'getPredictedCsat',

  'GET /v1/numbers/:id/registration_status': 'getNumberRegistrationStatus',
  'POST /v1/numbers/:id/messages/configuration': 'setMessageConfiguration',
  'GET /v1/numbers/:id/messages/configuration': 'getMessageConfiguration',
  'DELETE /v1/numbers/:id/messages/configuration': 'deleteMessageConfiguration',
  'POST /v1/numbers/:id/messages/native/send': 'sendInboxMessage',
  'POST /v1/numbers/:id/messages/send': 'sendMessage',
  'POST /v1/numbers/:id/messages/group/native/send': 'sendInboxGroupMessage',
  'POST /v1/numbers/:id/messages/group/send': 'sendGroupMessage',
  'POST /v1/messages/send/whatsapp/native': 'sendInboxWhatsappMessage',
  'POST /v1/messages/whatsapp/send': 'sendWhatsappMessage',
  'GET /v1/sms/templates': 'listSmsTemplates',
  'GET /v1/numbers/:id/templates': 'listWhatsappTemplates',
  'GET /v1/numbers/:id/whatsapp_status': 'getWhatsappStatus',

  'GET /v1/contacts/search': 'searchContacts',
  'POST /v1/contacts/:id': 'updateContact',
  'PUT /v1/contacts/:id': 'updateContactWithPut',
  'POST /v1/contacts/:id/phone_details': 'addContactPhoneNumber',
  'PUT /v1/contacts/:id/phone_details/:phone_number_id': 'updateContactPhoneNumber',
  'DELETE /v1/contacts/:id/phone_details/:phone_number_id': 'deleteContactPhoneNumber',
  'POST /v1/contacts/:id/email_details': 'addContactEmail',
  'PUT /v1/contacts/:id/email_details/:email_id': 'updateContactEmail',
  'DELETE /v1/contacts/:id/email_details/:email_id': 'deleteContactEmail',

  'GET /v1/integrations/me': 'getIntegration',
  'POST /v1/integrations/enable': 'enableIntegration',
  'POST /v1/integrations/disable': 'disableIntegration',
  'POST /v1/oauth/token': 'createAccessToken',

  'POST /v1/webhooks/:webhook_id/secret/rotations': 'rotateWebhookSecret',
  'GET /v1/webhooks/:webhook_id/health': 'getWebhookHealth',
  'POST /v1/webhooks/:webhook_id/test': 'testWebhook',
  'POST /v1/webhooks/:webhook_id/replays': 'createReplay',
  'GET /v1/webhooks/:webhook_id/replays': 'listReplays',
  'GET /v1/webhooks/:webhook_id/replays/:replay_id': 'getReplay',
  'DELETE /v1/webhooks/:webhook_id/replays/:replay_id': 'cancelReplay',
  'GET /v1/webhooks/:webhook_id/deliveries': 'listDeliveries',
  'GET /v1/webhooks/:webhook_id/deliveries/:delivery_id': 'getDelivery',
  'POST /v1/webhooks/:webhook_id/deliveries/:delivery_id/redeliver': 'redeliver',
  'GET /v1/events/stream': 'streamEvents',
  'POST /v1/events/test': 'createTestEvent',

  'POST /v1/outbound-calls/agents/:agent_id': 'startAiVoiceAgentCall',
  'GET /v1/outbound-calls': 'listAiVoiceAgentCalls',
  'GET /v1/outbound-calls/:id': 'getAiVoiceAgentCall',
  'GET /v1/outbound-campaigns': 'listOutboundCampaigns',
  'POST /v1/outbound-campaigns': 'createOutboundCampaign',
  'GET /v1/outbound-campaigns/:id': 'getOutboundCampaign',
  'PUT /v1/outbound-campaigns/:id': 'updateOutboundCampaign',
  'DELETE /v1/outbound-campaigns/:id': 'deleteOutboundCampaign',
  'POST /v1/outbound-campaigns/:id/start': 'startOutboundCampaign',
  'POST /v1/outbound-campaigns/:id/pause': 'pauseOutboundCampaign',
  'POST /v1/outbound-campaigns/:id/resume': 'resumeOutboundCampaign',
  'POST /v1/outbound-campaigns/:id/cancel': 'cancelOutboundCampaign',
  'GET /v1/outbound-campaigns/:id/recipients': 'listOutboundCampaignRecipients',
  'POST /v1/outbound-campaigns/:id/recipients': 'addOutboundCampaignRecipients',
  'GET /v1/outbound-campaigns/:id/export': 'exportOutboundCampaign',
  'GET /v1/call_opt_outs': 'listCallOptOuts',
  'POST /v1/call_opt_outs': 'createCallOptOut',
  'DELETE /v1/call_opt_outs/:phone_number': 'deleteCallOptOut',
  'POST /v1/analytics/report/export': 'createReportExport',
  'GET /v1/analytics/report/export/:export_id': 'getReportExport',

  'GET /v1/admin/company/settings': 'getCompanySettings',
  'POST /v1/admin/company/retention/preview': 'previewRetention',
  'POST /v1/admin/api_keys/:id/rotations': 'rotateApiKey',
  'POST /v1/admin/ai_voice_agents/:id/tests/run': 'runAiVoiceAgentTests',
  'POST /v1/admin/ai_voice_agents/:id/tests/import': 'importAiVoiceAgentTest',
  'GET /v1/admin/ai_voice_agents/:id/versions': 'listAiVoiceAgentVersions',
  'GET /v1/admin/ai_voice_agents/:id/versions/:version': 'getAiVoiceAgentVersion',
  'POST /v1/admin/ai_voice_agents/:id/versions/:version/restore': 'restoreAiVoiceAgentVersion',
  'GET /v1/admin/ai_voice_agents/:id/documents': 'listAiVoiceAgentDocuments',
  'GET /v1/admin/ai_voice_agents/:id/documents/:document_id': 'getAiVoiceAgentDocument',
  'POST /v1/admin/ai_voice_agents/:id/documents': 'addAiVoiceAgentDocument',
  'POST /v1/admin/ai_voice_agents/:id/documents/:document_id/refresh': 'refreshAiVoiceAgentDocument',
  'DELETE /v1/admin/ai_voice_agents/:id/documents/:document_id': 'deleteAiVoiceAgentDocument',
  'PUT /v1/admin/numbers/:id/users': 'setNumberUsers',
  'POST /v1/admin/numbers/:id/users': 'changeNumberUsers',
  'GET /v1/admin/numbers/:id/settings': 'getNumberSettings',
  'GET /v1/admin/intelligence/guides': 'listGuides',
  'POST /v1/admin/intelligence/guides': 'createGuide',
  'PUT /v1/admin/intelligence/guides/:id': 'updateGuide',
  'DELETE /v1/admin/intelligence/guides/:id': 'deleteGuide',
  'POST /v1/admin/oauth_apps/:id/secret/rotations': 'rotateOauthAppSecret',

  'GET /sandbox/v1/clock': 'getSandboxClock',
  'PUT /sandbox/v1/clock': 'setSandboxClock',
  'POST /sandbox/v1/calls': 'simulateCall',
  'POST /sandbox/v1/messages': 'simulateMessage',
  'POST /sandbox/v1/users/:id/actions': 'performUserAction',
  'PUT /sandbox/v1/users/:id/autopilot': 'setAutopilot',
  'GET /sandbox/v1/scenarios': 'listScenarios',
  'POST /sandbox/v1/scenarios/:name': 'startScenario',
  'POST /sandbox/v1/reset': 'resetSandbox',
  'PUT /sandbox/v1/callees': 'setCallees',
  'GET /sandbox/v1/faults': 'getFaults',
  'PUT /sandbox/v1/faults': 'setFaults',
}
