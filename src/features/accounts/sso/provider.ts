import { createHash } from 'node:crypto'
import { createLocalJWKSet, errors, type JWTPayload, jwtVerify } from 'jose'
import { isRecord } from '../../../domain/flow/fields.ts'
import { minute, second } from '../../../lib/clock.ts'
import type { Services } from '../../../services.ts'

// The provider as OpenID Connect Discovery, Core and RFC 7636 describe it. All requests go through the checks of
// addresses that customers configure.

/** A sentence for the user or the owner: what the provider did wrong, without its content. */
export class ProviderError extends Error {}

export interface Provider {
  issuer: string
  authorizationEndpoint: string
  tokenEndpoint: string
  userinfoEndpoint: string | undefined
  jwksUri: string
  /** RFC 8414 §2: without a list the client sends its secret by HTTP Basic. */
  sendsSecretInBody: boolean
}

type Reach = Pick<Services, 'outbound' | 'clock'>

const timeoutMs = 10 * second
const maxBytes = 256 * 1024
const keepMs = 5 * minute
const maxKept = 500
const kept = new Map<string, { provider: Provider; until: number }>()

/** From a copy of the last minutes, or from the provider. */
export async function knownProvider(services: Reach, companyId: number, issuer: string): Promise<Provider> {
  const now = services.clock.machineNow()
  const known = kept.get(issuer)
  if (known && known.until > now && known.until <= now + keepMs) return known.provider
  const provider = await discoverProvider(services, companyId, issuer)
  if (kept.size >= maxKept) kept.clear()
  kept.set(issuer, { provider, until: now + keepMs })
  return provider
}

/** OpenID Connect Discovery 1.0 §4. */
export async function discoverProvider(services: Reach, companyId: number, issuer: string): Promise<Provider> {
  const url = `${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`
  const found = await getJson(services, companyId, url, 'its configuration')
  // §4.3: otherwise one provider could pose as another.
  if (found.issuer !== issuer) {
    throw new ProviderError(`The configuration at ${url} names another issuer: ${String(found.issuer).slice(0, 200)}`)
  }
  const endpoint = (name: string): string => {
    const value = found[name]
    if (typeof value !== 'string') throw new ProviderError(`The configuration of the provider lacks ${name}`)
    const problem = services.outbound.urlProblem(value)
    if (problem) throw new ProviderError(`The provider's ${name} cannot be used: ${problem}`)
    return value
  }
  const methods = found.token_endpoint_auth_methods_supported
  return {
    issuer,
    authorizationEndpoint: endpoint('authorization_endpoint'),
    tokenEndpoint: endpoint('token_endpoint'),
    userinfoEndpoint: found.userinfo_endpoint === undefined ? undefined : endpoint('userinfo_endpoint'),
    jwksUri: endpoint('jwks_uri'),
    sendsSecretInBody:
      Array.isArray(methods) && methods.includes('client_secret_post') && !methods.includes('client_secret_basic'),
  }
}

export interface AuthorizationRequest {
  clientId: string
  redirectUri: string
  state: string
  nonce: string
  verifier: string
  /** Fills in the account at the provider. */
  email?: string | undefined
}

export function authorizationUrl({ authorizationEndpoint }: Provider, request: AuthorizationRequest): string {
  const url = new URL(authorizationEndpoint)
  const { clientId, redirectUri, state, nonce, verifier, email } = request
  const parameters = {
    response_type: 'code',
    client_id: clientId,
    redirect_uri: redirectUri,
    scope: 'openid email profile',
    state,
    nonce,
    code_challenge: createHash('sha256').update(verifier).digest('base64url'),
    code_challenge_method: 'S256',
    ...(email && { login_hint: email }),
  }
  for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value)
  return url.href
}

export interface CodeExchange {
  companyId: number
  clientId: string
  clientSecret: string | undefined
  redirectUri: string
  code: string
  verifier: string
  nonce: string
}

/** Exchanges the code, and returns the claims of the verified id token, completed by the userinfo endpoint. */
export async function claimsOf(services: Reach, provider: Provider, exchange: CodeExchange): Promise<JWTPayload> {
  const tokens = await exchangeCode(services, provider, exchange)
  if (typeof tokens.id_token !== 'string') throw new ProviderError('The provider sent no id_token')
  const claims = await verified(services, provider, exchange, tokens.id_token)
  if (claims.email !== undefined || !provider.userinfoEndpoint || typeof tokens.access_token !== 'string') return claims
  const headers = { authorization: `Bearer ${tokens.access_token}` }
  const info = await getJson(services, exchange.companyId, provider.userinfoEndpoint, 'the user', headers)
  // Core §5.3.2: the response may be one for another user.
  if (info.sub !== claims.sub) throw new ProviderError('The provider described another user than the one it signed in')
  return { ...info, ...claims }
}

