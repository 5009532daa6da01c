import type { Tx } from '../db/database.ts'
import type { CompanyId } from '../db/tables.ts'
import { insertMail } from '../features/accounts/emails/store.ts'
import { usersById } from '../features/accounts/users/store.ts'
import { insertApp, insertToken } from '../features/integrations/oauth/store.ts'
import { defaultSmpp } from '../features/messages/carriers/settings.ts'
import { insertCarrier } from '../features/messages/lines/store.ts'
import { newTrunk } from '../features/trunks/trunks/settings.ts'
import { insertTrunk, trunksOf } from '../features/trunks/trunks/store.ts'
import { day, hour } from '../lib/clock.ts'
import { hashOf, randomId } from '../lib/secrets.ts'
import type { Services } from '../services.ts'

// What a company has besides calls: a SIP trunk, a message carrier, an app and e-mails. Trunk and carrier are disabled, because
// their addresses are fictitious.

/** Skipped if there is a trunk. */
export async function writeConnections(
  { services, tx, at }: { services: Services; tx: Tx; at: number },
  companyId: CompanyId,
  userIds: readonly number[],
): Promise<void> {
  if ((await trunksOf(tx, companyId)).length > 0) return
  const trunk = { ...newTrunk, name: 'Example carrier', host: 'sip.carrier.example', maxCalls: 20, enabled: false }
  await insertTrunk(tx, companyId, trunk, at - 65 * day)
  const settings = { ...defaultSmpp, host: 'smpp.carrier.example', system_id: 'democompany', tls: true, port: 3550 }
  const secretsSealed = services.vault.seal(JSON.stringify({ password: randomId() }))
  const carrier = { name: 'Example SMS carrier', kind: 'smpp' as const, enabled: false, settings, secretsSealed }
  await insertCarrier(tx, companyId, carrier, at - 64 * day)
  await installApp(tx, companyId, userIds[0], at)
  const [owner] = (await usersById(tx, companyId, userIds.slice(0, 1))).values()
  if (!owner) return
  for (const { subject, text, hoursAgo } of emails) {
    const sealed = services.vault.seal(text)
    const mail = { userId: owner.id, recipient: owner.email, subject, textSealed: sealed }
    await insertMail(tx, companyId, mail, at - hoursAgo * hour)
  }
}

/** An app of the company, which it has installed. Its token was given to no client. */
async function installApp(tx: Tx, companyId: CompanyId, userId: number | undefined, at: number): Promise<void> {
  if (userId === undefined) return
  const app = {
    name: 'Example CRM',
    description: 'Shows callers with their orders, and logs calls with their notes.',
    logoUrl: null,
    clientId: randomId(),
    secretHash: hashOf(randomId()),
    installUri: 'https://crm.example.com/install',
    redirectUri: 'https://crm.example.com/callback',
    listed: false,
  }
  const appId = await insertApp(tx, companyId, app, at - 42 * day)
  const unknown = { tokenHash: hashOf(randomId()), codeHash: hashOf(randomId()) }
  await insertToken(tx, companyId, { appId, userId, numberIds: null, ...unknown }, at - 41 * day)
}

const emails = [
  {
    hoursAgo: 20 * 24,
    subject: 'SIP trunk “Example carrier” is down',
    text: 'The SIP trunk “Example carrier” does not respond. Outbound calls over it fail until it is up again.',
  },
  {
    hoursAgo: 20 * 24 - 2,
    subject: 'SIP trunk “Example carrier” is up again',
    text: 'The SIP trunk “Example carrier” responds again. Calls over it work.',
  },
]
