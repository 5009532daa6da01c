import { Type } from 'typebox'
import { allowsScope, apiScopes } from '../../../domain/api-scopes.ts'
import type { Caller } from '../../../http/caller.ts'
import { badRequest, forbidden, notFound } from '../../../http/errors.ts'
import { route } from '../../../http/route.ts'
import { Id, nameText, nullable } from '../../../http/schemas.ts'
import { hour } from '../../../lib/clock.ts'
import { isIpRange } from '../../../lib/ip-ranges.ts'
import type { Services } from '../../../services.ts'
import { actorOf } from '../audit/record.ts'
import { admins, userIdOf } from '../credentials/roles.ts'
import { changeKey, createKey, revokeKey, rotateKey } from './actions.ts'
import { findKey, type KeySettings, listKeys } from './store.ts'
import { KeyView, keyView, NewKeyView, Scope } from './view.ts'

const tag = 'Company'
const maxRanges = 100
const defaultOverlapHours = 24

const Settings = Type.Object({
  name: Type.Optional(nameText(255)),
  scopes: Type.Optional(
    nullable(Type.Array(Scope, { minItems: 1, maxItems: apiScopes.length, description: 'Null: all scopes' })),
  ),
  allowed_ips: Type.Optional(
    nullable(
      Type.Array(Type.String({ maxLength: 64 }), {
        maxItems: maxRanges,
        description: 'IPv4 and IPv6 addresses and CIDR ranges; null or empty: all addresses',
        examples: [['203.0.113.0/24', '2001:db8::/32']],
      }),
    ),
  ),
  expires_at: Type.Optional(
    nullable(
      Type.String({
        maxLength: 40,
        description: 'ISO 8601, in the future; null: the key does not expire',
        examples: ['2030-01-31T12:00:00Z'],
      }),
    ),
  ),
})

const errors = [
  { status: 400 as const, when: 'a scope, an address or the expiry is invalid' },
  { status: 403 as const, when: 'the key that makes the request has a narrower scope, address list or expiry' },
]

const listApiKeys = route({
  method: 'GET',
  path: '/v1/api_keys',
  summary: 'List API keys',
  tag,
  access: 'app',
  roles: admins,
  reply: { status: 200, body: Type.Object({ api_keys: Type.Array(KeyView) }) },
  async handle({ caller, services }) {
    const now = services.clock.machineNow()
    return { api_keys: (await listKeys(services.db, caller.companyId)).map((key) => keyView(key, now)) }
  },
})

const createApiKey = route({
  method: 'POST',
  path: '/v1/api_keys',
  summary: 'Create an API key; the token is returned only once',
  tag,
  access: 'app',
  body: Settings,
  errors,
  reply: { status: 201, body: Type.Object({ api_key: NewKeyView }) },
  async handle({ body, caller, services, address }) {
    const { companyId } = caller
    const settings = { scopes: null, allowedIps: null, expiresAt: null, ...settingsIn(services, body) }
    await requireWithinOwn(services, caller, settings)
    const params = { name: 'API key', ...settings, createdBy: userIdOf(caller) }
    const made = await createKey(services, companyId, params, { actor: actorOf(caller), address })
    const key = await findKey(services.db, companyId, made.id)
    if (!key) throw notFound()
    return { api_key: { ...keyView(key, services.clock.machineNow()), api_token: made.apiToken } }
  },
})

const changeApiKey = route({
  method: 'PUT',
  path: '/v1/api_keys/:id',
  summary: 'Update name, scopes, allowed addresses or expiry of an API key',
  tag,
  access: 'app',
  params: Type.Object({ id: Id }),
  load: ({ params, caller, services }) => findKey(services.db, caller.companyId, params.id),
  body: Settings,
  errors,
  reply: { status: 200, body: Type.Object({ api_key: KeyView }) },
  async handle({ body, loaded, caller, services, address }) {
    const by = { actor: actorOf(caller), address }
    const change = settingsIn(services, body)
    await requireWithinOwn(services, caller, change)
    const key = await changeKey(services, caller.companyId, loaded.id, change, by)
    if (!key) throw notFound()
    return { api_key: keyView(key, services.clock.machineNow()) }
  },
})

