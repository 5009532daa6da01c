import { randomBytes } from 'node:crypto'
import { type Tx, transaction } from '../../../db/database.ts'
import type { CompanyId } from '../../../db/tables.ts'
import { ApiError, badRequest, forbidden } from '../../../http/errors.ts'
import { minute } from '../../../lib/clock.ts'
import { hashOf, randomToken } from '../../../lib/secrets.ts'
import type { Services } from '../../../services.ts'
import { publish } from '../../publishing/index.ts'
import { audit, auditAlone, unknownActor, userActor } from '../audit/record.ts'
import { refreshPresence } from '../presence/actions.ts'
import { deactivated, endPreviousSession, type NewSession, type Origin, startSession } from '../sign-in/actions.ts'
import { changeUser } from '../users/change.ts'
import { findUser, insertUser, rolesOf, type User, updateUser } from '../users/store.ts'
import { domainOf, emailIn, nameOfClaims, rolesIn } from './claims.ts'
import { authorizationUrl, claimsOf, knownProvider, ProviderError } from './provider.ts'
import { redirectUriOf } from './settings.ts'
import {
  companiesWithSso,
  deleteOldSsoRequests,
  findSso,
  insertSsoRequest,
  linkSubject,
  type Sso,
  takeSsoRequest,
  userOfSubject,
} from './store.ts'

/** How long a user may take at the provider. */
const requestMs = 15 * minute

interface StartParams {
  email: string | undefined
  companyId: number | undefined
}

/**
 * The company is found by the domain of the address, never by an account: the response must not reveal accounts. With one
 * company in the installation no address is needed.
 */
export async function startSso(services: Services, { email, companyId }: StartParams) {
  const { db, clock, vault } = services
  const company = await requireCompany(services, email, companyId)
  const sso = await findSso(db, company)
  if (!sso) throw notOffered()
  const provider = await explained(services, company, () => knownProvider(services, company, sso.issuer))
  const [state, nonce, browser] = [randomToken(), randomToken(), randomToken()]
  const verifier = randomBytes(32).toString('base64url')
  const now = clock.machineNow()
  await deleteOldSsoRequests(db, now)
  await insertSsoRequest(db, company, {
    stateHash: hashOf(state),
    browserHash: hashOf(browser),
    nonce,
    verifierSealed: vault.seal(verifier),
    expiresAt: now + requestMs,
  })
  const redirectUri = redirectUriOf(services)
  const request = { clientId: sso.clientId, redirectUri, state, nonce, verifier, email }
  return { url: authorizationUrl(provider, request), browser }
}

const notOffered = () =>
  badRequest('Single sign-on is not set up for this address; check it, or sign in with your password')

async function requireCompany({ db, rules }: Services, email: string | undefined, companyId: number | undefined) {
  const companies = await companiesWithSso(db)
  const found =
    rules.tenancy === 'single' && companies.length === 1
      ? companies
      : companies.filter(({ domains }) => email !== undefined && domains.includes(domainOf(email)))
  const [first, ...others] = found.filter((one) => (companyId ?? one.companyId) === one.companyId)
  if (!first) throw notOffered()
  if (others.length === 0) return first.companyId
  const choices = [first, ...others].map((one) => `${one.companyId} ${one.name}`)
  throw new ApiError(409, 'Choose the company with `company_id`', {}, { companies: choices })
}

interface FinishParams extends Origin {
  state: string
  /** From `startSso`, kept by the browser that started: a response of the provider works in that browser only. */
  browser: string
  code: string
  /** RFC 9207. */
  issuer: string | undefined
  old: string | undefined
}

