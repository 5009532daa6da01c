/** What an API key may do. Every request of the public API needs one of them; `admin` includes all others. */
export const apiScopes = [
  'read',
  'calls:write',
  'messages:send',
  'contacts:write',
  'users:write',
  'numbers:write',
  'tags:write',
  'webhooks:write',
  'reports:write',
  'sandbox:write',
  'admin',
] as const

export type ApiScope = (typeof apiScopes)[number]

export const isApiScope = (text: unknown): text is ApiScope => apiScopes.some((scope) => scope === text)

/** `any`: every valid key. */
export type RequiredScope = ApiScope | 'any'

// The first entry that matches a path decides. Paths are written as in the routes.
const writes: readonly [path: RegExp, scope: ApiScope][] = [
  [/^\/v1\/admin\//, 'admin'],
  [/^\/v1\/users\/:\w+\/(calls|dial|dialer_campaign)(\/|$)/, 'calls:write'],
  [/^\/v1\/(calls|outbound-calls)\//, 'calls:write'],
  [/^\/v1\/(call_opt_outs|outbound-campaigns)(\/|$)/, 'calls:write'],
  [/^\/v[12]\/(users|teams)(\/|$)/, 'users:write'],
  [/^\/v1\/messages\//, 'messages:send'],
  [/^\/v1\/numbers\/:\w+\/messages\/(.*\/)?send$/, 'messages:send'],
  [/^\/v1\/numbers\//, 'numbers:write'],
  [/^\/v1\/contacts(\/|$)/, 'contacts:write'],
  [/^\/v1\/tags(\/|$)/, 'tags:write'],
  [/^\/v1\/(webhooks|events|integrations)(\/|$)/, 'webhooks:write'],
  [/^\/v1\/analytics\//, 'reports:write'],
  [/^\/sandbox\/v1\//, 'sandbox:write'],
]

/** The scope that a request to a route of the public API needs; undefined: none is defined, and only `admin` suffices. */
export function requiredScope(method: string, path: string): RequiredScope | undefined {
  if (path === '/v1/ping') return 'any'
  if (path.startsWith('/v1/admin/')) return 'admin'
  if (method === 'GET') return 'read'
  return writes.find(([pattern]) => pattern.test(path))?.[1]
}

/** Null: all scopes. */
export const allowsScope = (scopes: readonly ApiScope[] | null, needed: RequiredScope): boolean =>
  scopes === null || needed === 'any' || scopes.includes('admin') || scopes.includes(needed)

export const isReadOnly = (scopes: readonly ApiScope[] | null): boolean =>
  scopes?.every((scope) => scope === 'read') ?? false
