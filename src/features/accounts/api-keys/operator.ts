import type { CompanyId } from '../../../db/tables.ts'
import { type ApiScope, apiScopes, isApiScope } from '../../../domain/api-scopes.ts'
import { type AdminCommands, CommandRefused } from '../../../http/admin-socket.ts'
import { idFrom, isCleanText } from '../../../http/input.ts'
import { isIpRange } from '../../../lib/ip-ranges.ts'
import type { Services } from '../../../services.ts'
import { createKey, revokeKey, rotateKey } from './actions.ts'
import { findKey, listKeys } from './store.ts'
import { keyView } from './view.ts'

type Input = Record<string, unknown>

/** How the company of a command is found. */
interface CompanyChoice {
  companyOf(input: Input): Promise<CompanyId>
  companyOrDemo(input: Input): Promise<CompanyId>
}

/** Commands of the operator for API keys. */
export function keyAdminCommands(services: Services, { companyOf, companyOrDemo }: CompanyChoice): AdminCommands {
  const { db, clock } = services
  const unknown = (id: unknown) =>
    new CommandRefused(`there is no API key ${id}; list the keys with \`hookswitch keys list\``)
  return {
    'keys.list': async (input) => {
      const keys = await listKeys(db, await companyOf(input))
      return { keys: keys.map((key) => keyView(key, clock.machineNow())) }
    },
    'keys.create': async (input) => {
      const companyId = await companyOrDemo(input)
      const params = { name: nameIn(input), createdBy: null, scopes: scopesOf(input), allowedIps: rangesOf(input) }
      const expiresAt = input.expires_in_ms === undefined ? null : clock.machineNow() + Number(input.expires_in_ms)
      const made = await createKey(services, companyId, { ...params, expiresAt })
      const key = await findKey(db, companyId, made.id)
      if (!key) throw unknown(made.id)
      return { ...keyView(key, clock.machineNow()), api_token: made.apiToken }
    },
    'keys.rotate': async (input) => {
      const id = idFrom(input.id)
      const overlapMs = Number(input.overlap_ms ?? 0)
      const made = id === undefined ? undefined : await rotateKey(services, await companyOf(input), id, overlapMs)
      if (!made) throw unknown(input.id)
      return { id, api_id: made.apiId, api_token: made.apiToken }
    },
    'keys.revoke': async (input) => {
      const id = idFrom(input.id)
      if (id === undefined || !(await revokeKey(services, await companyOf(input), id))) throw unknown(input.id)
      return { revoked: id }
    },
  }
}

function nameIn({ name = 'API key' }: Input): string {
  if (typeof name !== 'string' || name.trim() === '' || name.length > 255 || !isCleanText(name))
    throw new CommandRefused('--name must be 1 to 255 characters, without control characters')
  return name.trim()
}

function scopesOf({ scopes }: Input): ApiScope[] | null {
  if (scopes === undefined) return null
  const given = Array.isArray(scopes) ? scopes : []
  if (given.length === 0 || !given.every(isApiScope))
    throw new CommandRefused(`--scopes must be a list of ${apiScopes.join(', ')}`)
  return [...new Set(given)]
}

function rangesOf({ allowed_ips: given }: Input): string[] | null {
  if (given === undefined) return null
  const ranges = Array.isArray(given) ? given.map(String) : []
  if (ranges.length === 0 || !ranges.every(isIpRange))
    throw new CommandRefused('--allow must be a list of IP addresses and CIDR ranges, such as 203.0.113.0/24')
  return [...new Set(ranges)]
}
