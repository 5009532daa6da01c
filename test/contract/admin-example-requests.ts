import type { ExampleRequest, Known } from './example-requests.ts'

// Provisioning, in an order in which every object exists when it is needed, and ends with its deletion.

const number = (known: Known) => ({ id: known.createNumber.number.id })
const classic = (known: Known) => ({ id: known.classic })
const agent = 4
const hours = Object.fromEntries(['mon', 'tue', 'wed', 'thu', 'fri'].map((day) => [day, [['09:00', '18:00']]]))

const flow = {
  start: 'ring',
  nodes: {
    ring: {
      type: 'ring_to',
      targets: [{ type: 'user', id: agent }],
      strategy: 'simultaneous',
      max_wait_seconds: 60,
      branches: { no_answer: 'end' },
    },
    end: { type: 'hang_up', media: null },
  },
}

const retention = { calls: 180, recordings: 90, voicemails: 90, transcripts: 90, messages: 365, audit_log: null }
const silent = { mode: 'none', key: '9', outbound: true, prompts: [] }

const numbers: ExampleRequest[] = [
  {
    operationId: 'createNumber',
    body: { digits: '+33199000777', name: 'Reception', time_zone: 'Europe/Paris' },
  },
  {
    operationId: 'getNumberOpeningHours',
    ids: classic,
    async before(send, known) {
      const body = { digits: '+33199000778', name: 'Shop', time_zone: 'Europe/Paris', flow_editor_enabled: false }
      known.classic = (await send('POST', '/v1/admin/numbers', body)).json.number.id
    },
  },
  { operationId: 'updateNumberOpeningHours', ids: classic, body: { hours, closed_dates: ['2026-12-25'] } },
  { operationId: 'getNumberSettings', ids: number },
  { operationId: 'updateNumberSettings', ids: number, body: { ring_simultaneous_seconds: 30, language: 'fr-FR' } },
  { operationId: 'setNumberUsers', ids: number, body: { user_ids: [agent] } },
  { operationId: 'changeNumberUsers', ids: number, body: { add_user_ids: [2], remove_user_ids: [agent] } },
  { operationId: 'getNumberFlow', ids: number },
  { operationId: 'updateNumberFlow', ids: number, body: flow },
  { operationId: 'listNumberFlowVersions', ids: number },
  { operationId: 'getNumberRecordingNotice', ids: number },
  { operationId: 'updateNumberRecordingNotice', ids: number, body: { recording_notice: silent } },
  { operationId: 'updateMessageLine', ids: number, body: { texts: true, per_second: 5 } },
  { operationId: 'listMessageLines' },
  { operationId: 'deleteNumber', ids: number },
]

const company: ExampleRequest[] = [
  {
    operationId: 'updateCompanySettings',
    body: { country: 'FR', embed_origins: ['https://crm.example.com'] },
  },
  { operationId: 'getCompanySettings' },
  { operationId: 'getCompanyRetention' },
  { operationId: 'previewRetention', body: retention },
  { operationId: 'updateCompanyRetention', body: { retention, confirmation: 'DELETE' } },
  { operationId: 'getCompanyRecordingNotice' },
  { operationId: 'updateCompanyRecordingNotice', body: { recording_notice: silent } },
  { operationId: 'getDialLimits' },
  {
    operationId: 'updateDialLimits',
    body: { countries: ['FR', 'BE'], daily_spend: 50, rates: [{ prefix: '33', per_minute: 0.02 }] },
  },
  { operationId: 'getMessageLimits' },
  { operationId: 'updateMessageLimits', body: { per_day: 5000, rates: [{ prefix: '33', per_part: 0.05 }] } },
]

const key = (known: Known) => ({ id: known.createApiKey.api_key.id })

