import { roles } from './profile.ts'

// Details of audit log entries in words.

const labelOf = (text: string) => roles.find(({ value }) => value === text)?.label ?? text

/** Lists and changes in words: `Owner, Agent`, `Agent → Owner, Agent`, `Yes`. */
export function auditWords(value: unknown): string {
  if (value === null || value === undefined || value === '') return 'None'
  if (typeof value === 'boolean') return value ? 'Yes' : 'No'
  if (typeof value === 'string') return labelOf(value)
  if (Array.isArray(value)) return value.length === 0 ? 'None' : value.map(auditWords).join(', ')
  if (typeof value !== 'object') return String(value)
  const { from, to, before, after, ...rest } = value as Record<string, unknown>
  const [old, fresh] = from !== undefined || to !== undefined ? [from, to] : [before, after]
  const changed = old !== undefined || fresh !== undefined ? [`${auditWords(old)} → ${auditWords(fresh)}`] : []
  const others = Object.entries(rest).map(([name, one]) => `${name.replaceAll('_', ' ')} ${auditWords(one)}`)
  return [...changed, ...others].join(', ') || 'None'
}

interface TargetKind {
  label: string
  /** The page of the object, or the list that contains it. */
  page?: (id: string) => string
}

const targetKinds: Record<string, TargetKind> = {
  user: { label: 'User', page: (id) => `/dashboard/users/${id}` },
  number: { label: 'Number', page: (id) => `/dashboard/numbers/${id}` },
  call: { label: 'Call', page: (id) => `/dashboard/calls/${id}` },
  webhook: { label: 'Webhook', page: (id) => `/dashboard/webhooks/${id}` },
  ai_voice_agent: { label: 'AI agent', page: (id) => `/dashboard/agents/${id}` },
  api_key: { label: 'API key', page: () => '/dashboard/developers/keys' },
  oauth_app: { label: 'OAuth app', page: () => '/dashboard/developers/apps' },
  trunk: { label: 'SIP trunk', page: () => '/dashboard/trunks' },
  carrier: { label: 'Carrier', page: () => '/dashboard/messaging' },
  scheduled_report: { label: 'Scheduled report', page: () => '/dashboard/analytics/scheduled' },
  export: { label: 'Export', page: () => '/dashboard/analytics/exports' },
  blocked_caller: { label: 'Blocked caller', page: () => '/dashboard/company/blocked' },
  integration: { label: 'Integration' },
  device: { label: 'Device' },
  import: { label: 'Import' },
}

/** `user:5` → User, 5 and its page. */
export function auditTarget(target: string): { kind: string; id: string; page: string | undefined } {
  const at = target.indexOf(':')
  const [kind, id] = [target.slice(0, at), target.slice(at + 1)]
  const known = targetKinds[kind]
  const label = known?.label ?? kind.charAt(0).toUpperCase() + kind.slice(1).replaceAll('_', ' ')
  return { kind: label, id, page: known?.page?.(id) }
}
