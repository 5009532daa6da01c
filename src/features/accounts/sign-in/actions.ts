import { type Tx, transaction } from '../../../db/database.ts'
import type { CompanyId, SignInMethod } from '../../../db/tables.ts'
import { isTimeZone } from '../../../domain/opening-hours.ts'
import { badRequest, forbidden, tooManyRequests } from '../../../http/errors.ts'
import { enqueue } from '../../../jobs/queue.ts'
import { day } from '../../../lib/clock.ts'
import { hashPassword, isPassword } from '../../../lib/passwords.ts'
import { hashOf, randomToken } from '../../../lib/secrets.ts'
import type { Services } from '../../../services.ts'
import { audit, auditAlone, unknownActor, userActor } from '../audit/record.ts'
import { findCompany } from '../companies/store.ts'
import { deleteEndedSessions } from '../credentials/store.ts'
import { queueMail } from '../emails/queue.ts'
import { refreshPresence } from '../presence/actions.ts'
import { isForced, requireNotForced } from '../sso/forced.ts'
import { findTwoStep } from '../two-step/store.ts'
import { requireSecondStep } from '../two-step/verify.ts'
import { findUser, initialTimeZone, insertInvitation, updateUser } from '../users/store.ts'
import { knownOf, requireEstimate, requireRules } from './new-password.ts'
import { sendPasswordNotice } from './notices.ts'
import type { Signed } from './signed-in.ts'
import {
  type Account,
  accountsOf,
  companyOfSession,
  deleteSession,
  deleteSessionsOf,
  findLink,
  insertSession,
  passwordHashOf,
  setPassword,
  spendLinksOf,
  useLink,
} from './store.ts'

export interface NewSession {
  companyId: CompanyId
  userId: number
  /** For the cookie; only its hash is stored. */
  sessionId: string
}

/** Only after the correct password or with a valid link: the response must not reveal accounts. */
export const deactivated = () =>
  forbidden('Your account is deactivated; ask an owner or admin of your company to reactivate it')

const wrong = () => forbidden('The email address or password is incorrect')

/** Verified when the address is unknown, so that both cases take the same time. */
let decoyHash: Promise<string> | undefined

export interface SignInParams {
  email: string
  password: string
  companyId?: number | undefined
  /** The second step, for users who have enabled it. */
  code?: string | undefined
  /** IP address of the request. */
  address: string
  /** The User-Agent header. */
  userAgent: string | undefined
  /** The previous session of the browser. */
  old: string | undefined
}

/** What the list of sessions shows of the sign-in. */
export type Origin = Pick<SignInParams, 'address' | 'userAgent'>

/** A user with accounts in several companies and one password must choose a company. */
export async function signIn(
  services: Services,
  { email, password, companyId, code, address, userAgent, old }: SignInParams,
): Promise<NewSession | { choose: Account[] }> {
  const { signIns } = services
  const wait = await signIns.tried(address, email)
  if (wait !== undefined) throw tooManyRequests('Too many failed sign-ins; wait, or reset your password', wait)
  const accounts = (await accountsOf(services.db, email)).filter(
    (one) => (companyId ?? one.companyId) === one.companyId,
  )
  const mine: Account[] = []
  for (const account of accounts) {
    if (account.passwordHash && (await isPassword(account.passwordHash, password))) mine.push(account)
  }
  if (!accounts.some(({ passwordHash }) => passwordHash !== null)) {
    decoyHash ??= hashPassword(randomToken())
    await isPassword(await decoyHash, password)
  }
  const [first, ...others] = mine.filter(({ active }) => active)
  if (!first && mine.length > 0) {
    await signIns.succeeded(address, email)
    throw deactivated()
  }
  if (!first) {
    noteFailure(services, accounts, address)
    throw wrong()
  }
  await signIns.succeeded(address, email)
  if (others.length > 0) return { choose: [first, ...others] }
  await requireNotForced(services, first.companyId, first.userId)
  await requireSecondStep(services, { companyId: first.companyId, userId: first.userId, code, address })
  return transaction(services.db, async (tx) => {
    const { companyId, userId } = first
    await endPreviousSession(tx, old)
    const entered = await startSession(services, tx, { companyId, userId }, { address, userAgent })
    await audit(services, tx, companyId, { actor: userActor(userId), action: 'sign_in', address })
    return entered
  })
}