export async function finishSso(services: Services, params: FinishParams): Promise<NewSession> {
  const { db, clock, vault } = services
  const { state, browser, code } = params
  const request = { stateHash: hashOf(state), browserHash: hashOf(browser) }
  const started = await takeSsoRequest(db, request, clock.machineNow())
  if (!started)
    throw forbidden('This sign-in has expired, was used already, or started in another browser; start again')
  const { companyId, nonce } = started
  const sso = await findSso(db, companyId)
  if (!sso) throw notOffered()
  const claims = await explained(services, companyId, async () => {
    if (params.issuer !== undefined && params.issuer !== sso.issuer) {
      throw new ProviderError('The response comes from another issuer')
    }
    const provider = await knownProvider(services, companyId, sso.issuer)
    const clientSecret = sso.clientSecretSealed === null ? undefined : vault.open(sso.clientSecretSealed)
    const redirectUri = redirectUriOf(services)
    const verifier = vault.open(started.verifierSealed)
    const { clientId } = sso
    return claimsOf(services, provider, { companyId, clientId, clientSecret, redirectUri, code, verifier, nonce })
  })
  return enter(services, companyId, sso, claims, params)
}

/** A failure of the provider is recorded for the administrator, and shown to the user. */
async function explained<T>(services: Services, companyId: CompanyId, run: () => Promise<T>): Promise<T> {
  try {
    return await run()
  } catch (error) {
    if (!(error instanceof ProviderError)) throw error
    services.log.warn({ event: 'sso.failed', companyId, reason: error.message }, 'single sign-on failed')
    const details = { reason: error.message.slice(0, 300) }
    await auditAlone(services, companyId, { actor: unknownActor, action: 'sso.failed', details })
    throw forbidden(error.message)
  }
}

async function enter(
  services: Services,
  companyId: CompanyId,
  sso: Sso,
  claims: Record<string, unknown>,
  { address, userAgent, old }: FinishParams,
): Promise<NewSession> {
  const identity = { issuer: sso.issuer, subject: String(claims.sub) }
  const email = emailIn(claims, sso)
  const roles = rolesIn(claims, sso)
  const user = await transaction(services.db, async (tx) => {
    const linked = await userOfSubject(tx, companyId, identity)
    const known = await findUser(tx, companyId, linked ?? email)
    if (known && !known.active) throw deactivated()
    if (!known && !sso.createsUsers) {
      throw forbidden(`There is no account for ${email}; ask an owner or admin of your company to invite you`)
    }
    const entering = known ?? (await createUser(services, tx, companyId, { email, claims, roles: roles ?? ['agent'] }))
    const at = services.clock.now()
    if (linked !== entering.id) await linkSubject(tx, companyId, { ...identity, userId: entering.id, at })
    if (!entering.confirmed) {
      await updateUser(tx, companyId, entering.id, { confirmed_at: at })
      await refreshPresence(services, tx, companyId, entering.id)
    }
    if (!known) {
      const target = `user:${entering.id}`
      const entry = { actor: userActor(entering.id), action: 'user.created_by_sso', target, details: { roles } }
      await audit(services, tx, companyId, entry)
    }
    return entering
  })
  const actor = userActor(user.id)
  const held = await rolesOf(services.db, companyId, user.id)
  // The role of an owner is given and taken in the dashboard only.
  if (roles && !held.includes('owner')) await changeUser(services, companyId, user.id, { roles }, { actor, address })
  return transaction(services.db, async (tx) => {
    await endPreviousSession(tx, old)
    const who = { companyId, userId: user.id, method: 'sso' as const }
    const entered = await startSession(services, tx, who, { address, userAgent })
    const details = { method: 'sso' }
    await audit(services, tx, companyId, { actor, action: 'sign_in', details, address })
    return entered
  })
}

async function createUser(
  services: Services,
  tx: Tx,
  companyId: CompanyId,
  given: { email: string; claims: Record<string, unknown>; roles: NonNullable<ReturnType<typeof rolesIn>> },
): Promise<User> {
  const { email, claims, roles } = given
  const at = services.clock.now()
  const account = { language: 'en-US', timeZone: 'Etc/UTC', status: 'available', wrapUpTime: 0 } as const
  const input = { email, ...nameOfClaims(claims, email), ...account, roles, confirmedAt: at }
  const id = await insertUser(tx, companyId, input, at)
  const user = await findUser(tx, companyId, id)
  if (!user) throw new Error('a user that was just written must exist')
  await publish(services, tx, companyId, [{ kind: 'user', event: 'created', user }])
  return user
}
