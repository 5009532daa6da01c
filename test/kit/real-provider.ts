import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import Provider from 'oidc-provider'
import { onTestFinished } from 'vitest'

// A certified OpenID Connect provider on loopback. Its sign-in form takes any password; the login is the account.

export interface RealProvider {
  issuer: string
  /** Claims by login. */
  accounts: Record<string, Record<string, unknown>>
}

export async function realProvider(redirectUri: string, accounts: RealProvider['accounts']): Promise<RealProvider> {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const provider = new Provider(issuer, {
    clients: [
      {
        client_id: 'phone',
        client_secret: 'a secret of the client for tests',
        redirect_uris: [redirectUri],
        grant_types: ['authorization_code'],
        response_types: ['code'],
      },
    ],
    claims: {
      openid: ['sub'],
      email: ['email', 'email_verified'],
      profile: ['name', 'given_name', 'family_name', 'groups'],
    },
    pkce: { required: () => true },
    cookies: { keys: ['a key for tests'] },
    findAccount: (_context: unknown, id: string) => ({
      accountId: id,
      claims: () => ({ sub: id, ...accounts[id] }),
    }),
  })
  server.on('request', provider.callback())
  return { issuer, accounts }
}
