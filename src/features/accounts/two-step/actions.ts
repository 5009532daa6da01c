import { type Tx, transaction } from '../../../db/database.ts'
import type { CompanyId } from '../../../db/tables.ts'
import { badRequest, forbidden, tooManyRequests } from '../../../http/errors.ts'
import { isPassword } from '../../../lib/passwords.ts'
import { newTotpSecret, stepOfCode, totpUri } from '../../../lib/totp.ts'
import type { Services } from '../../../services.ts'
import { type AuditEntry, audit, userActor } from '../audit/record.ts'
import { findCompany, updateCompany } from '../companies/store.ts'
import { sendSecurityNotice } from '../sign-in/notices.ts'
import type { Signed } from '../sign-in/signed-in.ts'
import { deleteSessionsOf, passwordHashOf } from '../sign-in/store.ts'
import { findUser, type User } from '../users/store.ts'
import {
  deleteTwoStep,
  enableTwoStep,
  findTwoStep,
  isTwoStepRequired,
  replaceRecoveryCodes,
  savePendingSecret,
  spendStep,
} from './store.ts'
import { newRecoveryCodes, recoveryHash, requireSecondStep } from './verify.ts'

const alreadyOn = () => badRequest('Two-step verification is already enabled; disable it first')

/** Creates a secret; it counts once `confirmTwoStep` has received a code made with it. */
export async function beginTwoStep(services: Services, who: Signed, password: string) {
  const { db, clock, vault } = services
  const { companyId, userId } = who
  await requirePassword(services, who, password)
  const secret = newTotpSecret()
  const pending = { userId, secretSealed: vault.seal(secret), at: clock.now() }
  if (!(await savePendingSecret(db, companyId, pending))) throw alreadyOn()
  const { email: account } = await userOf(services, who)
  return { secret, uri: totpUri(secret, { issuer: `Hookswitch ${(await findCompany(db, companyId)).name}`, account }) }
}

/** Returns the recovery codes, which are shown this once. */
export async function confirmTwoStep(services: Services, who: Signed, code: string): Promise<string[]> {
  const { db, clock, vault, signIns } = services
  const { companyId, userId, address } = who
  const pending = await findTwoStep(db, companyId, userId)
  if (!pending) throw badRequest('Start the set-up first')
  if (pending.isEnabled) throw alreadyOn()
  const counted = await signIns.codeTried(userId)
  if ('wait' in counted) throw tooManyRequests('Too many wrong codes; wait before the next try', counted.wait)
  const { secretSealed } = pending
  const step = stepOfCode(vault.open(secretSealed), code.replaceAll(/\s/g, ''), clock.machineNow())
  if (step === undefined)
    throw badRequest('`code` is incorrect; check the time of your phone and enter the current code')
  await signIns.codeSucceeded(userId)
  const user = await userOf(services, who)
  return transaction(db, async (tx) => {
    if (!(await enableTwoStep(tx, companyId, { userId, secretSealed, at: clock.now() }))) throw alreadyOn()
    await spendStep(tx, companyId, userId, step)
    const codes = await writeRecoveryCodes(services, tx, user)
    await notice(services, tx, user, 'Two-step verification was enabled')
    await audit(services, tx, companyId, { actor: userActor(userId), action: 'two_step.enabled', address })
    return codes
  })
}

export interface Proof {
  password: string
  code: string
}

export async function renewRecoveryCodes(services: Services, who: Signed, proof: Proof): Promise<string[]> {
  const { companyId, userId, address } = who
  await requireProof(services, who, proof)
  const user = await userOf(services, who)
  return transaction(services.db, async (tx) => {
    const codes = await writeRecoveryCodes(services, tx, user)
    await notice(services, tx, user, 'New recovery codes were created')
    await audit(services, tx, companyId, { actor: userActor(userId), action: 'recovery_codes.created', address })
    return codes
  })
}

export async function disableTwoStep(services: Services, who: Signed, proof: Proof): Promise<void> {
  const { companyId, userId, address } = who
  if (await isTwoStepRequired(services.db, companyId)) throw forbidden('Your company requires two-step verification')
  await requireProof(services, who, proof)
  const user = await userOf(services, who)
  await transaction(services.db, async (tx) => {
    await deleteTwoStep(tx, companyId, userId)
    await notice(services, tx, user, 'Two-step verification was disabled')
    await audit(services, tx, companyId, { actor: userActor(userId), action: 'two_step.disabled', address })
  })
}

/** For a user who has lost phone and recovery codes. All sessions of the user end. */
export async function resetTwoStep(
  services: Services,
  user: User,
  by: Pick<AuditEntry, 'actor' | 'address'>,
): Promise<boolean> {
  const { companyId, id } = user
  return transaction(services.db, async (tx) => {
    if (!(await deleteTwoStep(tx, companyId, id))) return false
    await deleteSessionsOf(tx, companyId, id)
    await notice(services, tx, user, 'Two-step verification was reset')
    await audit(services, tx, companyId, { ...by, action: 'two_step.reset', target: `user:${id}` })
    return true
  })
}

/** Only an admin who uses two-step verification can require it of all users. */
export async function setTwoStepRequired(services: Services, who: Signed, isRequired: boolean): Promise<void> {
  const { companyId, userId, address } = who
  const own = await findTwoStep(services.db, companyId, userId)
  if (isRequired && !own?.isEnabled) {
    throw badRequest('`two_step_required`: set up two-step verification for your own account first')
  }
  await transaction(services.db, async (tx) => {
    await updateCompany(tx, companyId, { two_step_required: isRequired ? 1 : 0 })
    const action = isRequired ? 'two_step.required' : 'two_step.optional'
    await audit(services, tx, companyId, { actor: userActor(userId), action, address })
  })
}

async function requireProof(services: Services, who: Signed, { password, code }: Proof): Promise<void> {
  const { companyId, userId, address } = who
  const own = await findTwoStep(services.db, companyId, userId)
  if (!own?.isEnabled) throw badRequest('Two-step verification is not enabled')
  await requirePassword(services, who, password)
  await requireSecondStep(services, { companyId, userId, code, address })
}

/** A stolen session alone must not change how its user signs in. */
export async function requirePassword({ db, signIns }: Services, who: Signed, password: string): Promise<void> {
  const { companyId, userId, address } = who
  const key = `user:${userId}`
  const wait = await signIns.tried(address, key)
  if (wait !== undefined) throw tooManyRequests('Too many failed attempts; wait', wait)
  const present = await passwordHashOf(db, companyId, userId)
  if (!present || !(await isPassword(present, password))) throw badRequest('`password` is not your current password')
  await signIns.succeeded(address, key)
}

async function userOf(
  { db }: Services,
  { companyId, userId }: { companyId: CompanyId; userId: number },
): Promise<User> {
  const user = await findUser(db, companyId, userId)
  if (!user) throw forbidden('Sign in first')
  return user
}

async function writeRecoveryCodes(services: Services, tx: Tx, { companyId, id }: User): Promise<string[]> {
  const codes = newRecoveryCodes()
  const hashes = codes.map((code) => recoveryHash(services, id, code.replace('-', '')))
  await replaceRecoveryCodes(tx, companyId, id, hashes)
  return codes
}

async function notice(services: Services, tx: Tx, user: User, what: string): Promise<void> {
  const { name } = await findCompany(tx, user.companyId)
  await sendSecurityNotice(services, tx, user, {
    subject: `${what} at ${name}`,
    what: `${what} for your account at ${name}.`,
  })
}
