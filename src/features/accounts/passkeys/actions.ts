import type { AuthenticationResponseJSON, RegistrationResponseJSON } from '@simplewebauthn/server'
import { transaction } from '../../../db/database.ts'
import { badRequest, forbidden } from '../../../http/errors.ts'
import { minute } from '../../../lib/clock.ts'
import { hashOf } from '../../../lib/secrets.ts'
import type { Services } from '../../../services.ts'
import { audit, userActor } from '../audit/record.ts'
import { findCompany } from '../companies/store.ts'
import { deactivated, endPreviousSession, type NewSession, type Origin, startSession } from '../sign-in/actions.ts'
import { sendSecurityNotice } from '../sign-in/notices.ts'
import type { Signed } from '../sign-in/signed-in.ts'
import { passwordHashOf } from '../sign-in/store.ts'
import { requireNotForced } from '../sso/forced.ts'
import { requirePassword } from '../two-step/actions.ts'
import { findUser } from '../users/store.ts'
import {
  deleteOldChallenges,
  deletePasskey,
  insertChallenge,
  insertPasskey,
  notePasskeyUsed,
  type Passkey,
  passkeyByCredential,
  passkeysOf,
  takeChallenge,
} from './store.ts'

const challengeMs = 5 * minute
const maxPasskeys = 20

/** Loaded on demand: its certificate parsers are a tenth of the code of a start, and few requests are about passkeys. */
const webAuthn = () => import('@simplewebauthn/server')

/** WebAuthn binds a passkey to the host of the dashboard. */
function relyingParty({ links }: Services): { rpID: string; origin: string } {
  const { hostname, origin } = new URL(links.dashboard)
  return { rpID: hostname, origin }
}

/** A stolen session alone must not add a passkey. Users of single sign-on may have no password. */
export async function passkeyOptions(services: Services, who: Signed, password: string | undefined) {
  const { db, clock, vault } = services
  const { companyId, userId } = who
  await requireNotForced(services, companyId, userId)
  if ((await passwordHashOf(db, companyId, userId)) !== null) await requirePassword(services, who, password ?? '')
  const user = await findUser(db, companyId, userId)
  if (!user) throw forbidden('Sign in first')
  const known = await passkeysOf(db, companyId, userId)
  if (known.length >= maxPasskeys) throw badRequest(`You already have ${maxPasskeys} passkeys; remove one first`)
  const { generateRegistrationOptions } = await webAuthn()
  const options = await generateRegistrationOptions({
    rpName: 'Hookswitch',
    rpID: relyingParty(services).rpID,
    userName: user.email,
    userDisplayName: `${user.firstName} ${user.lastName}`.trim(),
    userID: new Uint8Array(vault.deriveLasting(`passkey user ${userId}`)),
    attestationType: 'none',
    excludeCredentials: known.map(({ credentialId }) => ({ id: credentialId })),
    authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
  })
  await saveChallenge(services, options.challenge, { companyId, userId }, clock.machineNow())
  return options
}

async function saveChallenge(
  { db }: Services,
  challenge: string,
  whose: { companyId: number; userId: number } | null,
  now: number,
) {
  await deleteOldChallenges(db, now)
  await insertChallenge(db, { hash: hashOf(challenge), whose }, now + challengeMs)
}

export async function addPasskey(
  services: Services,
  who: Signed,
  { response, name }: { response: RegistrationResponseJSON; name: string },
): Promise<Passkey> {
  const { db, clock } = services
  const { companyId, userId, address } = who
  const { rpID, origin } = relyingParty(services)
  const { verifyRegistrationResponse } = await webAuthn()
  const verified = await verifyRegistrationResponse({
    response,
    expectedChallenge: (challenge) =>
      takeChallenge(db, { hash: hashOf(challenge), whose: { companyId, userId } }, clock.machineNow()),
    expectedOrigin: origin,
    expectedRPID: rpID,
    requireUserVerification: true,
  }).catch(() => undefined)
  if (!verified?.verified) throw badRequest('`response` is not one to a request of this session; try again')
  const { credential, credentialBackedUp } = verified.registrationInfo
  const user = await findUser(db, companyId, userId)
  if (!user) throw forbidden('Sign in first')
  if (await passkeyByCredential(db, credential.id)) throw badRequest('This passkey is already in use')
  return transaction(db, async (tx) => {
    const made = await insertPasskey(tx, companyId, userId, {
      credentialId: credential.id,
      publicKey: Buffer.from(credential.publicKey).toString('base64url'),
      counter: credential.counter,
      transports: response.response.transports ?? [],
      name,
      synced: credentialBackedUp,
      createdAt: clock.now(),
    })
    const { name: company } = await findCompany(tx, companyId)
    await sendSecurityNotice(services, tx, user, {
      subject: `A passkey was added at ${company}`,
      what: `The passkey "${name}" was added to your account at ${company}.`,
    })
    await audit(services, tx, companyId, { actor: userActor(userId), action: 'passkey.added', address })
    return made
  })
}

export async function removePasskey(services: Services, who: Signed, passkey: Passkey): Promise<void> {
  const { companyId, userId, address } = who
  await transaction(services.db, async (tx) => {
    await deletePasskey(tx, companyId, passkey.id)
    await audit(services, tx, companyId, { actor: userActor(userId), action: 'passkey.removed', address })
  })
}

/** For any passkey of this host: the response tells which one. */
export async function passkeySignInOptions(services: Services) {
  const { rpID } = relyingParty(services)
  const { generateAuthenticationOptions } = await webAuthn()
  const options = await generateAuthenticationOptions({ rpID, userVerification: 'required' })
  await saveChallenge(services, options.challenge, null, services.clock.machineNow())
  return options
}

const refused = () => forbidden('This passkey is not known here, or the request has expired; try again')

/** Possession and PIN or biometrics: a passkey is both steps of the sign-in. */
export async function signInWithPasskey(
  services: Services,
  response: AuthenticationResponseJSON,
  { address, userAgent, old }: Origin & { old: string | undefined },
): Promise<NewSession> {
  const { db, clock } = services
  const found = await passkeyByCredential(db, response.id)
  if (!found) throw refused()
  const { companyId, userId, passkey } = found
  const { rpID, origin } = relyingParty(services)
  const { verifyAuthenticationResponse } = await webAuthn()
  const verified = await verifyAuthenticationResponse({
    response,
    expectedChallenge: (challenge) => takeChallenge(db, { hash: hashOf(challenge), whose: null }, clock.machineNow()),
    expectedOrigin: origin,
    expectedRPID: rpID,
    requireUserVerification: true,
    credential: {
      id: passkey.credentialId,
      publicKey: new Uint8Array(Buffer.from(passkey.publicKey, 'base64url')),
      counter: passkey.counter,
    },
  }).catch(() => undefined)
  if (!verified?.verified) throw refused()
  const user = await findUser(db, companyId, userId)
  if (!user) throw refused()
  if (!user.active) throw deactivated()
  await requireNotForced(services, companyId, userId)
  return transaction(db, async (tx) => {
    const { newCounter: counter } = verified.authenticationInfo
    await notePasskeyUsed(tx, companyId, { id: passkey.id, counter, at: clock.now() })
    await endPreviousSession(tx, old)
    const entered = await startSession(services, tx, { companyId, userId, method: 'passkey' }, { address, userAgent })
    const details = { method: 'passkey' }
    await audit(services, tx, companyId, { actor: userActor(userId), action: 'sign_in', details, address })
    return entered
  })
}
