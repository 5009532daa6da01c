import { type ApiScope, apiScopes } from '../../../src/domain/api-scopes.ts'

/** What each scope allows, as shown beside its checkbox. */
const descriptions: Record<Exclude<ApiScope, 'admin'>, string> = {
  read: 'Read all data: calls, recordings, contacts, users, exports and events',
  'calls:write': 'Start, transfer, tag calls and add notes to them',
  'messages:send': 'Send text messages and WhatsApp messages',
  'contacts:write': 'Create, update and delete contacts',
  'users:write': 'Invite, update and delete users and teams',
  'numbers:write': 'Update numbers',
  'tags:write': 'Create, update and delete tags',
  'webhooks:write': 'Manage webhooks, replays and test events',
  'reports:write': 'Create analytics exports',
  'sandbox:write': 'Control the sandbox',
}

export const selectableScopes = apiScopes.flatMap((scope) =>
  scope === 'admin' ? [] : [{ scope, description: descriptions[scope] }],
)

/** What a key may do, as a sentence below the form. */
export function permissionsOf(access: Access, scopes: readonly ApiScope[]): string {
  if (access === 'full')
    return 'This key can read and change all data, place calls, send messages and configure the company.'
  if (access === 'read') return 'This key can read all data. It cannot change data, place calls or send messages.'
  const chosen = selectableScopes.filter(({ scope }) => scope !== 'read' && scopes.includes(scope))
  const able = chosen.map(({ description }) => description.charAt(0).toLowerCase() + description.slice(1))
  if (scopes.includes('read')) able.unshift('read all data')
  if (able.length === 0) return 'This key can do nothing yet: select at least one scope.'
  const sentence = `This key can: ${able.join('; ')}.`
  return scopes.includes('read') ? sentence : `${sentence} It cannot read data.`
}

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
