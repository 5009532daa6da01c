import { createHash } from 'node:crypto'
import { type Tx, transaction } from '../../../db/database.ts'
import type { CompanyId, Flag } from '../../../db/tables.ts'
import { badRequest, notFound, oauthError, tooManyRequests } from '../../../http/errors.ts'
import { enqueue } from '../../../jobs/queue.ts'
import { minute } from '../../../lib/clock.ts'
import { hashOf, randomId, randomToken, sameHash } from '../../../lib/secrets.ts'
import type { Services } from '../../../services.ts'
import {
  admins,
  audit,
  findUser,
  lockCompany,
  numbersById,
  operatorActor,
  rolesOf,
  unknownActor,
  userActor,
} from '../../accounts/index.ts'
import type { Author } from '../apps/actions.ts'
import { uninstall } from '../apps/uninstall.ts'
import { idOf } from '../apps/view.ts'
import { readAuthorization } from './authorization.ts'
import {
  findApp,
  findClient,
  insertApp,
  insertCode,
  insertToken,
  installationsOf,
  listApps,
  markAppDeleted,
  type OauthApp,
  tokenOfCode,
  tokenOfRepeat,
  updateApp,
  useCode,
} from './store.ts'

const maxApps = 100
const codeLifetime = 10 * minute
/** A client that did not receive the response may repeat the exchange for this long. */
const repeatableMs = minute

export interface AppParams {
  name: string
  description: string
  logoUrl: string | null
  installUri: string
  redirectUri: string
  listed: boolean
}

/** Registers an OAuth app; its secret is returned once. */
export async function registerApp(
  services: Services,
  { companyId, actor, address }: Author,
  params: AppParams,
): Promise<{ app: OauthApp; secret: string }> {
  requireAddresses(services, params)
  const secret = randomToken()
  const app = await transaction(services.db, async (tx) => {
    await lockCompany(tx, companyId)
    if ((await listApps(tx, companyId)).length >= maxApps)
      throw badRequest(`A company has at most ${maxApps} apps; delete one first`)
    const row = { ...params, clientId: randomId(), secretHash: hashOf(secret) }
    const id = await insertApp(tx, companyId, row, services.clock.now())
    const made = await findApp(tx, companyId, id)
    if (!made) throw new Error('the app that was just inserted was not found')
    await audit(services, tx, companyId, { actor, action: 'oauth_app.created', target: `oauth_app:${id}`, address })
    return made
  })
  return { app, secret }
}

export async function changeApp(
  services: Services,
  { companyId, actor, address }: Author,
  id: number,
  params: Partial<AppParams>,
): Promise<OauthApp> {
  requireAddresses(services, params)
  return transaction(services.db, async (tx) => {
    await lockCompany(tx, companyId)
    const before = await findApp(tx, companyId, id)
    if (!before) throw notFound()
    const isNew = (name: keyof AppParams) => params[name] !== undefined && params[name] !== before[name]
    const changes = {
      ...(isNew('name') && { name: params.name }),
      ...(isNew('description') && { description: params.description }),
      ...(isNew('logoUrl') && { logo_url: params.logoUrl }),
      ...(isNew('installUri') && { install_uri: params.installUri }),
      ...(isNew('redirectUri') && { redirect_uri: params.redirectUri }),
      ...(isNew('listed') && { listed: (params.listed ? 1 : 0) as Flag }),
    }
    // What already matches is left as it is and not audited.
    if (Object.keys(changes).length === 0) return before
    await updateApp(tx, companyId, id, changes)
    const details = { changed: Object.keys(changes) }
    await audit(services, tx, companyId, {
      actor,
      action: 'oauth_app.changed',
      target: `oauth_app:${id}`,
      details,
      address,
    })
    return (await findApp(tx, companyId, id)) ?? before
  })
}

