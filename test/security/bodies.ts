import { createECDH, randomBytes } from 'node:crypto'
import { defaultLiveSettings } from '../../src/features/calls/live-alerts/settings.ts'
import { maxPeriods } from '../../src/features/calls/retention/periods.ts'
import { noNotice } from '../../src/features/numbers/recording-notice/settings.ts'
import type { Route } from '../../src/http/route.ts'
import { toWav } from '../../src/media/formats.ts'
import { tones } from '../../src/media/pcm.ts'
import { png } from '../kit/messages.ts'
import { requests, type SeededCompany, sampleBody, scheduledReport } from './companies.ts'

const guide = { kind: 'topic', name: 'Walked', active: true, topic: { keywords: ['walk'] } }
const question = { text: 'Walked?', type: 'BINARY', points: 1, strictness: 1, ai_enabled: true, phrases: ['walked'] }
const categories = [{ name: 'Walked', questions: [question] }]
const scorecard = { kind: 'scorecard', name: 'Walked', active: true, scorecard: { categories } }

const apiKey = { name: 'Walked', scopes: ['read'], allowed_ips: ['203.0.113.0/24'], expires_at: '2999-01-01T00:00:00Z' }

/** Bodies for routes that reject a sample generated from the schema. */
const bodies: Record<string, (mine: SeededCompany) => unknown> = {
  'POST /v1/invitations': (mine) => ({
    people: [{ email: 'walk3@example.test', first_name: 'W', last_name: 'X' }],
    role_ids: ['agent'],
    team_ids: [Number(mine.team[0])],
    number_ids: [Number(mine.number[0])],
  }),
  'PUT /v1/me/push_subscription': () => ({
    endpoint: 'https://push.example.com/send/walked',
    p256dh: createECDH('prime256v1').generateKeys().toString('base64url'),
    auth: randomBytes(16).toString('base64url'),
  }),
  'PUT /v1/live/settings': (mine) => ({ ...defaultLiveSettings, email_user_ids: [Number(mine.user[0])] }),
  'POST /v1/analytics/scheduled_reports': (mine) => ({
    ...scheduledReport,
    recipient_user_ids: [Number(mine.user[0])],
  }),
  'PUT /v1/analytics/scheduled_reports/:id': (mine) => ({
    ...scheduledReport,
    recipient_user_ids: [Number(mine.user[0])],
  }),
  'PUT /v1/company/recording_notice': () => ({ recording_notice: noNotice }),
  'PUT /v1/company/retention': () => ({ retention: maxPeriods }),
  'POST /v1/company/retention/preview': () => maxPeriods,
  'POST /v1/api_keys': () => apiKey,
  'PUT /v1/api_keys/:id': () => apiKey,
  'POST /v1/blocked_callers': () => ({ phone: '+33180000077', note: 'walked' }),
  'POST /v1/me/filters': () => ({ page: 'calls', name: 'Walked', query: 'text=walked' }),
  'POST /v1/contacts/deletions': () => ({ ids: [999_999_991] }),
  'POST /v1/contacts/:id/merge': (mine) => ({ contact_id: Number(mine.otherContact[0]) }),
  'PUT /v1/contacts/:id/owner': () => ({ user_id: null }),
  'POST /v1/contacts/imports': () => ({
    rows: [{ first_name: 'Walked', phone_numbers: [{ value: '+33180000008' }] }],
    duplicates: 'skip',
  }),
  'POST /v1/users': () => ({ email: 'walk1@example.test', first_name: 'W', last_name: 'X' }),
  'POST /v2/users': () => ({ email: 'walk2@example.test', first_name: 'W', last_name: 'X' }),
  'POST /v1/users/:id/calls': (mine) => ({ number_id: mine.classic[0], to: '+33180000006' }),
  'POST /v1/users/:id/dial': () => ({ to: '+33180000006' }),
  'POST /v1/calls/:id/transfers': (mine) => ({ team_id: mine.team[0] }),
  'POST /v1/calls/:id/tags': (mine) => ({ tags: mine.tag }),
  'POST /v1/calls/:id/assign': (mine) => ({ user_id: mine.user[0] }),
  'POST /v1/calls/:id/insight_cards': () => ({ contents: [{ type: 'title', text: 'Walked' }] }),
  'POST /v1/users/:user_id/dialer_campaign': () => ({ phone_numbers: ['+33180000004'] }),
  'POST /v1/users/:user_id/dialer_campaign/phone_numbers': () => ({ phone_numbers: ['+33180000005'] }),
  'POST /v1/contacts': () => ({
    phone_numbers: [{ label: 'x', value: '+33180000001' }],
    emails: [{ label: 'x', value: 'walk@example.test' }],
  }),
  'POST /v1/contacts/:id/phone_details': () => ({ label: 'x', value: '+33180000001' }),
  'PUT /v1/contacts/:id/phone_details/:phone_number_id': () => ({ value: '+33180000002' }),
  'POST /v1/contacts/:id/email_details': () => ({ label: 'x', value: 'walk2@example.test' }),
  'PUT /v1/contacts/:id/email_details/:email_id': () => ({ value: 'walk3@example.test' }),
  'PUT /v1/webhooks/:webhook_id': () => ({ custom_name: 'Walked', events: ['user.deleted'] }),
  'POST /v1/webhooks': () => ({ url: 'https://example.com/', events: ['user.created'] }),
  'POST /v1/webhooks/:webhook_id/replays': (mine) => ({ delivery_ids: mine.delivery }),
  'POST /v1/numbers': () => ({ digits: '+33180000003', name: 'Walked' }),
  'PUT /v1/numbers/:id': () => ({ name: 'Walked', live_recording_activated: true, priority: 1, messages: {} }),
  'PUT /v1/integrations/:id': (mine) => ({ active: true, custom_name: 'Walked', number_ids: mine.number }),
  'POST /v1/oauth/authorizations/look': (mine) => ({ request: requests.get(mine.app[0]) }),
  'POST /v1/oauth/authorizations': (mine) => ({
    request: requests.get(mine.app[0]),
    allow: true,
    number_ids: mine.number,
  }),
  'POST /v1/users/:id/devices': () => ({ name: 'Walked' }),
  'PUT /v1/users/:id/call_forwarding': () => ({ mode: 'offline', phone: '+33180000005' }),
  'PUT /v1/devices/:id': () => ({ name: 'Walked' }),
  'POST /v1/trunks': () => ({ name: 'Walked', host: '127.0.0.1', enabled: false }),
  'PUT /v1/trunks/:id': () => ({ name: 'Walked', registers: false, srtp: false }),
  'POST /v1/trunks/:id/test_call': (mine) => ({ number_id: mine.number[0], to: '+33180000006' }),
  'POST /v1/carriers': () => ({ name: 'Walked', kind: 'whatsapp', enabled: false }),
  'PUT /v1/carriers/:id': () => ({ name: 'Walked', enabled: false }),
  'POST /v1/carriers/:id/test_message': (mine) => ({ number_id: mine.number[0], to: '+33180000006' }),
  'POST /v1/intelligence/guides': () => guide,
  'PUT /v1/intelligence/guides/:id': () => scorecard,
  'PUT /v1/intelligence/settings': (mine) => ({
    enabled: true,
    language: null,
    numbers: [{ number_id: mine.number[0], enabled: true, language: 'fr' }],
  }),
  'PUT /v1/intelligence/suggestions': (mine) => ({
    sources: [{ ai_voice_agent_id: mine.voiceAgent[0], team_ids: [Number(mine.team[0])] }],
  }),
  'PUT /v1/intelligence/engines': () => ({ external_allowed: false, engines: { llm: { line: 'off' } } }),
  'POST /v1/intelligence/engines/test': () => ({ kind: 'llm' }),
  'PUT /v1/calls/:call_id/evaluations': (mine) => ({ scorecard_id: mine.guide[0], answers: [{ answer: 'YES' }] }),
  'PUT /v1/calls/:call_id/custom_summary_result': () => ({ sections: [{ name: 'Section', content: 'Walked' }] }),
  'POST /v1/calls/:call_id/intelligence/rerun': () => ({ outputs: ['topics'] }),
  'PUT /v1/calls/:call_id/playbook_result': () => ({ topics: [{ name: 'Topic', result: false }] }),
  'PUT /v1/message_lines/:id': () => ({ texts: true, per_second: 3 }),
  'POST /v1/numbers/:id/messages/configuration': () => ({ callbackUrl: 'https://crm.example.com/' }),
  'POST /v1/numbers/:id/messages/native/send': (mine) => ({ to: '+33180000006', body: 'x', user_id: mine.user[0] }),
  'POST /v1/numbers/:id/messages/send': () => ({ to: '+33180000006', body: 'x' }),
  'POST /v1/numbers/:id/messages/group/native/send': () => ({ participants: ['+33180000006'], body: 'x' }),
  'POST /v1/numbers/:id/messages/group/send': () => ({ participants: ['+33180000006'], body: 'x' }),
  'POST /v1/messages/send/whatsapp/native': (mine) => ({
    lineId: mine.number[0],
    externalNumber: '+33180000006',
    text: 'x',
  }),
  'POST /v1/messages/whatsapp/send': (mine) => ({ lineId: mine.number[0], to: '+33180000006', text: 'x' }),
  'POST /v1/sounds/fetch': () => ({ url: 'https://example.com/walked.mp3' }),
  'POST /v1/sounds/uploads': () => ({
    name: 'walked.wav',
    data: toWav(tones([{ frequency: 440, ms: 100 }], 8_000), 8_000).toString('base64'),
  }),
  'POST /v1/conversations': (mine) => ({ number_id: mine.classic[0], to: ['+33180000007'] }),
  'PUT /v1/conversations/:id': (mine) => ({ read: true, user_id: mine.user[0], archived: false }),
  'POST /v1/conversations/:id/messages': () => ({ channel: 'texts', text: 'Walked' }),
  'POST /v1/message_uploads': () => ({ data: png.toString('base64') }),
  'PUT /v1/dial_limits': () => ({ per_minute: 1_000, rates: [{ prefix: '33', per_minute: 0.02 }] }),
  'PUT /v1/message_limits': () => ({ per_minute: 1_000, rates: [{ prefix: '33', per_part: 0.05 }] }),
  'POST /v1/outbound-calls/agents/:agent_id': () => ({
    contact_phone: '+33180000006',
    idempotency_key: Math.random().toString(36),
  }),
  'POST /v1/outbound-campaigns': (mine) => ({ name: 'Walked', agent_id: mine.voiceAgent[0] }),
  'PUT /v1/outbound-campaigns/:id': () => ({ name: 'Walked' }),
  'POST /v1/outbound-campaigns/checks': (mine) => ({
    agent_id: mine.voiceAgent[0],
    recipients: [{ phone_number: '+33180000004' }],
  }),
  'POST /v1/outbound-campaigns/:id/recipients': () => ({ recipients: [{ phone_number: '+33180000004' }] }),
  'POST /v1/call_opt_outs': () => ({ phone_number: '+33180000005' }),
  'POST /v1/ai_voice_agents': () => ({ name: 'Walked' }),
  'POST /v1/ai_voice_agents/:id/test-chat': () => ({ turns: [] }),
  'PUT /v1/ai_voice_agents/:id': () => ({ name: 'Walked', active: true }),
  'PUT /v1/ai_voice_agents/:id/tests': () => ({
    source: 'tests: [{name: Walked, caller: {lines: []}, expect: {outcome: answered}}]',
  }),
  'POST /v1/ai_voice_agents/:id/tests/run': () => ({
    source: 'tests: [{name: Walked, caller: {lines: []}, expect: {outcome: answered}}]',
  }),
  'POST /v1/ai_voice_agents/:id/versions/:version/restore': () => ({}),
  'POST /v1/ai_voice_agents/:id/documents': () => ({ name: 'walked.txt', data: 'V2Fsa2Vk' }),
  'POST /v1/ai_voice_agents/:id/documents/:document_id/refresh': () => ({}),
  'POST /v1/ai_voice_agents/:id/tests/import': (mine) => ({ call_id: mine.call[0] }),
  'PUT /v1/tags/:id': () => ({ name: 'Walked', color: '#ff0000' }),
  'PUT /v1/company/plan': () => ({ plan: 'custom' }),
  'POST /v1/users/import_checks': () => ({ rows: [{ email: 'row@example.test' }] }),
  'POST /v1/users/imports': () => ({
    rows: [{ email: 'row@example.test', first_name: 'Row', last_name: 'One' }],
    send_invitations: false,
  }),
  'POST /v1/users/imports/:id/links': () => ({}),
  'POST /v1/numbers/:id/users': (mine) => ({ add_user_ids: [Number(mine.user[0])] }),
  'PUT /v1/numbers/:id/users': (mine) => ({ user_ids: [Number(mine.user[0])] }),
  'PUT /v1/numbers/:id/settings': () => ({ ring_simultaneous_seconds: 40 }),
  'PUT /v1/numbers/:id/recording_notice': () => ({ recording_notice: noNotice }),
  'PUT /v1/numbers/:id/opening_hours': () => ({ hours: {} }),
  'PUT /v1/users/:id/working_hours': () => ({ hours: {} }),
  'PUT /v1/users/:id/profile': (mine) => ({
    time_zone: 'Europe/Paris',
    language: 'fr-FR',
    extension: '777',
    default_number_id: mine.number[0],
  }),
  'PUT /v1/me/sound': () => ({ call_sound: 'robust' }),
  'PUT /v1/me/call_waiting': () => ({ call_waiting: true }),
  'PUT /v1/me/voicemail_emails': () => ({ voicemail_emails: false }),
  'PUT /v1/me/availability': () => ({ availability_status: 'unavailable', substatus: 'on_a_break' }),
  'POST /v1/numbers/:id/flow/test_events': (mine) => ({
    start: 'ring',
    nodes: {
      ring: {
        type: 'ring_to',
        targets: [{ type: 'user', id: Number(mine.user[0]) }],
        max_wait_seconds: 60,
        branches: { no_answer: 'end' },
      },
      end: { type: 'hang_up', media: null },
    },
    started_at: 1_790_000_000,
    agents: 'answer',
    actions: [{ kind: 'wait', seconds: 10 }, { kind: 'hang_up' }],
  }),
  'PUT /v1/numbers/:id/flow': (mine) => ({
    start: 'ring',
    nodes: {
      ring: {
        type: 'ring_to',
        targets: [
          { type: 'user', id: Number(mine.user[0]) },
          { type: 'team', id: Number(mine.team[0]) },
        ],
        strategy: 'simultaneous',
        max_wait_seconds: 60,
        branches: { no_answer: 'away' },
      },
      away: { type: 'go_to_number', number_id: Number(mine.classic[0]) },
    },
  }),
}