/** Ends the previous session of the browser, whichever company it belonged to. */
export async function endPreviousSession(tx: Tx, old: string | undefined): Promise<void> {
  const companyId = old && (await companyOfSession(tx, hashOf(old)))
  if (old && companyId) await deleteSession(tx, companyId, hashOf(old))
}

/** Not awaited: the response time must not reveal whether the address has an account. */
function noteFailure(services: Services, accounts: readonly Account[], address: string): void {
  for (const { companyId, userId } of accounts) {
    const entry = { actor: unknownActor, action: 'sign_in.failed', target: `user:${userId}`, address }
    auditAlone(services, companyId, entry).catch((error) =>
      services.log.error({ event: 'sign_in.not_recorded', error }, 'failed sign-in could not be recorded'),
    )
  }
}

export async function startSession(
  services: Services,
  tx: Tx,
  { companyId, userId, method }: Pick<NewSession, 'companyId' | 'userId'> & { method?: SignInMethod },
  { address, userAgent }: Origin,
): Promise<NewSession> {
  const sessionId = randomToken()
  const at = services.clock.machineNow()
  await deleteEndedSessions(tx, companyId, at)
  await insertSession(tx, companyId, {
    idHash: hashOf(sessionId),
    userId,
    csrfHash: hashOf(csrfOf(services, sessionId)),
    at,
    address,
    ...(userAgent !== undefined && { userAgent }),
    ...(method && { method }),
  })
  return { companyId, userId, sessionId }
}

/** Derived from the session, so that a reloaded page gets the same token. */
export const csrfOf = ({ vault }: Services, sessionId: string) =>
  vault.deriveLasting(`csrf ${sessionId}`).toString('base64url')

const invalidLink = () =>
  badRequest('This link has already been used or is older than 24 hours; request a new one on the sign-in page')

export async function lookAtLink({ db, clock }: Services, token: string) {
  const link = await findLink(db, hashOf(token), clock.now())
  const user = link && (await findUser(db, link.companyId, link.userId))
  if (!link || !user) throw invalidLink()
  if (!user.active) throw deactivated()
  await requireNotForced({ db }, link.companyId, link.userId)
  const company = await findCompany(db, link.companyId)
  const twoStep = await findTwoStep(db, link.companyId, link.userId)
  return { kind: link.kind, user, company, hasTwoStep: twoStep?.isEnabled ?? false }
}

interface LinkOptions extends Origin {
  old: string | undefined
  timeZone?: string | undefined
  code?: string | undefined
}

/** Sets the password of the account the link belongs to; all other sessions and links of the account end. */
export async function acceptLink(
  services: Services,
  token: string,
  password: string,
  { address, userAgent, old, timeZone, code }: LinkOptions,
): Promise<NewSession> {
  const { db, clock } = services
  // The estimate and the hash are expensive, and unnecessary for an invalid link.
  const { user: holder, company } = await lookAtLink(services, token)
  const known = knownOf(holder, company.name)
  requireRules(password, known)
  await requireEstimate(services, password, known)
  await requireSecondStep(services, { companyId: holder.companyId, userId: holder.id, code, address })
  const hash = await hashPassword(password)
  return transaction(db, async (tx) => {
    const link = await useLink(tx, hashOf(token), clock.now())
    const user = link && (await findUser(tx, link.companyId, link.userId))
    if (!link || !user) throw invalidLink()
    if (!user.active) throw deactivated()
    const { companyId, userId } = link
    await setPassword(tx, companyId, userId, hash)
    await spendLinksOf(tx, companyId, userId, clock.now())
    await deleteSessionsOf(tx, companyId, userId)
    await endPreviousSession(tx, old)
    if (!user.confirmed) {
      // At the first sign-in of an invited user the browser names the time zone, unless it was set before.
      const isNamed = timeZone !== undefined && isTimeZone(timeZone) && user.timeZone === initialTimeZone
      const zone = isNamed && { time_zone: timeZone }
      await updateUser(tx, companyId, userId, { confirmed_at: clock.now(), ...zone })
      await refreshPresence(services, tx, companyId, userId)
    }
    const entered = await startSession(services, tx, { companyId, userId }, { address, userAgent })
    if (link.kind === 'reset') await sendPasswordNotice(services, tx, user, company.name)
    const action = link.kind === 'invitation' ? 'invitation.accepted' : 'password.reset'
    await audit(services, tx, companyId, { actor: userActor(userId), action, address })
    return entered
  })
}