/** The previous secret is rejected from the next request on. */
export async function renewSecret(services: Services, author: Author, id: number): Promise<string> {
  const { companyId, actor, address } = author
  const secret = randomToken()
  await transaction(services.db, async (tx) => {
    await updateApp(tx, companyId, id, { secret_hash: hashOf(secret) })
    const action = 'oauth_app.secret_changed'
    await audit(services, tx, companyId, { actor, action, target: `oauth_app:${id}`, address })
  })
  return secret
}

/** Rejects the app's tokens at once; a job uninstalls it from its companies. */
export async function deleteApp(services: Services, { companyId, actor, address }: Author, id: number): Promise<void> {
  const at = services.clock.now()
  await transaction(services.db, async (tx) => {
    if (!(await markAppDeleted(tx, companyId, id, at))) throw notFound()
    await enqueue(tx, 'oauth.clear', { appId: id }, at, `oauth.clear:${id}`)
    // Scheduled a second time: an exchange in progress may still have read the app before its deletion.
    await enqueue(tx, 'oauth.clear', { appId: id }, at + minute, `oauth.clear.again:${id}`)
    await audit(services, tx, companyId, { actor, action: 'oauth_app.deleted', target: `oauth_app:${id}`, address })
  })
}

const some = 100

/** Job: uninstalls a deleted app. */
export function appRemover(services: Services) {
  return async ({ appId }: { appId: number }): Promise<void> => {
    for (;;) {
      const installed = await installationsOf(services.db, appId, some)
      for (const { companyId, tokenId } of installed)
        await uninstall(services, companyId, tokenId, { by: operatorActor, why: 'app_deleted' })
      if (installed.length < some) return
    }
  }
}

function requireAddresses({ outbound }: Services, { installUri, redirectUri, logoUrl }: Partial<AppParams>): void {
  const given = { install_uri: installUri, redirect_uri: redirectUri, logo_url: logoUrl }
  for (const [name, url] of Object.entries(given)) {
    if (url === undefined || url === null) continue
    const issue = outbound.urlProblem(url) ?? (/^[!-~]+$/.test(url) ? undefined : 'must contain ASCII characters only')
    if (issue) throw badRequest(`\`${name}\` ${issue}`)
  }
}

export interface Decision {
  /** Query string of the authorization request. */
  search: string
  allow: boolean
  /** Null: all Numbers. */
  numberIds: number[] | null
}

/** Returns the URL to redirect the user to after the decision. */
export async function decide(
  services: Services,
  { companyId, userId, address }: { companyId: CompanyId; userId: number; address: string },
  { search, allow, numberIds }: Decision,
): Promise<string> {
  const { db, clock } = services
  const asked = await readAuthorization(services, search)
  if (asked.kind === 'refused') throw badRequest(asked.advice)
  if (asked.kind === 'answered') return asked.to
  if (!allow) return asked.answer({ error: 'access_denied' })
  const code = randomToken()
  const at = clock.now()
  await transaction(db, async (tx) => {
    const wanted = numberIds && [...new Set(numberIds)]
    if (wanted && (await numbersById(tx, companyId, wanted)).length < wanted.length)
      throw badRequest('`number_ids` contains a Number that does not belong to the company')
    await insertCode(tx, companyId, {
      hash: hashOf(code),
      appId: asked.app.id,
      userId,
      redirectUri: asked.app.redirectUri,
      challenge: asked.challenge,
      numberIds: wanted,
      createdAt: at,
      expiresAt: at + codeLifetime,
    })
    await audit(services, tx, companyId, {
      actor: userActor(userId),
      action: 'oauth.granted',
      target: `oauth_app:${asked.app.id}`,
      details: { number_ids: wanted },
      address,
    })
  })
  return asked.answer({ code })
}

export interface TokenExchange {
  clientId: string
  clientSecret: string
  code: string
  redirectUri: string
  grantType: string
  verifier: string | undefined
}

const unsupported = () => oauthError('unsupported_grant_type', 'grant_type must be authorization_code')
export const isOtherGrant = (grantType: unknown) =>
  typeof grantType === 'string' && grantType.trim() !== '' && grantType !== 'authorization_code'

