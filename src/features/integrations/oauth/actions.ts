import { createHash } from 'node:crypto'
import { type Tx, transaction } from '../../../db/database.ts'
import type { CompanyId, Flag } from '../../../db/tables.ts'
import { badRequest, notFound, oauthError, tooManyRequests } from '../../../http/errors.ts'
import { enqueue } from '../../../jobs/queue.ts'
import { minute } from '../../../lib/clock.ts'
import { hashOf, randomId, randomToken, sameHash } from '../../../lib/secrets.ts'
import type { Services } from '../../../services.ts'
import {
  type Actor,
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

const most = 100
const codeLifetime = 10 * minute
/** A client that lost the answer may repeat the exchange for this long. */
const repeatableMs = minute

export interface Author {
  companyId: CompanyId
  actor: Actor
  address: string
}

export interface AppParams {
  name: string
  description: string
  logoUrl: string | null
  installUri: string
  redirectUri: string
  listed: boolean
}

/** Registers a partner's app; its secret is told once. */
export async function registerApp(
  services: Services,
  { companyId, actor, address }: Author,
  params: AppParams,
): Promise<{ app: OauthApp; secret: string }> {
  requireAddresses(services, params)
  const secret = randomToken()
  const app = await transaction(services.db, async (tx) => {
    await lockCompany(tx, companyId)
    if ((await listApps(tx, companyId)).length >= most)
      throw badRequest(`A company has at most ${most} apps; delete one first`)
    const row = { ...params, clientId: randomId(), secretHash: hashOf(secret) }
    const id = await insertApp(tx, companyId, row, services.clock.now())
    const made = await findApp(tx, companyId, id)
    if (!made) throw new Error('an app that was just written is there')
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

/** The one before is refused from the next request on. */
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

/** Its tokens are refused at once; it is removed from the companies that have it by a job. */
export async function deleteApp(services: Services, { companyId, actor, address }: Author, id: number): Promise<void> {
  const at = services.clock.now()
  await transaction(services.db, async (tx) => {
    if (!(await markAppDeleted(tx, companyId, id, at))) throw notFound()
    await enqueue(tx, 'oauth.clear', { appId: id }, at, `oauth.clear:${id}`)
    // Once more: a code may be exchanged by somebody who has seen the app as it was.
    await enqueue(tx, 'oauth.clear', { appId: id }, at + minute, `oauth.clear.again:${id}`)
    await audit(services, tx, companyId, { actor, action: 'oauth_app.deleted', target: `oauth_app:${id}`, address })
  })
}

const some = 100

/** The job that follows. */
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
    const issue = outbound.flawOf(url) ?? (/^[!-~]+$/.test(url) ? undefined : 'must be written in ASCII')
    if (issue) throw badRequest(`\`${name}\` ${issue}`)
  }
}

export interface Decision {
  /** The query with which the app sent the person here. */
  search: string
  allow: boolean
  /** Null: all Numbers. */
  numberIds: number[] | null
}

/** Where to send the person now that they have decided. */
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
      throw badRequest('`number_ids` names a Number that the company does not have')
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

export interface Exchange {
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

/** How a request that cannot be read is told. */
export const refusalOf = (advice: string, fields: Record<string, unknown>) =>
  isOtherGrant(fields.grant_type) ? unsupported() : oauthError('invalid_request', advice)

// Compared when the client is unknown, so that both cases cost the same.
const nobody = hashOf('nobody')

/** A code for a token. A code that comes a second time was stolen, by whom nobody can tell: the token it gave is revoked. */
export async function exchange(
  services: Services,
  address: string,
  params: Exchange,
): Promise<{ token: string; at: number }> {
  if (isOtherGrant(params.grantType)) throw unsupported()
  const client = await authenticate(services, address, params)
  const { db, clock } = services
  const at = clock.now()
  const codeHash = hashOf(params.code)
  // Follows from the code, which only the client holds: a repeated exchange gets it again, and its hash is all we store.
  const token = services.vault.derive(`oauth token ${params.code}`).toString('hex')
  const challenge = params.verifier === undefined ? '' : challengeOf(params.verifier)
  const presented = { hash: codeHash, appId: client.id, redirectUri: params.redirectUri, challenge }
  const isGiven = await transaction(db, async (tx) => {
    const grant = await useCode(tx, presented, at)
    if (!grant) return false
    const { companyId, userId, numberIds } = grant
    // Whoever is gone, or no admin any more, could not have allowed it now: the code is spent, and gives nothing.
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
    'The code is wrong, was used already, is older than 10 minutes, was given to another app or with another ' +
      'redirect_uri, code_verifier does not fit it, or whoever allowed it is no admin any more; start again at ' +
      '/oauth/authorize',
  )
}

async function isAdmin(tx: Tx, companyId: CompanyId, userId: number): Promise<boolean> {
  if (!(await findUser(tx, companyId, userId))) return false
  return (await rolesOf(tx, companyId, userId)).some((role) => admins.some((one) => one === role))
}

async function authenticate(services: Services, address: string, { clientId, clientSecret }: Exchange) {
  const { db, clients } = services
  const attempt = await clients.attempt<OauthApp>(address, clientId, async () => {
    const client = await findClient(db, clientId)
    const isRight = sameHash(hashOf(clientSecret), client?.secretHash ?? nobody)
    if (client && isRight) return { outcome: 'valid', value: client }
    return { outcome: client ? 'invalid' : 'unknown' }
  })
  if (attempt.outcome === 'valid') return attempt.value
  if (attempt.outcome === 'blocked')
    throw tooManyRequests('Too many wrong client secrets from your address; wait', attempt.retryAfterSeconds)
  throw oauthError('invalid_client', 'client_id or client_secret is wrong; check them under Developers, OAuth apps')
}

/** RFC 7636 §4.6. One of the wrong form fits nothing. */
const challengeOf = (verifier: string) =>
  /^[\w.~-]{43,128}$/.test(verifier) ? createHash('sha256').update(verifier, 'ascii').digest('base64url') : 'none'