const keys: ExampleRequest[] = [
  {
    operationId: 'createApiKey',
    body: {
      name: 'CRM',
      scopes: ['read', 'contacts:write'],
      allowed_ips: ['203.0.113.0/24'],
      expires_at: '2030-01-31T12:00:00Z',
    },
  },
  { operationId: 'listApiKeys' },
  { operationId: 'updateApiKey', ids: key, body: { name: 'CRM of the sales team' } },
  { operationId: 'rotateApiKey', ids: key, body: { overlap_hours: 48 } },
  { operationId: 'deleteApiKey', ids: key },
]

const trunk = (known: Known) => ({ id: known.createTrunk.trunk.id })
const carrier = (known: Known) => ({ id: known.createCarrier.carrier.id })
const template = (known: Known) => ({ id: known.createSmsTemplate.template.id })
const blocked = (known: Known) => ({ id: known.createBlockedCaller.blocked_caller.id })

const lines: ExampleRequest[] = [
  {
    operationId: 'createTrunk',
    body: {
      name: 'Main carrier',
      host: '192.0.2.10',
      transport: 'tls',
      srtp: true,
      enabled: false,
      username: 'acme',
      password: 'a-secret-of-the-carrier',
    },
  },
  { operationId: 'listTrunks' },
  { operationId: 'updateTrunk', ids: trunk, body: { max_calls: 30, prefixes: ['+33'] } },
  { operationId: 'deleteTrunk', ids: trunk },
  {
    operationId: 'createCarrier',
    body: {
      name: 'SMS provider',
      kind: 'smpp',
      enabled: false,
      smpp: { host: 'smpp.carrier.example', system_id: 'acme', password: 'secret' },
    },
  },
  { operationId: 'listCarriers' },
  { operationId: 'updateCarrier', ids: carrier, body: { smpp: { window: 20 } } },
  { operationId: 'deleteCarrier', ids: carrier },
  { operationId: 'createSmsTemplate', body: { name: 'On its way', body: 'Your order is on its way.' } },
  { operationId: 'updateSmsTemplate', ids: template, body: { body: 'Your order has been shipped.' } },
  { operationId: 'deleteSmsTemplate', ids: template },
  { operationId: 'createBlockedCaller', body: { phone: '+33199554433', note: 'Advertising' } },
  { operationId: 'listBlockedCallers', query: '?per_page=1' },
  { operationId: 'updateBlockedCaller', ids: blocked, body: { note: 'Advertising, every day' } },
  { operationId: 'deleteBlockedCaller', ids: blocked },
]

const voiceAgent = (known: Known) => ({ id: known.createAiVoiceAgent.ai_voice_agent.id })
const guide = (known: Known) => ({ id: known.createGuide.guide.id })
const app = (known: Known) => ({ id: known.createOauthApp.oauth_app.id })