const rotateApiKey = route({
  method: 'POST',
  path: '/v1/api_keys/:id/rotations',
  summary: 'Replace the token of an API key; the previous token stays valid for the overlap',
  tag,
  access: 'app',
  params: Type.Object({ id: Id }),
  load: ({ params, caller, services }) => findKey(services.db, caller.companyId, params.id),
  body: Type.Object({
    overlap_hours: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: 720,
        default: defaultOverlapHours,
        description: '0: the previous token is rejected immediately',
      }),
    ),
  }),
  reply: { status: 201, body: Type.Object({ api_key: NewKeyView }) },
  async handle({ body, loaded, caller, services, address }) {
    const { companyId } = caller
    await requireWithinOwn(services, caller, loaded)
    const overlapMs = (body.overlap_hours ?? defaultOverlapHours) * hour
    const made = await rotateKey(services, companyId, loaded.id, overlapMs, { actor: actorOf(caller), address })
    const key = made && (await findKey(services.db, companyId, loaded.id))
    if (!key) throw notFound()
    return { api_key: { ...keyView(key, services.clock.machineNow()), api_token: made.apiToken } }
  },
})

const deleteApiKey = route({
  method: 'DELETE',
  path: '/v1/api_keys/:id',
  summary: 'Revoke an API key; it is rejected from the next request on',
  tag,
  access: 'app',
  params: Type.Object({ id: Id }),
  load: ({ params, caller, services }) => findKey(services.db, caller.companyId, params.id),
  reply: { status: 204 },
  async handle({ loaded, caller, services, address }) {
    await revokeKey(services, caller.companyId, loaded.id, { actor: actorOf(caller), address })
    return {}
  },
})

interface GivenSettings {
  name?: string
  scopes?: KeySettings['scopes']
  allowed_ips?: string[] | null
  expires_at?: string | null
}

function settingsIn({ clock }: Services, given: GivenSettings): Partial<KeySettings> {
  const { name, scopes, allowed_ips: ips, expires_at: expiry } = given
  return {
    ...(name !== undefined && { name }),
    ...(scopes !== undefined && { scopes: scopes && [...new Set(scopes)] }),
    ...(ips !== undefined && { allowedIps: rangesIn(ips) }),
    ...(expiry !== undefined && { expiresAt: expiryIn(expiry, clock.machineNow()) }),
  }
}

/** An API key gives no key more than it has itself: scopes, addresses and time. */
async function requireWithinOwn(
  { db }: Services,
  { companyId, via }: Caller,
  { scopes, allowedIps, expiresAt }: Partial<Pick<KeySettings, 'scopes' | 'allowedIps' | 'expiresAt'>>,
): Promise<void> {
  const own = via.kind === 'key' ? await findKey(db, companyId, via.id) : undefined
  if (!own) return
  const missing = scopes?.find((scope) => !allowsScope(own.scopes, scope))
  if (missing !== undefined || (scopes === null && !allowsScope(own.scopes, 'admin')))
    throw forbidden(`This API key cannot grant the scope \`${missing ?? 'admin'}\`, which it does not have`)
  const { allowedIps: ownIps, expiresAt: ownExpiry } = own
  if (ownIps !== null && allowedIps !== undefined && !allowedIps?.every((range) => ownIps.includes(range)))
    throw forbidden('This API key is limited to addresses: name some of them in `allowed_ips`, and no others')
  if (ownExpiry !== null && expiresAt !== undefined && (expiresAt === null || expiresAt > ownExpiry))
    throw forbidden('This API key expires: set `expires_at` to that time or an earlier one')
}

function rangesIn(given: readonly string[] | null): string[] | null {
  if (given === null || given.length === 0) return null
  const ranges = [...new Set(given.map((text) => text.trim()))]
  const invalid = ranges.find((text) => !isIpRange(text))
  if (invalid !== undefined) {
    throw badRequest(
      `\`allowed_ips\` must contain IP addresses and CIDR ranges, such as 203.0.113.0/24, not ${invalid}`,
    )
  }
  return ranges
}

function expiryIn(given: string | null, now: number): number | null {
  if (given === null) return null
  const at = /^\d{4}-\d\d-\d\dT\d\d:\d\d/.test(given) ? Date.parse(given) : Number.NaN
  if (!(at > now)) throw badRequest('`expires_at` must be a future time in ISO 8601, such as 2030-01-31T12:00:00Z')
  return at
}

export const apiKeyRoutes = [listApiKeys, createApiKey, changeApiKey, rotateApiKey, deleteApiKey]
