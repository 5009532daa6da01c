import { expect, test } from 'vitest'
import { findCall } from '../../src/features/calls/calls/store.ts'
import { routes } from '../../src/features/index.ts'
import { sandboxRoutes } from '../../src/sandbox/index.ts'
import { onAnyDatabase, signedIn, type TestApp, testApp } from '../kit/app.ts'
import { addCall, addSound } from '../kit/calls.ts'
import { recordedCall } from '../kit/sounds.ts'
import { type Colleague, colleague } from '../kit/visitor.ts'
import { isEndless } from './companies.ts'

// Permissions under /app. The table is written by hand, so that granting a route to a role is always an explicit
// decision.

const roles = ['owner', 'admin', 'supervisor', 'agent'] as const
type Role = (typeof roles)[number]

const table = {
  /** Without a session: sign-in, and the links of e-mails. */
  visitors: [
    'POST /v1/session',
    'POST /v1/password_resets',
    'POST /v1/account_links/look',
    'POST /v1/account_links/use',
    'POST /v1/report_subscription/look',
    'PUT /v1/report_subscription',
    'GET /v1/sign_in_options',
    'POST /v1/sso/start',
    'POST /v1/sso/finish',
    'POST /v1/passkey_sign_in/options',
    'POST /v1/passkey_sign_in',
  ],
  /** Agents too. For calls, campaigns and phones: their own only, as tested below. */
  all: [
    'GET /v1/session',
    'DELETE /v1/session',
    'GET /v1/sessions',
    'DELETE /v1/sessions',
    'DELETE /v1/sessions/others',
    'DELETE /v1/sessions/:session_id',
    'GET /v1/session/two_step',
    'POST /v1/session/two_step',
    'POST /v1/session/two_step/confirm',
    'POST /v1/session/two_step/disable',
    'POST /v1/session/two_step/recovery_codes',
    'PUT /v1/session/password',
    'GET /v1/session/passkeys',
    'POST /v1/session/passkeys',
    'POST /v1/session/passkeys/options',
    'PUT /v1/session/passkeys/:id',
    'DELETE /v1/session/passkeys/:id',
    'GET /v1/me',
    'PUT /v1/me/availability',
    'PUT /v1/me/sound',
    'PUT /v1/me/call_waiting',
    'PUT /v1/me/voicemail_emails',
    'POST /v1/me/wrap_up/finish',
    'GET /v1/users',
    'GET /v1/users/availabilities',
    'GET /v1/users/:id',
    'GET /v1/users/:id/availability',
    'GET /v2/users',
    'GET /v2/users/:id',
    'GET /v2/users/:id/numbers',
    'POST /v1/users/:id/calls',
    'POST /v1/users/:id/dial',
    'GET /v1/teams',
    'GET /v1/teams/:id',
    'GET /v1/users/:id/devices',
    'GET /v1/users/:id/call_forwarding',
    'PUT /v1/users/:id/call_forwarding',
    'POST /v1/users/:id/devices',
    'PUT /v1/devices/:id',
    'POST /v1/devices/:id/password',
    'DELETE /v1/devices/:id',
    'GET /v1/users/:user_id/dialer_campaign',
    'POST /v1/users/:user_id/dialer_campaign',
    'DELETE /v1/users/:user_id/dialer_campaign',
    'GET /v1/users/:user_id/dialer_campaign/phone_numbers',
    'POST /v1/users/:user_id/dialer_campaign/phone_numbers',
    'DELETE /v1/users/:user_id/dialer_campaign/phone_numbers/:id',
    'GET /v1/calls',
    'GET /v1/calls/search',
    'GET /v1/calls/:id',
    'GET /v1/calls/:id/participants',
    'GET /v1/calls/:id/quality',
    'GET /v1/calls/:id/ivr_options',
    'POST /v1/calls/:id/transfers',
    'POST /v1/calls/:id/pause_recording',
    'POST /v1/calls/:id/resume_recording',
    'POST /v1/calls/:id/comments',
    'POST /v1/calls/:id/tags',
    'DELETE /v1/calls/:id/tags/:tag_id',
    'POST /v1/calls/:id/assign',
    'PUT /v1/calls/:id/archive',
    'PUT /v1/calls/:id/unarchive',
    'GET /v1/numbers',
    'GET /v1/numbers/:id',
    'GET /v1/contacts',
    'GET /v1/contacts/search',
    'GET /v1/contacts/:id',
    'POST /v1/contacts',
    'POST /v1/contacts/:id',
    'PUT /v1/contacts/:id',
    'DELETE /v1/contacts/:id',
    'POST /v1/contacts/:id/phone_details',
    'PUT /v1/contacts/:id/phone_details/:phone_number_id',
    'DELETE /v1/contacts/:id/phone_details/:phone_number_id',
    'POST /v1/contacts/:id/email_details',
    'PUT /v1/contacts/:id/email_details/:email_id',
    'DELETE /v1/contacts/:id/email_details/:email_id',
    'GET /v1/contacts/suggestions',
    'GET /v1/contacts/named',
    'GET /v1/me/calls',
    'GET /v1/me/direct_messages',
    'GET /v1/me/direct_messages/:user_id',
    'POST /v1/me/direct_messages/:user_id',
    'PUT /v1/me/direct_messages/:user_id',
    'GET /v1/me/filters',
    'POST /v1/me/filters',
    'DELETE /v1/me/filters/:id',
    'GET /v1/search',
    'GET /v1/me/push_key',
    'PUT /v1/me/push_subscription',
    'POST /v1/me/push_subscription/remove',
    'POST /v1/me/calls/decline',
    'GET /v1/me/to_do',
    'GET /v1/me/to_do/count',
    'PUT /v1/me/to_do/:id',
    'GET /v1/contacts/:id/owner',
    'PUT /v1/contacts/:id/owner',
    'GET /v1/customers/timeline',
    'GET /v1/calls/:id/failure',
    'GET /v1/calls/:id/recording_consent',
    'GET /v1/conversations',
    'GET /v1/conversations/unread',
    'POST /v1/conversations',
    'GET /v1/conversations/:id',
    'GET /v1/conversations/:id/timeline',
    'PUT /v1/conversations/:id',
    'POST /v1/conversations/:id/messages',
    'GET /v1/conversations/:id/templates',
    'POST /v1/message_uploads',
    'GET /v1/tags',
    'GET /v1/tags/:id',
    'GET /v1/sms/templates',
    'GET /v1/calls/:call_id/transcription',
    'GET /v1/calls/:call_id/realtime_transcription',
    'GET /v1/calls/:call_id/sentiments',
    'GET /v1/calls/:call_id/topics',
    'GET /v1/calls/:call_id/summary',
    'GET /v1/calls/:call_id/custom_summary_result',
    'GET /v1/calls/:call_id/action_items',
    'GET /v1/calls/:call_id/suggestions',
    'GET /v1/calls/:call_id/playbook_result',
    'GET /v1/calls/:call_id/predicted_csat',
  ],
  /** Supervisors, admins and owners: readers of the dashboard. */
  dashboard: [
    'GET /v1/home',
    'GET /v1/blocked_callers',
    'GET /v1/live',
    'GET /v1/live/today',
    'GET /v1/live/alerts',
    'GET /v1/live/settings',
    'PUT /v1/users/:id/status',
    'POST /v1/users/:id/sign_out',
    'GET /v1/ping',
    'GET /v1/company',
    'GET /v1/company/settings',
    'GET /v1/company/plan',
    'GET /v1/users/:id/working_hours',
    'GET /v1/profiles',
    'GET /v1/users/directory',
    'GET /v1/users/:id/profile',
    'GET /v1/calls/:id/trace',
    'GET /v1/calls/:call_id/evaluations',
    'PUT /v1/calls/:call_id/evaluations',
    'POST /v1/calls/:call_id/action_items',
    'PUT /v1/calls/:call_id/custom_summary_result',
    'PUT /v1/calls/:call_id/playbook_result',
    'POST /v1/calls/:call_id/intelligence/rerun',
    'GET /v1/intelligence/settings',
    'GET /v1/intelligence/guides',
    'GET /v1/numbers/:id/registration_status',
    'GET /v1/numbers/:id/settings',
    'GET /v1/numbers/:id/recording_notice',
    'GET /v1/numbers/:id/opening_hours',
    'GET /v1/numbers/:id/flow',
    'GET /v1/numbers/:id/flow/versions',
    'GET /v1/sounds',
    'GET /v1/sounds/uses',
    'GET /v1/sounds/speech',
    'GET /v1/numbers/:id/messages/configuration',
    'GET /v1/numbers/:id/templates',
    'GET /v1/numbers/:id/whatsapp_status',
    'GET /v1/integrations/me',
    'GET /v1/integrations',
    'GET /v1/marketplace',
    'GET /v1/webhooks',
    'GET /v1/webhooks/:webhook_id',
    'GET /v1/webhooks/:webhook_id/deliveries',
    'GET /v1/webhooks/:webhook_id/deliveries/:delivery_id',
    'GET /v1/webhooks/:webhook_id/health',
    'GET /v1/webhooks/:webhook_id/replays',
    'GET /v1/webhooks/:webhook_id/replays/:replay_id',
    'GET /v1/events',
    'GET /v1/events/stream',
    'GET /v1/export/calls',
    'GET /v1/export/contacts',
    'GET /v1/export/messages',
    'POST /v1/analytics/report/export',
    'GET /v1/analytics/report/export/:export_id',
    'GET /v1/analytics/exports',
    'DELETE /v1/analytics/exports/:export_id',
    'GET /v1/analytics/activity',
    'GET /v1/intelligence/overview',
    'GET /v1/intelligence/search',
    'GET /v1/intelligence/action_items',
    'GET /v1/intelligence/coaching',
    'PUT /v1/intelligence/coaching/:id',
    'PUT /v1/intelligence/action_items/:id',
    'GET /v1/analytics/calls',
    'GET /v1/analytics/users/:id',
    'GET /v1/analytics/scheduled_reports',
    'POST /v1/analytics/scheduled_reports',
    'PUT /v1/analytics/scheduled_reports/:id',
    'PUT /v1/analytics/scheduled_reports/:id/active',
    'DELETE /v1/analytics/scheduled_reports/:id',
    'POST /v1/analytics/scheduled_reports/:id/send',
    'GET /v1/analytics/scheduled_reports/:id/runs',
    'GET /v1/ai_voice_agents',
    'GET /v1/outbound-calls',
    'GET /v1/outbound-calls/:id',
    'GET /v1/call_opt_outs',
    'GET /v1/outbound-campaigns',
    'GET /v1/outbound-campaigns/:id',
    'GET /v1/outbound-campaigns/:id/recipients',
    'GET /v1/outbound-campaigns/:id/export',
    'GET /v1/ai_voice_agents/:id',
    'GET /sandbox/v1/clock',
    'GET /sandbox/v1/scenarios',
    'GET /sandbox/v1/faults',
  ],
  owners: [
    'DELETE /v1/users/:id/two_step',
    'PUT /v1/company/sso',
    'DELETE /v1/company/sso',
    'POST /v1/company_imports/counts',
    'POST /v1/company_imports',
    'GET /v1/company_imports',
    'GET /v1/company_imports/:id',
    'POST /v1/company_imports/:id/stop',
    'POST /v1/company_imports/:id/continue',
  ],
  /** Admins and owners. */
  admins: [
    'GET /v1/users/:id/two_step',
    'GET /v1/audit_log/export',
    'POST /v1/blocked_callers',
    'PUT /v1/blocked_callers/:id',
    'DELETE /v1/blocked_callers/:id',
    'PUT /v1/live/settings',
    'PUT /v1/analytics/report_settings',
    'GET /v1/company/retention',
    'GET /v1/company/recording_notice',
    'PUT /v1/company/recording_notice',
    'PUT /v1/company/retention',
    'POST /v1/company/retention/preview',
    'GET /v1/company/security',
    'PUT /v1/company/security',
    'GET /v1/company/sso',
    'GET /v1/audit_log',
    'GET /v1/audit_log/check',
    'PUT /v1/company/settings',
    'PUT /v1/company/plan',
    'GET /v1/api_keys',
    'POST /v1/api_keys',
    'PUT /v1/api_keys/:id',
    'POST /v1/api_keys/:id/rotations',
    'DELETE /v1/api_keys/:id',
    'GET /v1/trunks',
    'POST /v1/trunks',
    'PUT /v1/trunks/:id',
    'DELETE /v1/trunks/:id',
    'POST /v1/trunks/:id/test_call',
    'GET /v1/carriers',
    'POST /v1/carriers',
    'PUT /v1/carriers/:id',
    'DELETE /v1/carriers/:id',
    'POST /v1/carriers/:id/test_message',
    'POST /v1/carriers/:id/sync',
    'GET /v1/message_lines',
    'PUT /v1/message_lines/:id',
    'GET /v1/opt_outs',
    'DELETE /v1/message_lines/:id/opt_outs/:phone',
    'GET /v1/dial_limits',
    'PUT /v1/dial_limits',
    'GET /v1/message_limits',
    'PUT /v1/message_limits',
    'GET /v1/ai_voice_agents/:id/settings',
    'GET /v1/ai_voice_agents/:id/tool_signing_secret',
    'POST /v1/ai_voice_agents',
    'POST /v1/ai_voice_agents/:id/test-chat',
    'POST /v1/outbound-calls/agents/:agent_id',
    'POST /v1/call_opt_outs',
    'POST /v1/outbound-campaigns',
    'PUT /v1/outbound-campaigns/:id',
    'DELETE /v1/outbound-campaigns/:id',
    'POST /v1/outbound-campaigns/checks',
    'POST /v1/outbound-campaigns/:id/start',
    'POST /v1/outbound-campaigns/:id/pause',
    'POST /v1/outbound-campaigns/:id/resume',
    'POST /v1/outbound-campaigns/:id/cancel',
    'POST /v1/outbound-campaigns/:id/recipients',
    'DELETE /v1/call_opt_outs/:phone_number',
    'PUT /v1/ai_voice_agents/:id',
    'DELETE /v1/ai_voice_agents/:id',
    'GET /v1/ai_agent_performance',
    'GET /v1/ai_voice_agents/:id/tests',
    'PUT /v1/ai_voice_agents/:id/tests',
    'POST /v1/ai_voice_agents/:id/tests/run',
    'POST /v1/ai_voice_agents/:id/tests/import',
    'GET /v1/ai_voice_agents/:id/versions',
    'GET /v1/ai_voice_agents/:id/versions/:version',
    'POST /v1/ai_voice_agents/:id/versions/:version/restore',
    'GET /v1/ai_voice_agents/:id/documents',
    'GET /v1/ai_voice_agents/:id/documents/:document_id',
    'POST /v1/ai_voice_agents/:id/documents',
    'POST /v1/ai_voice_agents/:id/documents/:document_id/refresh',
    'DELETE /v1/ai_voice_agents/:id/documents/:document_id',
    'GET /v1/mail_outbox',
    'POST /v1/users',
    'PUT /v1/users/:id',
    'DELETE /v1/users/:id',
    'POST /v2/users',
    'PUT /v2/users/:id',
    'PUT /v1/users/:id/working_hours',
    'PUT /v1/users/:id/profile',
    'POST /v1/users/:id/invitation',
    'POST /v1/users/:id/invitation_link',
    'POST /v1/users/:id/deactivate',
    'POST /v1/users/:id/reactivate',
    'POST /v1/teams',
    'DELETE /v1/teams/:id',
    'POST /v1/teams/:team_id/users/:user_id',
    'DELETE /v1/teams/:team_id/users/:user_id',
    'POST /v1/calls/:id/insight_cards',
    'DELETE /v1/calls/:id/recording',
    'DELETE /v1/calls/:id/voicemail',
    'PUT /v1/numbers/:id',
    'POST /v1/numbers',
    'DELETE /v1/numbers/:id',
    'PUT /v1/numbers/:id/users',
    'POST /v1/numbers/:id/users',
    'POST /v1/users/import_checks',
    'POST /v1/users/imports',
    'GET /v1/users/imports/:id',
    'POST /v1/users/imports/:id/undo',
    'POST /v1/users/imports/:id/links',
    'PUT /v1/numbers/:id/settings',
    'PUT /v1/numbers/:id/recording_notice',
    'PUT /v1/numbers/:id/opening_hours',
    'PUT /v1/numbers/:id/flow',
    'POST /v1/numbers/:id/flow/test_events',
    'POST /v1/numbers/:id/messages/configuration',
    'DELETE /v1/numbers/:id/messages/configuration',
    'POST /v1/numbers/:id/messages/native/send',
    'POST /v1/numbers/:id/messages/send',
    'POST /v1/numbers/:id/messages/group/native/send',
    'POST /v1/numbers/:id/messages/group/send',
    'POST /v1/messages/send/whatsapp/native',
    'POST /v1/messages/whatsapp/send',
    'PUT /v1/intelligence/settings',
    'GET /v1/intelligence/suggestions',
    'PUT /v1/intelligence/suggestions',
    'GET /v1/intelligence/engines',
    'PUT /v1/intelligence/engines',
    'POST /v1/intelligence/engines/test',
    'POST /v1/intelligence/guides',
    'PUT /v1/intelligence/guides/:id',
    'DELETE /v1/intelligence/guides/:id',
    'POST /v1/sms/templates',
    'PUT /v1/sms/templates/:id',
    'DELETE /v1/sms/templates/:id',
    'POST /v1/sounds/fetch',
    'POST /v1/sounds/speech',
    'POST /v1/sounds/uploads',
    'PUT /v1/sounds/uploads/:id',
    'DELETE /v1/sounds/uploads/:id',
    'POST /v1/invitations',
    'POST /v1/mail_test',
    'POST /v1/contacts/import_checks',
    'POST /v1/contacts/imports',
    'POST /v1/contacts/deletions',
    'POST /v1/contacts/:id/merge',
    'GET /v1/contacts/bulk_changes',
    'GET /v1/contacts/bulk_changes/:id',
    'POST /v1/contacts/bulk_changes/:id/undo',
    'POST /v1/tags',
    'PUT /v1/tags/:id',
    'DELETE /v1/tags/:id',
    'POST /v1/integrations/enable',
    'POST /v1/integrations/disable',
    'PUT /v1/integrations/:id',
    'DELETE /v1/integrations/:id',
    'POST /v1/oauth/authorizations/look',
    'POST /v1/oauth/authorizations',
    'GET /v1/oauth_apps',
    'POST /v1/oauth_apps',
    'PUT /v1/oauth_apps/:id',
    'POST /v1/oauth_apps/:id/secret/rotations',
    'DELETE /v1/oauth_apps/:id',
    'POST /v1/webhooks',
    'PUT /v1/webhooks/:webhook_id',
    'DELETE /v1/webhooks/:webhook_id',
    'POST /v1/webhooks/:webhook_id/secret/rotations',
    'POST /v1/webhooks/:webhook_id/test',
    'POST /v1/webhooks/:webhook_id/replays',
    'POST /v1/webhooks/:webhook_id/deliveries/:delivery_id/redeliver',
    'DELETE /v1/webhooks/:webhook_id/replays/:replay_id',
    'POST /v1/events/test',
    'PUT /sandbox/v1/clock',
    'POST /sandbox/v1/calls',
    'POST /sandbox/v1/users/:id/actions',
    'POST /sandbox/v1/scenarios/:name',
    'POST /sandbox/v1/reset',
    'PUT /sandbox/v1/users/:id/autopilot',
    'PUT /sandbox/v1/callees',
    'PUT /sandbox/v1/faults',
    'POST /sandbox/v1/messages',
  ],
} satisfies Record<string, string[]>