export async function signOut(services: Services, { companyId, userId, sessionId, address }: Signed): Promise<void> {
  await transaction(services.db, async (tx) => {
    await deleteSession(tx, companyId, hashOf(sessionId))
    await audit(services, tx, companyId, { actor: userActor(userId), action: 'sign_out', address })
  })
}

export async function signOutEverywhere(services: Services, { companyId, userId, address }: Signed): Promise<void> {
  await transaction(services.db, async (tx) => {
    await deleteSessionsOf(tx, companyId, userId)
    await audit(services, tx, companyId, { actor: userActor(userId), action: 'sign_out.everywhere', address })
  })
}

/** The current session stays valid; all others end, and links that were sent are invalidated. */
export async function changePassword(services: Services, who: Signed, given: { old: string; wanted: string }) {
  const { db, signIns, clock } = services
  const { companyId, userId, sessionId, address } = who
  const user = await findUser(db, companyId, userId)
  if (!user) throw forbidden('Sign in first')
  const company = await findCompany(db, companyId)
  const known = knownOf(user, company.name)
  requireRules(given.wanted, known)
  const key = `user:${userId}`
  const wait = await signIns.tried(address, key)
  if (wait !== undefined) throw tooManyRequests('Too many failed attempts; wait', wait)
  const present = await passwordHashOf(db, companyId, userId)
  if (!present || !(await isPassword(present, given.old))) throw badRequest('`password` is not your current password')
  await signIns.succeeded(address, key)
  await requireEstimate(services, given.wanted, known)
  const hash = await hashPassword(given.wanted)
  await transaction(db, async (tx) => {
    await setPassword(tx, companyId, userId, hash)
    await spendLinksOf(tx, companyId, userId, clock.now())
    await deleteSessionsOf(tx, companyId, userId, hashOf(sessionId))
    await sendPasswordNotice(services, tx, user, company.name)
    await audit(services, tx, companyId, { actor: userActor(userId), action: 'password.changed', address })
  })
}

/**
 * Does not reveal whether the address has an account, not even by its response time: a job looks it up and sends the
 * email.
 */
export async function askForReset({ db, clock, signIns }: Services, email: string, address: string): Promise<void> {
  const wait = await signIns.tried(address, `reset ${email}`)
  if (wait !== undefined) throw tooManyRequests('Too many password reset requests; wait', wait)
  await enqueue(db, 'password.reset', { email }, clock.now())
}

/** The job that sends the link, limited per address. */
export function resetMailer(services: Services) {
  return async ({ email }: { email: string }): Promise<void> => {
    const accounts = (await accountsOf(services.db, email)).filter(({ active }) => active)
    if (accounts.length === 0 || !(await services.signIns.mayBeMailed(email))) return
    for (const account of accounts) await sendResetLink(services, account)
  }
}

async function sendResetLink(services: Services, { companyId, userId }: Account): Promise<void> {
  const { db, clock, links } = services
  await transaction(db, async (tx) => {
    const user = await findUser(tx, companyId, userId)
    if (!user || (await isForced({ db: tx }, companyId, userId))) return
    const token = randomToken()
    const createdAt = clock.now()
    const link = { kind: 'reset' as const, userId, tokenHash: hashOf(token), createdAt, expiresAt: createdAt + day }
    await insertInvitation(tx, companyId, link)
    const company = await findCompany(tx, companyId)
    await queueMail(services, tx, companyId, {
      userId,
      to: user.email,
      subject: `Reset your password for ${company.name}`,
      text:
        `Hello ${user.firstName},\n\nA password reset was requested for your account at ${company.name}. ` +
        `Create a new password:\n\n${links.dashboard}/password/${token}\n\n` +
        'The link works once and expires after 24 hours. If you did not request a reset, ignore this email: your password ' +
        'does not change.\n',
    })
  })
}
