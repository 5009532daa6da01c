import { type Tx, transaction } from '../../../db/database.ts'
import { notify } from '../../../db/dialect.ts'
import { isDuplicate } from '../../../db/errors.ts'
import type { CompanyId, Role } from '../../../db/tables.ts'
import type { AvailabilityStatus } from '../../../domain/availability.ts'
import { notFound, unprocessable } from '../../../http/errors.ts'
import { cancelJob, enqueue } from '../../../jobs/queue.ts'
import { day } from '../../../lib/clock.ts'
import { hashOf, randomToken } from '../../../lib/secrets.ts'
import type { Services } from '../../../services.ts'
import { publish } from '../../publishing/index.ts'
import { type AuditEntry, audit } from '../audit/record.ts'
import { findCompany } from '../companies/store.ts'
import { queueMail } from '../emails/queue.ts'
import { removeTarget } from '../numbers/store.ts'
import { presenceChannel } from '../presence/actions.ts'
import { sessionsChannel } from '../sign-in/store.ts'
import {
  findUser,
  initialTimeZone,
  insertInvitation,
  insertUser,
  isEmailTaken,
  isLastOwner,
  lockUser,
  markUsersDeleted,
  type User,
  updateUser,
} from './store.ts'

export interface Invitation {
  email: string
  firstName: string
  lastName: string
  status: AvailabilityStatus
  roles: readonly Role[]
  wrapUpTime: number
}

type Author = Pick<AuditEntry, 'actor' | 'address'>

const emailTaken = () => unprocessable('`email` is already used in the company')

/** Creates the user, queues the invitation and publishes the events in one transaction. */
export async function inviteUser(services: Services, companyId: CompanyId, input: Invitation, by: Author) {
  return added(services, async (tx) => {
    const user = await insertPending(services, tx, companyId, input)
    const link = await sendInvitation(services, tx, companyId, user)
    await publish(services, tx, companyId, [{ kind: 'user', event: 'created', user }])
    const details = { roles: rolesIn(input) }
    await audit(services, tx, companyId, { ...by, action: 'user.invited', target: `user:${user.id}`, details })
    return { user, link }
  })
}

/** A user who is invited after the account has been reactivated. */
export function addDeactivatedUser(services: Services, companyId: CompanyId, input: Invitation, by: Author) {
  return added(services, async (tx) => {
    const { id } = await insertPending(services, tx, companyId, input)
    await updateUser(tx, companyId, id, { deactivated_at: services.clock.now() })
    const user = await found(tx, companyId, id)
    await publish(services, tx, companyId, [{ kind: 'user', event: 'created', user }])
    const details = { roles: rolesIn(input), deactivated: true }
    await audit(services, tx, companyId, { ...by, action: 'user.invited', target: `user:${id}`, details })
    return user
  })
}

const rolesIn = ({ roles }: Invitation) => [...new Set(roles)].toSorted()

async function added<T>({ db }: Services, add: (tx: Tx) => Promise<T>): Promise<T> {
  try {
    return await transaction(db, add)
  } catch (error) {
    // Of two concurrent invitations for one address the unique index admits one.
    throw isDuplicate(error) ? emailTaken() : error
  }
}

async function insertPending({ clock }: Services, tx: Tx, companyId: CompanyId, input: Invitation): Promise<User> {
  if (await isEmailTaken(tx, companyId, input.email)) throw emailTaken()
  const wrapUpTime = input.roles.includes('agent') ? input.wrapUpTime : 0
  const settings = { language: 'en-US', timeZone: initialTimeZone, wrapUpTime, confirmedAt: null }
  const id = await insertUser(tx, companyId, { ...input, ...settings }, clock.now())
  return found(tx, companyId, id)
}

/** Sends the invitation again. */
export async function inviteAgain(services: Services, companyId: CompanyId, id: number): Promise<void> {
  await transaction(services.db, async (tx) => {
    const user = await lockUser(tx, companyId, id)
    if (!user) throw notFound()
    if (user.confirmed) throw unprocessable('The user has already confirmed the account')
    await sendInvitation(services, tx, companyId, user)
  })
}

/** Creates another link to the account of an invited user, for the caller to pass on. No email is sent. */
export async function invitationLink(services: Services, companyId: CompanyId, id: number, by: Author) {
  return transaction(services.db, async (tx) => {
    const user = await lockUser(tx, companyId, id)
    if (!user) throw notFound()
    if (user.confirmed) throw unprocessable('The user has already confirmed the account')
    const made = await newInvitation(services, tx, companyId, id)
    await audit(services, tx, companyId, { ...by, action: 'user.invitation_link_created', target: `user:${id}` })
    return made
  })
}

export async function newInvitation(services: Services, tx: Tx, companyId: CompanyId, userId: number) {
  const token = randomToken()
  const createdAt = services.clock.now()
  const expiresAt = createdAt + day
  await insertInvitation(tx, companyId, { userId, tokenHash: hashOf(token), createdAt, expiresAt })
  return { link: `${services.links.dashboard}/invitation/${token}`, expiresAt }
}

/** Contains only the name of the invited user: the inviting user may be erased before the link expires. */
export async function sendInvitation(services: Services, tx: Tx, companyId: CompanyId, user: User): Promise<string> {
  const { link } = await newInvitation(services, tx, companyId, user.id)
  const company = await findCompany(tx, companyId)
  await queueMail(services, tx, companyId, {
    userId: user.id,
    to: user.email,
    subject: `You are invited to ${company.name}`,
    text:
      `Hello ${user.firstName},\n\nYou have been invited to the phone system of ${company.name}. ` +
      `Create your password to get started:\n\n${link}\n\nThe link works once and expires after 24 hours.\n`,
  })
  return link
}

/** The user is gone as soon as the request returns; a job erases the data immediately afterwards. */
export async function deleteUser(services: Services, companyId: CompanyId, id: number, by: Author): Promise<void> {
  const { db } = services
  await transaction(db, async (tx) => {
    if (await isLastOwner(tx, companyId, id)) {
      throw unprocessable('The last owner of the company cannot be deleted; make another user owner first')
    }
    const user = await lockUser(tx, companyId, id)
    if (!user) throw notFound()
    if (user.inCall) throw unprocessable('The user is on a call; delete the user after the call has ended')
    await removeUsersIn(services, tx, companyId, [user])
    await audit(services, tx, companyId, { ...by, action: 'user.deleted', target: `user:${id}` })
  })
}

/** The users must be locked, and none of them may be the last owner. */
export async function removeUsersIn(
  services: Services,
  tx: Tx,
  companyId: CompanyId,
  users: readonly User[],
): Promise<void> {
  if (users.length === 0) return
  const at = services.clock.now()
  const userIds = users.map(({ id }) => id)
  const facts = users.map((user) => ({ kind: 'user', event: 'deleted', user }) as const)
  await publish(services, tx, companyId, facts)
  for (const id of userIds) await removeTarget(tx, companyId, { type: 'user', id }, at)
  await markUsersDeleted(tx, companyId, userIds, at)
  for (const id of userIds) {
    await cancelJob(tx, `user-hours:${id}`)
    await notify(tx, presenceChannel, `gone:${companyId}:${id}`)
    await notify(tx, sessionsChannel, `${companyId}:${id}`)
  }
  await enqueue(tx, 'user.erase', { companyId, userIds }, at)
}

async function found(tx: Tx, companyId: CompanyId, id: number): Promise<User> {
  const user = await findUser(tx, companyId, id)
  if (!user) throw new Error('a user that was just written must exist')
  return user
}