const may: Record<keyof typeof table, readonly Role[]> = {
  visitors: roles,
  all: roles,
  dashboard: ['owner', 'admin', 'supervisor'],
  admins: ['owner', 'admin'],
  owners: ['owner'],
}

const own = [...routes, ...sandboxRoutes].filter(({ access }) => access === 'api' || access === 'app')
const nameOf = ({ method, path }: (typeof own)[number]) => `${method} ${path}`
const noRight = 'Your role does not allow this; ask an admin'

test('every route under /app is in the table once', () => {
  expect(Object.values(table).flat().sort()).toEqual(own.map(nameOf).sort())
})

test('a role can use exactly the routes that the table gives it', async () => {
  const app = await testApp()
  const people = new Map<Role, number>()
  for (const role of roles) people.set(role, (await colleague(app, app.a, role)).id)
  // An unreadable body, so that permitted requests have no effect.
  const request = async (route: (typeof own)[number], headers: Record<string, string>) => {
    const path = route.path.replace(/:\w+/g, '999999991')
    const body = route.method === 'GET' ? undefined : '{'
    return app.anonymous(route.method, `/app${path}`, body, headers)
  }
  let asked = 0

  for (const route of own) {
    const name = nameOf(route)
    const group = (Object.keys(table) as (keyof typeof table)[]).find((one) => (table[one] as string[]).includes(name))
    const stranger = await request(route, { origin: app.base })
    expect(stranger.status === 403, `visitor: ${name} ${stranger.text}`).toBe(group !== 'visitors')
    for (const role of roles) {
      const isAllowed = group !== undefined && may[group].includes(role)
      if (isAllowed && isEndless(route)) continue
      const answer = await request(route, await signedIn(app.app, app.base, app.a.id, people.get(role) ?? 0))
      const isRefused = answer.status === 403 && answer.json.troubleshoot === noRight
      expect(isRefused, `${role}: ${name} ${answer.status} ${answer.text}`).toBe(!isAllowed)
      expect(answer.status, name).toBeLessThan(500)
      asked++
    }
  }

  console.log(`${asked} pairs of a role and a route, of ${own.length} routes`)
  expect(asked).toBeGreaterThan(400)
})

