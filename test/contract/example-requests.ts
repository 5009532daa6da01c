import { adminExampleRequests } from './admin-example-requests.ts'

// One request for every operation of the public document, in an order in which a fresh sandbox accepts them all. Bodies
// are those of the document, responses become its examples: `npm run examples` records them.

export interface ExampleReply {
  status: number
  // biome-ignore lint/suspicious/noExplicitAny: responses of every shape
  json: any
}

export type Send = (method: string, path: string, body?: unknown) => Promise<ExampleReply>

type Ids = Record<string, number | string>

export interface ExampleRequest {
  operationId: string
  /** Values of the path. Those that differ between installations come from earlier responses. */
  ids?: Ids | ((known: Known) => Ids)
  query?: string
  body?: object | ((known: Known) => object)
  /** Makes what the request needs, by requests of its own. */
  before?(send: Send, known: Known): Promise<void>
}

/** Responses so far, by operation. */
// biome-ignore lint/suspicious/noExplicitAny: responses of every shape
export type Known = Record<string, any>

const agent = 4
const customer = '+33612345678'

const act = (send: Send, action: string, more: object = {}, user = agent) =>
  send('POST', `/sandbox/v1/users/${user}/actions`, { action, ...more })
const advance = (send: Send, advance_seconds: number) => send('PUT', '/sandbox/v1/clock', { advance_seconds })

const webhook = (known: Known): Ids => ({ webhook_id: known.createWebhook.webhook.webhook_id })
const delivery = (known: Known): Ids => ({ ...webhook(known), delivery_id: known.listDeliveries.deliveries[0].id })
const replay = (known: Known): Ids => ({ ...webhook(known), replay_id: known.createReplay.replay.id })
const campaign = (known: Known): Ids => ({ id: known.createOutboundCampaign.id })
const analysed = (known: Known): Ids => ({ call_id: known.analysed })
const analysedCall = (known: Known): Ids => ({ id: known.analysed })

/** The newest call with all results: the demo company has them for its last calls. */
async function findAnalysedCall(send: Send, known: Known): Promise<void> {
  if (known.analysed !== undefined) return
  const { json } = await send('GET', '/v1/calls?order=desc&per_page=50')
  for (const { id } of json.calls) {
    const parts = ['evaluations', 'custom_summary_result', 'predicted_csat', 'playbook_result', 'sentiments']
    const replies = await Promise.all(parts.map((part) => send('GET', `/v1/calls/${id}/${part}`)))
    if (replies.some(({ status }) => status !== 200)) continue
    known.analysed = id
    return
  }
}

