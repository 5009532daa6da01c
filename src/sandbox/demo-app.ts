import type { CompanyId } from '../db/tables.ts'
import { findClient, insertApp, listApps, updateApp } from '../features/integrations/oauth/store.ts'
import { hashOf, randomId, randomToken, sameHash } from '../lib/secrets.ts'
import type { Services } from '../services.ts'

/** Credentials that a partner would receive. */
export interface DemoApp {
  client_id: string
  client_secret: string
  redirect_uri: string
}

const redirectUri = 'http://127.0.0.1:4780/callback'

/** Ensures the OAuth demo app; replaces it if the file with its secret is gone. */
export async function ensureDemoApp(
  { db, clock }: Services,
  companyId: CompanyId,
  known: DemoApp | undefined,
): Promise<DemoApp> {
  const client = known && (await findClient(db, known.client_id))
  if (client && sameHash(hashOf(known.client_secret), client.secretHash)) {
    return { client_id: client.clientId, client_secret: known.client_secret, redirect_uri: client.redirectUri }
  }
  const secret = randomToken()
  const earlier = (await listApps(db, companyId)).find((app) => app.redirectUri === redirectUri)
  if (earlier) await updateApp(db, companyId, earlier.id, { secret_hash: hashOf(secret) })
  const clientId = earlier?.clientId ?? randomId()
  if (!earlier) {
    const app = {
      name: 'Demo CRM',
      description: 'Demo app for OAuth: run your own program on 127.0.0.1:4780 with the secret from demo.json.',
      logoUrl: null,
      clientId,
      secretHash: hashOf(secret),
      installUri: 'http://127.0.0.1:4780/install',
      redirectUri,
      listed: true,
    }
    await insertApp(db, companyId, app, clock.now())
  }
  return { client_id: clientId, client_secret: secret, redirect_uri: redirectUri }
}
