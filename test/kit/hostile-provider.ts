import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { exportJWK, generateKeyPair, type JWTPayload, SignJWT } from 'jose'
import { onTestFinished } from 'vitest'

// An OpenID Connect provider that signs whatever a test wants.

export interface ProviderStandIn {
  issuer: string
  /** Claims that replace those of a correct id token; undefined removes one. */
  claims: Record<string, unknown>
  /** Requests to the token endpoint: body and Authorization header. */
  exchanges: { body: URLSearchParams; authorization: string | undefined }[]
  /** Signs with a key that is not published. */
  signsWithOtherKey: boolean
  /** Issuer in the discovery document; defaults to the right one. */
  namedIssuer: string | undefined
  /** The nonce of the sign-in in progress. */
  nonce: string
  now: () => number
}

export async function providerStandIn(now: () => number): Promise<ProviderStandIn> {
  const [key, other] = [await generateKeyPair('RS256'), await generateKeyPair('RS256')]
  const jwk = { ...(await exportJWK(key.publicKey)), kid: 'one', alg: 'RS256', use: 'sig' }
  const standIn: ProviderStandIn = {
    issuer: '',
    claims: {},
    exchanges: [],
    signsWithOtherKey: false,
    namedIssuer: undefined,
    nonce: '',
    now,
  }
  async function idToken(): Promise<string> {
    const at = Math.floor(standIn.now() / 1_000)
    const correct = {
      iss: standIn.issuer,
      sub: 'subject-1',
      aud: 'phone',
      iat: at,
      exp: at + 300,
      nonce: standIn.nonce,
      email: 'ada@example.test',
      email_verified: true,
      given_name: 'Ada',
      family_name: 'Byron',
    }
    const payload: JWTPayload = JSON.parse(JSON.stringify({ ...correct, ...standIn.claims }))
    const signer = standIn.signsWithOtherKey ? other : key
    return new SignJWT(payload).setProtectedHeader({ alg: 'RS256', kid: 'one' }).sign(signer.privateKey)
  }
  const server = createServer(async (request, response) => {
    const { issuer } = standIn
    const send = (body: unknown) => {
      response.writeHead(200, { 'content-type': 'application/json' })
      response.end(JSON.stringify(body))
    }
    if (request.url === '/.well-known/openid-configuration') {
      return send({
        issuer: standIn.namedIssuer ?? issuer,
        authorization_endpoint: `${issuer}/auth`,
        token_endpoint: `${issuer}/token`,
        jwks_uri: `${issuer}/keys`,
      })
    }
    if (request.url === '/keys') return send({ keys: [jwk] })
    let body = ''
    for await (const chunk of request) body += chunk
    standIn.exchanges.push({ body: new URLSearchParams(body), authorization: request.headers.authorization })
    send({ access_token: 'x', token_type: 'Bearer', id_token: await idToken() })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close())
  standIn.issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return standIn
}