const assistants: ExampleRequest[] = [
  {
    operationId: 'createAiVoiceAgent',
    body: {
      name: 'Order status',
      language: 'en',
      first_message: 'Hello, which order are you calling about?',
      questions: [{ key: 'order_number', ask: 'What is your order number?', kind: 'number' }],
    },
  },
  { operationId: 'getAiVoiceAgentSettings', ids: voiceAgent },
  { operationId: 'updateAiVoiceAgent', ids: voiceAgent, body: { goodbye_message: 'Thank you, goodbye.' } },
  {
    operationId: 'updateAiVoiceAgentTests',
    ids: voiceAgent,
    body: {
      source:
        'tests:\n  - name: A human\n    caller: { lines: [I want to talk to a person] }\n    expect: { outcome: escalated }\n',
    },
  },
  { operationId: 'getAiVoiceAgentTests', ids: voiceAgent },
  { operationId: 'runAiVoiceAgentTests', ids: voiceAgent, body: {} },
  {
    operationId: 'importAiVoiceAgentTest',
    ids: (known) => ({ id: known.tested.agent }),
    body: (known) => ({ call_id: known.tested.call, save: false }),
    async before(send, known) {
      const { json } = await send('GET', '/v1/calls/search?order=desc&per_page=50&fetch_aiva_conv=true')
      for (const { id, ai_voice_agents: sessions = [] } of json.calls)
        for (const { agent_id } of sessions) known.tested ??= { call: id, agent: agent_id }
    },
  },
  { operationId: 'listAiVoiceAgentVersions', ids: voiceAgent },
  { operationId: 'getAiVoiceAgentVersion', ids: (known) => ({ ...voiceAgent(known), version: 1 }) },
  {
    operationId: 'restoreAiVoiceAgentVersion',
    ids: (known) => ({ ...voiceAgent(known), version: 1 }),
    body: { note: 'The earlier closing message' },
  },
  {
    operationId: 'addAiVoiceAgentDocument',
    ids: voiceAgent,
    body: { name: 'returns.md', data: Buffer.from('# Returns\n\nReturns are free for 30 days.').toString('base64') },
  },
  { operationId: 'listAiVoiceAgentDocuments', ids: voiceAgent },
  {
    operationId: 'getAiVoiceAgentDocument',
    ids: (known) => ({ ...voiceAgent(known), document_id: known.addAiVoiceAgentDocument.document.id }),
  },
  {
    operationId: 'refreshAiVoiceAgentDocument',
    ids: (known) => ({ ...voiceAgent(known), document_id: known.page }),
    body: {},
    async before(send, known) {
      const path = `/v1/admin/ai_voice_agents/${voiceAgent(known).id}/documents`
      known.page = (await send('POST', path, { url: 'https://example.com/faq' })).json.document.id
    },
  },
  {
    operationId: 'deleteAiVoiceAgentDocument',
    ids: (known) => ({ ...voiceAgent(known), document_id: known.addAiVoiceAgentDocument.document.id }),
  },
  { operationId: 'deleteAiVoiceAgent', ids: voiceAgent },
  {
    operationId: 'createGuide',
    body: { kind: 'topic', name: 'Returns', active: true, topic: { keywords: ['refund', 'send back'] } },
  },
  { operationId: 'listGuides' },
  {
    operationId: 'updateGuide',
    ids: guide,
    body: { kind: 'topic', name: 'Returns', active: false, topic: { keywords: ['refund', 'return'] } },
  },
  { operationId: 'deleteGuide', ids: guide },
  { operationId: 'getIntelligenceSettings' },
  {
    operationId: 'updateIntelligenceSettings',
    body: (known) => {
      const { numbers: _, ...settings } = known.getIntelligenceSettings.settings
      return { ...settings, numbers: [] }
    },
  },
  { operationId: 'listIntelligenceSuggestions' },
  {
    operationId: 'updateIntelligenceSuggestions',
    body: ({ listIntelligenceSuggestions: { sources } }) => ({
      sources: [{ ai_voice_agent_id: sources[0].ai_voice_agent_id, team_ids: null }],
    }),
  },
  {
    operationId: 'createOauthApp',
    body: {
      name: 'CRM connector',
      install_uri: 'https://crm.example.com/install',
      redirect_uri: 'https://crm.example.com/oauth/callback',
    },
  },
  { operationId: 'listOauthApps' },
  { operationId: 'updateOauthApp', ids: app, body: { description: 'Shows calls in the CRM.' } },
  { operationId: 'rotateOauthAppSecret', ids: app },
  { operationId: 'deleteOauthApp', ids: app },
]

const document = {
  settings: { country: 'FR' },
  outbound_calling_rules: { max_seconds: 7200 },
}

const configuration: ExampleRequest[] = [
  { operationId: 'getConfiguration' },
  { operationId: 'planConfiguration', body: { configuration: document } },
  { operationId: 'applyConfiguration', body: { configuration: document } },
]

export const adminExampleRequests: readonly ExampleRequest[] = [
  ...numbers,
  ...company,
  ...keys,
  ...lines,
  ...assistants,
  ...configuration,
]
