import { transaction } from '../../../db/database.ts'
import { notify } from '../../../db/dialect.ts'
import { badRequest, notFound } from '../../../http/errors.ts'
import type { Services } from '../../../services.ts'
import { audit, userActor } from '../audit/record.ts'
import type { Signed } from '../sign-in/signed-in.ts'
import { sessionsChannel } from '../sign-in/store.ts'
import { discoverProvider, ProviderError } from './provider.ts'
import {
  countLinked,
  deleteOtherSessions,
  deleteSso,
  findSso,
  type MappedRole,
  type RoleMapping,
  type Sso,
  saveSso,
} from './store.ts'

export interface SsoInput {
  issuer: string
  clientId: string
  /** Undefined: keeps the stored one; null: none. */
  clientSecret: string | null | undefined
  domains: readonly string[]
  createsUsers: boolean
  trustsEmail: boolean
  roleClaim: string
  roleMap: RoleMapping[]
  defaultRole: MappedRole | null
  forced: boolean
}

/** Registered at the provider. */
export const redirectUriOf = ({ links }: Pick<Services, 'links'>) => `${links.dashboard}/sso/callback`

/** The configuration of the provider is read first: a wrong issuer is reported here, not at the next sign-in. */
export async function changeSso(services: Services, who: Signed, input: SsoInput): Promise<void> {
  const { db, clock, vault } = services
  const { companyId, userId, address } = who
  await requireUsable(services, who, input)
  const before = await findSso(db, companyId)
  const isSame = before?.issuer === input.issuer
  if (input.forced && !(isSame && (await countLinked(db, companyId, input.issuer)) > 0)) {
    throw badRequest('`forced`: sign in once with single sign-on first, so that a mistake locks out no user')
  }
  const { clientSecret, ...rest } = input
  const clientSecretSealed =
    clientSecret === undefined ? (before?.clientSecretSealed ?? null) : clientSecret && vault.seal(clientSecret)
  const sso: Sso = { ...rest, domains: [...new Set(input.domains.map((one) => one.toLowerCase()))], clientSecretSealed }
  await transaction(db, async (tx) => {
    // Another provider may use the same subjects for other people.
    if (before && !isSame) await deleteSso(tx, companyId)
    await saveSso(tx, companyId, sso, clock.now())
    const ended = sso.forced && !before?.forced ? await deleteOtherSessions(tx, companyId) : []
    for (const id of ended) await notify(tx, sessionsChannel, `${companyId}:${id}`)
    const details = { issuer: sso.issuer, forced: sso.forced, creates_users: sso.createsUsers }
    await audit(services, tx, companyId, { actor: userActor(userId), action: 'sso.changed', details, address })
  })
}

async function requireUsable(services: Services, { companyId }: Signed, input: SsoInput): Promise<void> {
  const problem = services.outbound.urlProblem(input.issuer)
  if (problem) throw badRequest(`\`issuer\` ${problem}`)
  const invalid = input.domains.find((domain) => !/^[a-z0-9-]{1,63}(\.[a-z0-9-]{1,63}){1,8}$/i.test(domain))
  if (invalid !== undefined) throw badRequest(`\`domains\`: ${invalid} is not a domain such as example.com`)
  if (input.domains.length === 0 && (services.rules.tenancy === 'multi' || input.createsUsers)) {
    throw badRequest('`domains` must have at least one domain of your email addresses')
  }
  if (input.roleClaim !== '' && input.roleMap.length === 0) {
    throw badRequest('`role_map` must have at least one value of the claim')
  }
  try {
    await discoverProvider(services, companyId, input.issuer)
  } catch (error) {
    throw error instanceof ProviderError ? badRequest(`\`issuer\`: ${error.message}`) : error
  }
}

export async function removeSso(services: Services, { companyId, userId, address }: Signed): Promise<void> {
  await transaction(services.db, async (tx) => {
    if (!(await deleteSso(tx, companyId))) throw notFound()
    await audit(services, tx, companyId, { actor: userActor(userId), action: 'sso.removed', address })
  })
}