export const exampleRequests: readonly ExampleRequest[] = [
  { operationId: 'getApiInfo' },
  { operationId: 'ping' },
  { operationId: 'getCompany' },
  { operationId: 'getSandboxClock' },
  { operationId: 'setSandboxClock', body: { mode: 'frozen' } },

  { operationId: 'listUsersLegacy', query: '?per_page=1' },
  { operationId: 'listUserAvailabilities', query: '?per_page=1' },
  { operationId: 'getUserLegacy', ids: { id: agent } },
  { operationId: 'getUserAvailability', ids: { id: agent } },
  { operationId: 'listUsers', query: '?per_page=1' },
  { operationId: 'getUser', ids: { id: agent } },
  { operationId: 'listUserNumbers', ids: { id: agent }, query: '?per_page=1' },
  {
    operationId: 'inviteUserLegacy',
    body: { email: 'lena.fischer@example.com', first_name: 'Lena', last_name: 'Fischer', role_ids: ['agent'] },
  },
  {
    operationId: 'inviteUser',
    body: { email: 'tomas.novak@example.com', first_name: 'Tomas', last_name: 'Novak', role_ids: ['agent'] },
  },
  {
    operationId: 'updateUserLegacy',
    ids: { id: agent },
    body: { availability_status: 'unavailable', substatus: 'out_for_lunch' },
  },
  { operationId: 'updateUser', ids: { id: agent }, body: { availability_status: 'available', wrap_up_time: 30 } },

  { operationId: 'listTeams', query: '?per_page=1' },
  { operationId: 'createTeam', body: { name: 'Night shift' } },
  { operationId: 'getTeam', ids: { id: 2 } },
  { operationId: 'addUserToTeam', ids: { team_id: 4, user_id: agent } },
  { operationId: 'removeUserFromTeam', ids: { team_id: 4, user_id: agent } },
  { operationId: 'deleteTeam', ids: { id: 4 } },

  {
    operationId: 'createDialerCampaign',
    ids: { user_id: agent },
    body: { phone_numbers: ['+33199000207', '+33199000208'] },
  },
  {
    operationId: 'addDialerCampaignNumbers',
    ids: { user_id: agent },
    body: { phone_numbers: ['+33199000209'] },
  },
  { operationId: 'getDialerCampaign', ids: { user_id: agent } },
  { operationId: 'listDialerCampaignNumbers', ids: { user_id: agent } },
  {
    operationId: 'deleteDialerCampaignNumber',
    ids: (known) => ({ user_id: agent, id: known.listDialerCampaignNumbers.phone_numbers?.[0]?.id ?? 1 }),
  },
  { operationId: 'deleteDialerCampaign', ids: { user_id: agent } },

  { operationId: 'listNumbers', query: '?per_page=1' },
  { operationId: 'getNumber', ids: { id: 1 } },
  { operationId: 'updateNumber', ids: { id: 1 }, body: { name: 'Main line', live_recording_activated: true } },
  { operationId: 'getNumberRegistrationStatus', ids: { id: 2 } },

  { operationId: 'listCalls', query: '?per_page=1' },
  { operationId: 'searchCalls', query: '?per_page=1&direction=inbound' },
  { operationId: 'getCall', ids: analysedCall, before: findAnalysedCall },
  { operationId: 'listCallParticipants', ids: analysedCall },
  { operationId: 'listCallIvrOptions', ids: analysedCall },
  { operationId: 'getCallTrace', ids: analysedCall },
  { operationId: 'getCallQuality', ids: analysedCall },
  { operationId: 'createCallComment', ids: analysedCall, body: { content: 'Asked for an invoice by e-mail.' } },
  { operationId: 'addCallTags', ids: analysedCall, body: { tags: [3] } },
  { operationId: 'archiveCall', ids: analysedCall },
  { operationId: 'unarchiveCall', ids: analysedCall },
  { operationId: 'exportCalls' },
  ...[
    'getTranscription',
    'getSentiments',
    'getTopics',
    'getSummary',
    'getActionItems',
    'getPlaybookResult',
    'getEvaluations',
    'getPredictedCsat',
    'getCustomSummaryResult',
  ].map((operationId) => ({ operationId, ids: analysed })),

  {
    operationId: 'simulateCall',
    body: { from: '+33199000777', to: '+33199000101', patience: 3600 },
    before: async (send) => void (await act(send, 'connect')),
  },
  {
    operationId: 'createInsightCard',
    ids: (known) => ({ id: known.simulateCall.call_id }),
    body: {
      contents: [
        { type: 'title', text: 'Customer since 2019', link: 'https://crm.example.com/customers/4711' },
        { type: 'shortText', label: 'Open orders', text: '2' },
      ],
    },
  },
  {
    operationId: 'performUserAction',
    ids: { id: agent },
    body: { action: 'answer' },
    before: async (send) => void (await advance(send, 30)),
  },
  { operationId: 'pauseRecording', ids: (known) => ({ id: known.simulateCall.call_id }) },
  { operationId: 'resumeRecording', ids: (known) => ({ id: known.simulateCall.call_id }) },
  { operationId: 'transferCall', ids: (known) => ({ id: known.simulateCall.call_id }), body: { team_id: 2 } },
  { operationId: 'deleteRecording', ids: { id: 155 } },
  { operationId: 'deleteVoicemail', ids: { id: 39 } },
  {
    operationId: 'startCall',
    ids: { id: 5 },
    body: { number_id: 1, to: customer },
    before: async (send) => void (await act(send, 'connect', {}, 5)),
  },
  {
    operationId: 'fillDialpad',
    ids: { id: 6 },
    body: { to: customer },
    before: async (send) => void (await act(send, 'connect', {}, 6)),
  },

  { operationId: 'listContacts', query: '?per_page=1' },
  {
    operationId: 'createContact',
    body: {
      first_name: 'Camille',
      last_name: 'Moreau',
      company_name: 'Blue Door Bakery',
      information: 'Prefers calls before noon',
      phone_numbers: [{ label: 'Work', value: '+33 1 99 00 02 41' }],
      emails: [{ label: 'Work', value: 'camille.moreau@example.com' }],
    },
  },
  { operationId: 'searchContacts', query: '?per_page=1&phone_number=%2B33199000241' },
  { operationId: 'getContact', ids: { id: 7 } },
  { operationId: 'updateContact', ids: { id: 7 }, body: { company_name: 'Blue Door Bakery' } },
  { operationId: 'updateContactWithPut', ids: { id: 7 }, body: { information: 'Prefers calls before noon' } },
  { operationId: 'addContactPhoneNumber', ids: { id: 7 }, body: { label: 'Mobile', value: '+33 6 12 34 56 78' } },
  {
    operationId: 'updateContactPhoneNumber',
    ids: (known) => ({ id: 7, phone_number_id: known.addContactPhoneNumber.contact.phone_numbers.at(-1).id }),
    body: { label: 'Mobile', value: '+33 6 12 34 56 79' },
  },
  {
    operationId: 'deleteContactPhoneNumber',
    ids: (known) => ({ id: 7, phone_number_id: known.addContactPhoneNumber.contact.phone_numbers.at(-1).id }),
  },
  { operationId: 'addContactEmail', ids: { id: 7 }, body: { label: 'Home', value: 'camille@example.org' } },
  {
    operationId: 'updateContactEmail',
    ids: (known) => ({ id: 7, email_id: known.addContactEmail.contact.emails.at(-1).id }),
    body: { label: 'Home', value: 'camille.moreau@example.org' },
  },
  {
    operationId: 'deleteContactEmail',
    ids: (known) => ({ id: 7, email_id: known.addContactEmail.contact.emails.at(-1).id }),
  },
  { operationId: 'exportContacts' },
  { operationId: 'deleteContact', ids: { id: 8 } },

  { operationId: 'listTags', query: '?per_page=1' },
  { operationId: 'createTag', body: { name: 'Warranty', color: '#00B388' } },
  { operationId: 'getTag', ids: { id: 3 } },
  {
    operationId: 'updateTag',
    ids: (known) => ({ id: known.createTag.tag.id }),
    body: { name: 'Warranty case', color: '#00B388' },
  },
  { operationId: 'deleteTag', ids: (known) => ({ id: known.createTag.tag.id }) },

  {
    operationId: 'createWebhook',
    body: { url: 'https://example.com/hook', custom_name: 'CRM sync', events: ['call.ended', 'contact.created'] },
  },
  { operationId: 'listWebhooks', query: '?per_page=1' },
  { operationId: 'getWebhook', ids: webhook },
  { operationId: 'updateWebhook', ids: webhook, body: { custom_name: 'CRM sync', active: true } },
  {
    operationId: 'listDeliveries',
    ids: webhook,
    query: '?per_page=1',
    before: async (send) =>
      void (await send('POST', '/v1/contacts', {
        first_name: 'Aya',
        phone_numbers: [{ label: 'Work', value: '+33199000242' }],
      })),
  },
  { operationId: 'getDelivery', ids: delivery },
  { operationId: 'redeliver', ids: delivery },
  { operationId: 'createTestEvent', body: { event: 'contact.created' } },
  { operationId: 'testWebhook', ids: webhook, body: { event: 'contact.created' } },
  { operationId: 'getWebhookHealth', ids: webhook },
  {
    operationId: 'createReplay',
    ids: webhook,
    body: (known) => {
      const now = Math.floor(Date.parse(known.getSandboxClock.now) / 1000)
      return { from: now - 3600, to: now + 3600 }
    },
  },
  { operationId: 'listReplays', ids: webhook },
  { operationId: 'getReplay', ids: replay },
  { operationId: 'cancelReplay', ids: replay },
  {
    operationId: 'listAllWebhooks',
    query: '?per_page=1&order=desc',
    before: async (send) => void (await send('POST', '/v1/webhooks', { url: 'https://example.com/old-hook' })),
  },
  { operationId: 'switchWebhook', ids: webhook, body: { active: true } },
  {
    operationId: 'deleteAnyWebhook',
    ids: (known) => ({ webhook_id: known.listAllWebhooks.webhooks[0].webhook_id }),
  },
  { operationId: 'rotateWebhookSecret', ids: webhook },
  { operationId: 'deleteWebhook', ids: webhook },
  { operationId: 'listEvents', query: '?per_page=1' },

  {
    operationId: 'setMessageConfiguration',
    ids: { id: 1 },
    body: { callbackUrl: 'https://crm.example.com/callbacks', type: 'text' },
  },
  { operationId: 'getMessageConfiguration', ids: { id: 1 } },
  { operationId: 'sendMessage', ids: { id: 1 }, body: { to: customer, body: 'Your order is on its way.' } },
  {
    operationId: 'sendGroupMessage',
    ids: { id: 1 },
    body: { participants: [customer, '+33612345679'], body: 'The shop opens at 10 tomorrow.' },
  },
  { operationId: 'sendWhatsappMessage', body: { lineId: 1, to: customer, text: 'Your order is on its way.' } },
  { operationId: 'deleteMessageConfiguration', ids: { id: 1 } },
  {
    operationId: 'sendInboxMessage',
    ids: { id: 1 },
    body: { to: customer, body: 'Your order is on its way.', agentId: agent },
  },
  {
    operationId: 'sendInboxGroupMessage',
    ids: { id: 1 },
    body: { participants: [customer, '+33612345679'], body: 'The shop opens at 10 tomorrow.', agentId: agent },
  },
  {
    operationId: 'simulateMessage',
    body: { from: customer, to: '+33199000101', body: 'Is the shop open today?' },
  },
  { operationId: 'exportMessages' },
  { operationId: 'listSmsTemplates' },
  { operationId: 'listWhatsappTemplates', ids: { id: 1 } },
  { operationId: 'getWhatsappStatus', ids: { id: 1 } },
  {
    operationId: 'sendInboxWhatsappMessage',
    body: { lineId: 1, externalNumber: customer, text: 'Your order is on its way.' },
  },

  { operationId: 'listAiVoiceAgents' },
  { operationId: 'getAiVoiceAgent', ids: (known) => ({ id: known.listAiVoiceAgents.ai_voice_agents[0].id }) },
  {
    operationId: 'startAiVoiceAgentCall',
    ids: (known) => ({ agent_id: known.listAiVoiceAgents.ai_voice_agents[0].id }),
    body: {
      contact_phone: '+33199000241',
      idempotency_key: 'visit-4729',
      context: { name: 'Jo', visit: '2026-06-15T12:00:00Z', timezone: 'Europe/Paris' },
      expiration_seconds: 3600,
    },
  },
  { operationId: 'listAiVoiceAgentCalls' },
  { operationId: 'getAiVoiceAgentCall', ids: (known) => ({ id: known.startAiVoiceAgentCall.id }) },
  {
    operationId: 'createOutboundCampaign',
    body: (known) => ({
      name: 'Visits of June',
      agent_id: known.listAiVoiceAgents.ai_voice_agents[0].id,
      recipients: [
        { phone_number: '+33199000243', name: 'Jo' },
        { phone_number: '+33199000244', name: 'Sam', time_zone: 'Europe/Paris' },
      ],
      calling_hours: { mon: [['09:00', '18:00']], tue: [['09:00', '18:00']] },
      max_attempts: 3,
      retry_delays: { no_answer: 14400, busy: 900, voicemail: 14400 },
      concurrency: 1,
    }),
  },
  { operationId: 'listOutboundCampaigns' },
  { operationId: 'getOutboundCampaign', ids: campaign },
  { operationId: 'updateOutboundCampaign', ids: campaign, body: { name: 'Visits of July', max_attempts: 2 } },
  {
    operationId: 'addOutboundCampaignRecipients',
    ids: campaign,
    body: { recipients: [{ phone_number: '+33199000245', name: 'Kim' }] },
  },
  { operationId: 'startOutboundCampaign', ids: campaign },
  { operationId: 'pauseOutboundCampaign', ids: campaign },
  { operationId: 'resumeOutboundCampaign', ids: campaign },
  { operationId: 'listOutboundCampaignRecipients', ids: campaign },
  { operationId: 'exportOutboundCampaign', ids: campaign },
  { operationId: 'cancelOutboundCampaign', ids: campaign },
  {
    operationId: 'deleteOutboundCampaign',
    ids: campaign,
    before: async (send) => void (await advance(send, 600)),
  },
  { operationId: 'createCallOptOut', body: { phone_number: '+33123456789' } },
  { operationId: 'listCallOptOuts' },
  { operationId: 'deleteCallOptOut', ids: { phone_number: '%2B33123456789' } },

  {
    operationId: 'createReportExport',
    body: {
      input: {
        reportName: 'CALLS_HISTORY',
        filter: { timezone: 'Europe/Paris', dateFilter: { relative: 'LAST_WEEK' } },
        options: { dateBreakdown: 'DAILY' },
        exportOptions: { format: 'CSV', exportName: 'weekly' },
      },
    },
  },
  { operationId: 'getReportExport', ids: (known) => ({ export_id: known.createReportExport.exportID }) },

  { operationId: 'getIntegration' },
  { operationId: 'disableIntegration' },
  { operationId: 'enableIntegration' },

  ...adminExampleRequests,

  { operationId: 'listScenarios' },
  {
    operationId: 'setAutopilot',
    ids: { id: agent },
    body: { enabled: true, answer_after_seconds: 5, talk_seconds: 60 },
  },
  {
    operationId: 'setCallees',
    body: { default: { answer_after_seconds: 5, talk_seconds: 30 }, numbers: { [customer]: { busy: true } } },
  },
  { operationId: 'getFaults' },
  { operationId: 'setFaults', body: { duplicate_events: 0.1, late_events_seconds: 5 } },
  { operationId: 'startScenario', ids: { name: 'busy-morning' }, body: { callers: 5 } },
  { operationId: 'deleteUser', ids: (known) => ({ id: known.inviteUserLegacy.user.id }) },
  { operationId: 'resetSandbox', body: { seed: 42 } },
]