/** Error response to an invalid request. */
export const refusalOf = (advice: string, fields: Record<string, unknown>) =>
  isOtherGrant(fields.grant_type) ? unsupported() : oauthError('invalid_request', advice)

// Compared if the client is unknown, so that both cases take the same time.
const absentHash = hashOf('unknown client')

/** Exchanges a code for a token. A second use of a code means that it leaked: its token is revoked. */
export async function exchange(
  services: Services,
  address: string,
  params: TokenExchange,
): Promise<{ token: string; at: number }> {
  if (isOtherGrant(params.grantType)) throw unsupported()
  const client = await authenticate(services, address, params)
  const { db, clock } = services
  const at = clock.now()
  const codeHash = hashOf(params.code)
  // Derived from the code, which only the client has: a repeated exchange returns the same token, and only its hash is stored.
  const token = services.vault.derive(`oauth token ${params.code}`).toString('hex')
  const challenge = params.verifier === undefined ? '' : challengeOf(params.verifier)
  const presented = { hash: codeHash, appId: client.id, redirectUri: params.redirectUri, challenge }
  const isGiven = await transaction(db, async (tx) => {
    const grant = await useCode(tx, presented, at)
    if (!grant) return false
    const { companyId, userId, numberIds } = grant
    // If the user was deleted or is no longer an admin, the code is used up without a token.
    if (!(await isAdmin(tx, companyId, userId))) return false
    const row = { appId: client.id, userId, tokenHash: hashOf(token), numberIds, codeHash }
    const tokenId = await insertToken(tx, companyId, row, at)
    await audit(services, tx, companyId, {
      actor: { kind: 'token', id: tokenId },
      action: 'integration.installed',
      target: `integration:${idOf({ kind: 'oauth', row: tokenId })}`,
      details: { app_id: client.id, user_id: userId },
      address,
    })
    return true
  })
  if (isGiven) return { token, at }
  const repeated = await tokenOfRepeat(db, presented, at - repeatableMs)
  if (repeated && sameHash(repeated.tokenHash, hashOf(token))) return { token, at: repeated.createdAt }
  const stolen = await tokenOfCode(db, codeHash, client.id)
  if (stolen)
    await uninstall(services, stolen.companyId, stolen.tokenId, { by: unknownActor, why: 'code_reused', address })
  throw oauthError(
    'invalid_grant',
    'The code is invalid, was used already, is older than 10 minutes, was issued to another app or for another ' +
      'redirect_uri, does not match code_verifier, or the user who granted it is no longer an admin; start again at ' +
      '/oauth/authorize',
  )
}

async function isAdmin(tx: Tx, companyId: CompanyId, userId: number): Promise<boolean> {
  if (!(await findUser(tx, companyId, userId))) return false
  return (await rolesOf(tx, companyId, userId)).some((role) => admins.some((one) => one === role))
}

async function authenticate(services: Services, address: string, { clientId, clientSecret }: TokenExchange) {
  const { db, clients } = services
  const attempt = await clients.attempt<OauthApp>(address, clientId, async () => {
    const client = await findClient(db, clientId)
    const isRight = sameHash(hashOf(clientSecret), client?.secretHash ?? absentHash)
    if (client && isRight) return { kind: 'valid', value: client }
    return { kind: client ? 'invalid' : 'unknown' }
  })
  if (attempt.kind === 'valid') return attempt.value
  if (attempt.kind === 'blocked')
    throw tooManyRequests(
      'Too many wrong client secrets from your address; wait a minute and try again',
      attempt.retryAfterSeconds,
    )
  throw oauthError('invalid_client', 'client_id or client_secret is wrong; check them under Developers > OAuth apps')
}

/** RFC 7636 §4.6. A malformed verifier matches nothing. */
const challengeOf = (verifier: string) =>
  /^[\w.~-]{43,128}$/.test(verifier) ? createHash('sha256').update(verifier, 'ascii').digest('base64url') : 'none'