interface CallOffice {
  app: TestApp
  agent: Colleague
  other: Colleague
  supervisor: Colleague
  admin: Colleague
  /** Calls of the agent in every possible role; then one of another user. */
  mine: number[]
  theirs: number
}

async function openCallOffice(app: TestApp): Promise<CallOffice> {
  const { a } = app
  const agent = await colleague(app, a, 'agent')
  const other = await colleague(app, a, 'agent')
  const supervisor = await colleague(app, a, 'supervisor')
  const admin = await colleague(app, a, 'admin')
  const { number } = (await a.own('POST', '/v1/numbers', { digits: '+33180000001', name: 'Line' })).json
  const add = async (values: object) => (await addCall(app, a, { numberId: number.id, ...values })).id
  const mine = [
    await add({ userId: agent.id }),
    await add({ userId: other.id, assignedTo: agent.id }),
    await add({ userId: other.id, transferredBy: agent.id }),
    await add({ userId: agent.id, assignedTo: agent.id, transferredBy: agent.id }),
  ]
  return { app, agent, other, supervisor, admin, mine, theirs: await add({ userId: other.id }) }
}

const ids = (json: { calls: { id: number }[] }) => json.calls.map(({ id }) => id)

onAnyDatabase('access to objects of other users', (open) => {
  test('agents see their own calls, in lists, searches and one by one', async () => {
    const { agent, other, supervisor, mine, theirs } = await openCallOffice(await open())
    const outsider = (await agent.ask('GET', `/v1/calls/${mine[0]}`)).json.call.raw_digits

    const listed = (await agent.ask('GET', '/v1/calls')).json
    const desc = (await agent.ask('GET', '/v1/calls?order=desc&per_page=2')).json
    const paged = (await agent.ask('GET', '/v1/calls?order=desc&per_page=2&page=2')).json
    const search = async (query: string) => ids((await agent.ask('GET', `/v1/calls/search?${query}`)).json)

    expect([ids(listed), listed.meta.total]).toEqual([mine, 4])
    expect([...ids(desc), ...ids(paged)]).toEqual(mine.toReversed())
    expect(await search('')).toEqual(mine)
    expect(await search(`phone_number=${encodeURIComponent(outsider)}`)).toEqual(mine)
    expect(await search('direction=outbound')).toEqual([])
    expect(await search(`user_id=${agent.id}`)).toEqual([mine[0], mine[3]])
    expect(await search(`user_id=${other.id}`)).toEqual([])
    expect(ids((await supervisor.ask('GET', '/v1/calls')).json)).toEqual([...mine, theirs])
    for (const id of mine) expect((await agent.ask('GET', `/v1/calls/${id}`)).status).toBe(200)
    for (const path of ['', '/participants', '/ivr_options']) {
      const foreign = await agent.ask('GET', `/v1/calls/${theirs}${path}`)
      const unknown = await agent.ask('GET', `/v1/calls/999999991${path}`)
      expect([foreign.status, foreign.text]).toEqual([404, unknown.text])
      expect((await supervisor.ask('GET', `/v1/calls/${theirs}${path}`)).status).toBe(200)
    }
  })

  test('a call belongs to the user it rang on until another user answers it, and to its participants', async () => {
    const { app, agent, other, supervisor, mine, theirs } = await openCallOffice(await open())
    const [numberId, startedAt] = [(await findCall(app.db, app.a.id, theirs))?.numberId ?? 0, app.clock.now() + 1_000]
    const rung = async (outcome: 'answered' | 'no_answer', values: object) => {
      const { id } = await addCall(app, app.a, { numberId, startedAt, ...values })
      // Twice: it is still one call.
      for (const at of [startedAt, startedAt + 1]) {
        const ring = { company_id: app.a.id, call_id: id, number_id: numberId, user_id: agent.id, team_id: null }
        await app.db
          .insertInto('ring_attempt')
          .values({ ...ring, started_at: at, ended_at: at, outcome })
          .execute()
      }
      return id
    }
    const missedCall = { answeredAt: null, userId: null, missedReason: 'agents_did_not_answer' }
    const missed = await rung('no_answer', missedCall)
    const joined = await rung('answered', { userId: other.id, answeredAt: startedAt })
    const taken = await rung('no_answer', { userId: other.id, answeredAt: startedAt })

    const list = async (who: Colleague, path: string) => {
      const { calls, meta } = (await who.ask('GET', path)).json
      return [meta.total, calls.map(({ id }: { id: number }) => id)]
    }
    expect(await list(agent, '/v1/calls')).toEqual([6, [...mine, missed, joined]])
    expect(await list(agent, '/v1/me/calls?order=desc&per_page=2')).toEqual([6, [joined, missed]])
    expect(await list(agent, '/v1/calls/search?missed=true')).toEqual([1, [missed]])
    expect(await list(supervisor, '/v1/calls/search?missed=true')).toEqual([1, [missed]])
    expect(await list(supervisor, '/v1/calls/search?missed=true&direction=outbound')).toEqual([0, []])
    expect(await list(supervisor, `/v1/calls/search?missed=true&user_id=${other.id}`)).toEqual([0, []])
    expect(await list(supervisor, '/v1/me/calls')).toEqual([0, []])
    const statuses = []
    for (const id of [missed, joined, taken]) statuses.push((await agent.ask('GET', `/v1/calls/${id}`)).status)
    expect(statuses).toEqual([200, 200, 404])
  })

  test('calls are commented, tagged, assigned and archived by their own users and by admins', async () => {
    const { app, agent, supervisor, admin, mine, theirs } = await openCallOffice(await open())
    const { tag } = (await app.a.api('POST', '/v1/tags', { name: 'Sales', color: '#FF0000' })).json
    const [call = 0] = mine
    const requests = (id: number): [method: string, path: string, body?: object][] => [
      ['POST', `/v1/calls/${id}/comments`, { content: 'Called back' }],
      ['POST', `/v1/calls/${id}/tags`, { tags: [tag.id] }],
      ['DELETE', `/v1/calls/${id}/tags/${tag.id}`],
      ['PUT', `/v1/calls/${id}/archive`],
      ['PUT', `/v1/calls/${id}/unarchive`],
      ['POST', `/v1/calls/${id}/transfers`, { number: '+33199000001' }],
      ['POST', `/v1/calls/${id}/pause_recording`],
      ['POST', `/v1/calls/${id}/resume_recording`],
      ['POST', `/v1/calls/${id}/assign`, { user_id: supervisor.id }],
    ]
    const statuses = async (who: Colleague, id: number) => {
      const all = []
      for (const request of requests(id)) all.push((await who.ask(...request)).status)
      return all
    }

    expect(await statuses(agent, theirs)).toEqual(Array(9).fill(404))
    expect(await statuses(supervisor, theirs)).toEqual(Array(9).fill(403))
    const done = [201, 201, 204, 200, 200, 400, 400, 400, 200]
    expect(await statuses(agent, call)).toEqual(done)
    expect(await statuses(supervisor, call)).toEqual(done)
    expect(await statuses(admin, theirs)).toEqual(done)
    for (const sound of ['recording', 'voicemail']) {
      expect((await agent.ask('DELETE', `/v1/calls/${call}/${sound}`)).status).toBe(403)
      expect((await supervisor.ask('DELETE', `/v1/calls/${call}/${sound}`)).status).toBe(403)
    }
    const { comments, user } = (await admin.ask('GET', `/v1/calls/${call}`)).json.call
    expect(comments.map((one: { posted_by: { id: number } }) => one.posted_by.id)).toEqual([agent.id, supervisor.id])
    expect(user.id).toBe(agent.id)
  })

  test('no recording of another user’s call reaches an agent', async () => {
    const office = await openCallOffice(await open())
    const { app, agent, supervisor, mine, theirs } = office
    for (const id of [mine[0] ?? 0, theirs]) {
      const call = await findCall(app.db, app.a.id, id)
      if (call) await addSound(app, call, 'recording')
    }
    const urls = async (who: Colleague) =>
      (await who.ask('GET', '/v1/calls?fetch_short_urls=true')).json.calls.flatMap(
        (call: { id: number; recording: string | null }) => (call.recording ? [call.id] : []),
      )

    expect(await urls(agent)).toEqual([mine[0]])
    expect(await urls(supervisor)).toEqual([mine[0], theirs])
    expect((await agent.ask('GET', `/v1/events?call_id=${theirs}`)).status).toBe(403)
  })

  test('a recording page opens for its agent, supervisors and admins, and is refused to others', async () => {
    const app = await open()
    const agent = await colleague(app, app.a, 'agent')
    const supervisor = await colleague(app, app.a, 'supervisor')
    const stranger = await colleague(app, app.b, 'agent')
    const { id } = await recordedCall(app, app.a, { sounds: ['recording', 'voicemail'] })
    const look = async (who: Colleague, path: string) =>
      (await app.anonymous('GET', path, undefined, { cookie: who.cookie() })).status

    for (const path of [
      `/recording/${id}`,
      `/calls/${id}/recording`,
      `/calls/${id}/recording/info`,
      `/voicemail/${id}`,
    ]) {
      expect([await look(agent, path), await look(supervisor, path)], path).toEqual([403, 200])
      expect(await look(stranger, path), path).toBe(404)
    }
    await app.db.updateTable('call').set({ user_id: agent.id }).where('id', '=', id).execute()
    expect(await look(agent, `/recording/${id}`)).toBe(200)
    expect(await look(agent, '/recording/999999991')).toBe(404)
  })

  test('a campaign and a phone can be used by their user and by admins', async () => {
    const { app, agent, other, supervisor, admin } = await openCallOffice(await open())
    const campaign = (id: number) => `/v1/users/${id}/dialer_campaign`
    const phone_numbers = ['+33199000001']

    const started = [
      (await agent.ask('POST', campaign(other.id), { phone_numbers })).status,
      (await supervisor.ask('POST', campaign(other.id), { phone_numbers })).status,
      (await agent.ask('POST', campaign(agent.id), { phone_numbers })).status,
      (await admin.ask('POST', campaign(other.id), { phone_numbers })).status,
    ]
    const seen = [
      (await agent.ask('GET', campaign(agent.id))).status,
      (await agent.ask('GET', campaign(other.id))).status,
      (await agent.ask('GET', `${campaign(other.id)}/phone_numbers`)).status,
      (await supervisor.ask('GET', campaign(other.id))).status,
      (await supervisor.ask('GET', `${campaign(other.id)}/phone_numbers`)).status,
    ]
    const [queued] = (await app.a.api('GET', `${campaign(other.id)}/phone_numbers`)).json.numbers
    const ended = [
      (await agent.ask('DELETE', `${campaign(other.id)}/phone_numbers/${queued.id}`)).status,
      (await supervisor.ask('DELETE', campaign(other.id))).status,
      (await agent.ask('POST', `${campaign(other.id)}/phone_numbers`, { phone_numbers })).status,
      (await agent.ask('DELETE', campaign(agent.id))).status,
    ]
    const to = '+33199000001'
    const dialled = [
      (await agent.ask('POST', `/v1/users/${other.id}/dial`, { to })).status,
      (await supervisor.ask('POST', `/v1/users/${other.id}/calls`, { to, number_id: 1 })).status,
      // No phone is connected: the user is not available.
      (await agent.ask('POST', `/v1/users/${agent.id}/dial`, { to })).status,
      (await admin.ask('POST', `/v1/users/${other.id}/dial`, { to })).status,
    ]

    expect(started).toEqual([403, 403, 204, 204])
    expect(seen).toEqual([200, 403, 403, 200, 200])
    expect(ended).toEqual([403, 403, 403, 204])
    expect(dialled).toEqual([403, 403, 405, 405])
  })

  test('under /app only admins change roles, invite or create keys, and every change is audited', async () => {
    const { app, agent, supervisor, admin } = await openCallOffice(await open())
    const { a } = app
    const person = { email: 'new@example.test', first_name: 'N', last_name: 'N' }

    for (const who of [agent, supervisor]) {
      for (const version of ['v1', 'v2']) {
        for (const id of [who.id, a.ownerId]) {
          expect((await who.ask('PUT', `/${version}/users/${id}`, { role_ids: ['owner'] })).status).toBe(403)
        }
        expect((await who.ask('POST', `/${version}/users`, person)).status).toBe(403)
      }
      expect((await who.ask('POST', '/v1/api_keys', {})).status).toBe(403)
      expect(
        (await who.ask('PUT', '/v1/me/availability', { availability_status: 'available', role_ids: ['owner'] })).status,
      ).toBe(200)
    }
    const promoted = await admin.ask('PUT', `/v2/users/${agent.id}`, { role_ids: ['supervisor'], isAdmin: true })
    await admin.ask('PUT', `/v2/users/${agent.id}`, { role_ids: ['supervisor'] })

    expect(promoted.status).toBe(200)
    const { audit_log: log } = (await admin.ask('GET', '/v1/audit_log?per_page=50')).json
    const changes = log.filter(({ action }: { action: string }) => action === 'role.changed')
    expect(changes).toMatchObject([
      {
        actor: { kind: 'user', id: admin.id },
        target: `user:${agent.id}`,
        details: { before: ['agent'], after: ['supervisor'] },
      },
    ])
  })
})