async function exchangeCode(services: Reach, provider: Provider, exchange: CodeExchange) {
  const { clientId, clientSecret, redirectUri, code, verifier } = exchange
  const isInBody = provider.sendsSecretInBody || clientSecret === undefined
  const body = new URLSearchParams({
    grant_type: 'authorization_code',
    code,
    redirect_uri: redirectUri,
    code_verifier: verifier,
    ...(isInBody && { client_id: clientId }),
    ...(isInBody && clientSecret !== undefined && { client_secret: clientSecret }),
  })
  // RFC 6749 §2.3.1: both parts are form-encoded first.
  const basic = `${encodeURIComponent(clientId)}:${encodeURIComponent(clientSecret ?? '')}`
  const { status, extent, bytes, problem } = await services.outbound.exchange({
    pool: `sso ${exchange.companyId}`,
    url: provider.tokenEndpoint,
    headers: {
      'content-type': 'application/x-www-form-urlencoded',
      accept: 'application/json',
      ...(!isInBody && { authorization: `Basic ${Buffer.from(basic).toString('base64')}` }),
    },
    body: body.toString(),
    timeoutMs,
    maxBytes,
  })
  const answer = extent === 'whole' ? parsed(bytes) : undefined
  if (status === 200 && answer) return answer
  const code_ = typeof answer?.error === 'string' ? answer.error : (problem ?? `status ${status}`)
  throw new ProviderError(`The provider did not accept the sign-in (${String(code_).slice(0, 100)})`)
}

/** Core §3.1.3.7. Symmetric signatures and `none` are not accepted. */
async function verified(services: Reach, provider: Provider, exchange: CodeExchange, token: string) {
  const keys = await getJson(services, exchange.companyId, provider.jwksUri, 'its keys')
  if (!Array.isArray(keys.keys)) throw new ProviderError('The keys of the provider cannot be read')
  let payload: JWTPayload
  try {
    const result = await jwtVerify(token, createLocalJWKSet({ keys: keys.keys }), {
      issuer: provider.issuer,
      audience: exchange.clientId,
      algorithms: ['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512', 'ES256', 'ES384', 'ES512', 'EdDSA', 'Ed25519'],
      requiredClaims: ['sub', 'exp', 'iat', 'nonce'],
      currentDate: new Date(services.clock.machineNow()),
      clockTolerance: 60,
    })
    payload = result.payload
  } catch (error) {
    throw new ProviderError(problemOfToken(error))
  }
  if (payload.nonce !== exchange.nonce) throw new ProviderError('The token of the provider is for another sign-in')
  const isShared = Array.isArray(payload.aud) && payload.aud.length > 1
  if ((isShared || payload.azp !== undefined) && payload.azp !== exchange.clientId) {
    throw new ProviderError('The token of the provider is for another application')
  }
  return payload
}

function problemOfToken(error: unknown): string {
  if (error instanceof errors.JWTExpired) return 'The token of the provider has expired; check the clock of the server'
  if (error instanceof errors.JWTClaimValidationFailed) {
    if (error.claim === 'aud') return 'The token of the provider is for another application'
    if (error.claim === 'iss') return 'The token comes from another issuer'
    return `The token of the provider has a wrong or missing claim: ${error.claim}`
  }
  return 'The signature of the token could not be verified'
}

async function getJson(
  { outbound }: Reach,
  companyId: number,
  url: string,
  what: string,
  headers: Record<string, string> = {},
): Promise<Record<string, unknown>> {
  const request = { pool: `sso ${companyId}`, url, headers: { accept: 'application/json', ...headers } }
  const { status, extent, bytes, problem } = await outbound.get({ ...request, timeoutMs, maxBytes })
  if (status !== 200 || extent !== 'whole') {
    throw new ProviderError(`The provider did not return ${what} (${problem ?? `status ${status}`}): ${url}`)
  }
  const document = parsed(bytes)
  if (!document) throw new ProviderError(`The provider did not return JSON for ${what}: ${url}`)
  return document
}

function parsed(bytes: Buffer): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(bytes.toString('utf8'))
    return isRecord(value) ? value : undefined
  } catch {
    return undefined
  }
}
