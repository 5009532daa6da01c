import type { Route } from '../../../http/route.ts'

/**
 * Routes of the dashboard that API keys with the scope `admin` have as well, under /v1/admin: provisioning and
 * settings. Not listed: sign-in and personal settings, data such as conversations, and tests that call or send.
 */
const provisioning = new Set([
  'POST /v1/numbers',
  'DELETE /v1/numbers/:id',
  'PUT /v1/numbers/:id/users',
  'POST /v1/numbers/:id/users',
  'GET /v1/numbers/:id/settings',
  'PUT /v1/numbers/:id/settings',
  'GET /v1/numbers/:id/opening_hours',
  'PUT /v1/numbers/:id/opening_hours',
  'GET /v1/numbers/:id/flow',
  'PUT /v1/numbers/:id/flow',
  'GET /v1/numbers/:id/flow/versions',
  'GET /v1/numbers/:id/recording_notice',
  'PUT /v1/numbers/:id/recording_notice',

  'GET /v1/company/settings',
  'PUT /v1/company/settings',
  'GET /v1/company/retention',
  'PUT /v1/company/retention',
  'POST /v1/company/retention/preview',
  'GET /v1/company/recording_notice',
  'PUT /v1/company/recording_notice',

  'GET /v1/api_keys',
  'POST /v1/api_keys',
  'PUT /v1/api_keys/:id',
  'DELETE /v1/api_keys/:id',
  'POST /v1/api_keys/:id/rotations',

  'GET /v1/trunks',
  'POST /v1/trunks',
  'PUT /v1/trunks/:id',
  'DELETE /v1/trunks/:id',
  'GET /v1/dial_limits',
  'PUT /v1/dial_limits',

  'GET /v1/carriers',
  'POST /v1/carriers',
  'PUT /v1/carriers/:id',
  'DELETE /v1/carriers/:id',
  'GET /v1/message_lines',
  'PUT /v1/message_lines/:id',
  'GET /v1/message_limits',
  'PUT /v1/message_limits',
  'POST /v1/sms/templates',
  'PUT /v1/sms/templates/:id',
  'DELETE /v1/sms/templates/:id',

  'GET /v1/blocked_callers',
  'POST /v1/blocked_callers',
  'PUT /v1/blocked_callers/:id',
  'DELETE /v1/blocked_callers/:id',

  'GET /v1/ai_voice_agents/:id/settings',
  'POST /v1/ai_voice_agents',
  'PUT /v1/ai_voice_agents/:id',
  'DELETE /v1/ai_voice_agents/:id',
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

  'GET /v1/intelligence/guides',
  'POST /v1/intelligence/guides',
  'PUT /v1/intelligence/guides/:id',
  'DELETE /v1/intelligence/guides/:id',
  'GET /v1/intelligence/settings',
  'PUT /v1/intelligence/settings',
  'GET /v1/intelligence/suggestions',
  'PUT /v1/intelligence/suggestions',

  'GET /v1/oauth_apps',
  'POST /v1/oauth_apps',
  'PUT /v1/oauth_apps/:id',
  'DELETE /v1/oauth_apps/:id',
  'POST /v1/oauth_apps/:id/secret/rotations',
])

const isProvisioning = ({ method, path }: Route) => provisioning.has(`${method} ${path}`)

export const adminRoutes = (routes: readonly Route[]): Route[] =>
  routes.filter(isProvisioning).map((route) => route.forAdminKeys())

/** What can be repeated with an Idempotency-Key under /v1/admin can be in the dashboard. */
export const appRoutes = (routes: readonly Route[]): Route[] =>
  routes.map((route) => (isProvisioning(route) ? route.forApps() : route))