/** A body that the route accepts. */
export const validBody = (route: Route, mine: SeededCompany): unknown =>
  bodies[`${route.method} ${route.path.replace('/v1/admin/', '/v1/')}`]?.(mine) ?? sampleBody(route)

/** A query that the route accepts. */
const queries: Record<string, string> = {
  'GET /v1/analytics/activity': '?timezone=Etc/UTC&last_days=7',
  'GET /v1/intelligence/overview': '?timezone=Etc/UTC&last_days=7',
  'GET /v1/intelligence/search': '?timezone=Etc/UTC&last_days=7&q=victim',
  'GET /v1/intelligence/action_items': '?timezone=Etc/UTC&last_days=7',
  'GET /v1/intelligence/coaching': '?timezone=Etc/UTC&last_days=7',
  'GET /v1/analytics/calls': '?timezone=Etc/UTC&last_days=7',
  'GET /v1/analytics/users/:id': '?timezone=Etc/UTC&last_days=7',
  'GET /v1/contacts/suggestions': '?text=victim',
  'GET /v1/search': '?q=victim',
  'GET /v1/customers/timeline': '?phone_number=%2B14155550203',
  'GET /v1/contacts/named': '?text=victim',
}

export const validQuery = ({ method, path }: Route): string => queries[`${method} ${path}`] ?? ''
