import { type ApiScope, apiScopes } from '../../../src/domain/api-scopes.ts'

/** What each scope allows, as shown beside its checkbox. */
const descriptions: Record<Exclude<ApiScope, 'admin'>, string> = {
  read: 'Read all data: calls, recordings, contacts, users, exports and events',
  'calls:write': 'Start, transfer, tag and comment on calls',
  'messages:send': 'Send text messages and WhatsApp messages',
  'contacts:write': 'Create, update and delete contacts',
  'users:write': 'Invite, update and delete users and teams',
  'numbers:write': 'Update Numbers',
  'tags:write': 'Create, update and delete tags',
  'webhooks:write': 'Manage webhooks, replays and test events',
  'reports:write': 'Create analytics exports',
  'sandbox:write': 'Control the sandbox',
}

export const selectableScopes = apiScopes.flatMap((scope) =>
  scope === 'admin' ? [] : [{ scope, description: descriptions[scope] }],
)

export type Access = 'full' | 'read' | 'custom'

export function accessOf(scopes: readonly ApiScope[] | null): Access {
  if (scopes === null || scopes.includes('admin')) return 'full'
  return scopes.length === 1 && scopes[0] === 'read' ? 'read' : 'custom'
}

export function accessLabel(scopes: readonly ApiScope[] | null): string {
  const access = accessOf(scopes)
  if (access === 'full') return 'Full access'
  return access === 'read' ? 'Read only' : (scopes ?? []).join(', ')
}
