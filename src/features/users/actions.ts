import { type Tx, transaction } from '../../db/database.ts'
import { forgetDeleted } from '../../db/dialect.ts'
import { isDuplicate } from '../../db/errors.ts'
import type { CompanyId, Role } from '../../db/tables.ts'
import {
  type AvailabilityStatus,
  type AwayReason,
  changeOfAvailability,
  isOpenForCalls,
  substatusOf,
} from '../../domain/availability.ts'
import { nextChange, type Schedule } from '../../domain/opening-hours.ts'
import { redactEvents, rewriteEvents, rewriteSomeEvents } from '../../events/log.ts'
import { notFound, unprocessable } from '../../http/errors.ts'
import { cancelJob, enqueue } from '../../jobs/queue.ts'
import { day, hour, minute } from '../../lib/clock.ts'
import { hashOf, randomToken } from '../../lib/secrets.ts'
import type { Services } from '../../services.ts'
import { tracesOfUser, withoutUser } from '../calls/view.ts'
import { findCompany } from '../companies/store.ts'
import { dropAnswers, isAwaited } from '../deliveries/store.ts'
import { inBatches } from '../in-batches.ts'
import { queueMail } from '../mail.ts'
import { removeTarget } from '../numbers/store.ts'
import { publish } from '../publish.ts'
import {
  eraseUser,
  findUser,
  insertInvitation,
  insertUser,
  isEmailTaken,
  isLastOwner,
  lockUser,
  markUserDeleted,
  replaceRoles,
  rolesOf,
  type User,
  type UserChange,
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

const emailTaken = () => unprocessable('`email` is already used in the company')

/** Makes the user, sends the invitation and tells the world, all or nothing. */
export async function inviteUser(services: Services, companyId: CompanyId, wish: Invitation) {
  const { db, clock } = services
  try {
    return await transaction(db, async (tx) => {
      if (await isEmailTaken(tx, companyId, wish.email)) throw emailTaken()
      const at = clock.now()
      const id = await insertUser(
        tx,
        companyId,
        {
          ...wish,
          wrapUpTime: wish.roles.includes('agent') ? wish.wrapUpTime : 0,
          language: 'en-US',
          timeZone: 'Etc/UTC',
          confirmedAt: null,
        },
        at,
      )
      const user = await found(tx, companyId, id)
      const link = await sendInvitation(services, tx, companyId, user)
      await publish(services, tx, companyId, [{ about: 'user', what: 'created', user }])
      return { user, link }
    })
  } catch (error) {
    // Two invitations of one address at the same moment: the index lets one through.
    throw isDuplicate(error) ? emailTaken() : error
  }
}

/** Names nobody but the invited: it outlives whoever sent it. */
async function sendInvitation(services: Services, tx: Tx, companyId: CompanyId, user: User): Promise<string> {
  const token = randomToken()
  const createdAt = services.clock.now()
  const invitation = { userId: user.id, tokenHash: hashOf(token), createdAt, expiresAt: createdAt + day }
  await insertInvitation(tx, companyId, invitation)
  const company = await findCompany(tx, companyId)
  const link = `${services.links.dashboard}/invitation/${token}`
  await queueMail(services, tx, companyId, {
    userId: user.id,
    to: user.email,
    subject: `Your invitation to ${company.name}`,
    text:
      `Hello ${user.firstName},\n\nyou are invited to the phone system of ${company.name}.\n` +
      `Confirm your account within 24 hours:\n\n${link}\n\nThe link works once.\n`,
  })
  return link
}

export interface UserWish {
  firstName?: string | undefined
  lastName?: string | undefined
  status?: AvailabilityStatus | undefined
  reason?: AwayReason | undefined
  roles?: readonly Role[] | undefined
  wrapUpTime?: number | undefined
}

export async function changeUser(services: Services, companyId: CompanyId, id: number, wish: UserWish): Promise<User> {
  const { db, clock } = services
  return transaction(db, async (tx) => {
    const before = await lockUser(tx, companyId, id)
    if (!before) throw notFound()
    if (wish.roles) await keepAnOwner(tx, companyId, id, wish.roles)
    if (wish.roles) await replaceRoles(tx, companyId, id, wish.roles)
    const roles = wish.roles ?? (await rolesOf(tx, companyId, id))
    await updateUser(tx, companyId, id, changeOf(before, wish, roles))
    const after = await found(tx, companyId, id)
    await tellAvailability(services, tx, before, after)
    // Otherwise a turn that is due but not told yet would be forgotten.
    if (after.status !== before.status) await scheduleHours(tx, after, clock.now())
    return after
  })
}

function changeOf(before: User, wish: UserWish, roles: readonly Role[]): UserChange {
  const change: UserChange = {}
  if (wish.firstName !== undefined) change.first_name = wish.firstName
  if (wish.lastName !== undefined) change.last_name = wish.lastName
  if (wish.wrapUpTime !== undefined && roles.includes('agent')) change.wrap_up_time = wish.wrapUpTime
  if (wish.status !== undefined) change.availability_status = wish.status
  const status = wish.status ?? before.status
  if (status !== 'unavailable') change.reason = null
  else if (wish.reason !== undefined) change.reason = wish.reason
  // Unavailable without a word why is always_closed, whatever the reason was before.
  else if (wish.status !== undefined) change.reason = null
  return change
}

async function keepAnOwner(tx: Tx, companyId: CompanyId, id: number, roles: readonly Role[]) {
  if (!roles.includes('owner') && (await isLastOwner(tx, companyId, id))) {
    throw unprocessable('The last owner of the company must stay owner; make somebody else owner first')
  }
}

async function tellAvailability(services: Services, tx: Tx, before: User, after: User) {
  const at = services.clock.now()
  const told = changeOfAvailability(
    { openForCalls: isOpenForCalls(before, at), substatus: substatusOf(before.status, before.reason) },
    { openForCalls: isOpenForCalls(after, at), substatus: substatusOf(after.status, after.reason) },
  )
  for (const { event, substatus } of told) {
    const user = substatus === 'always_closed' ? { ...after, reason: null } : after
    await publish(services, tx, after.companyId, [{ about: 'user', what: event, user }])
  }
}

export async function setWorkingHours(services: Services, companyId: CompanyId, id: number, hours: Schedule) {
  const { db, clock } = services
  await transaction(db, async (tx) => {
    const before = await lockUser(tx, companyId, id)
    if (!before) throw notFound()
    await updateUser(tx, companyId, id, { working_hours: JSON.stringify(hours) })
    const after = await found(tx, companyId, id)
    await tellAvailability(services, tx, before, after)
    await scheduleHours(tx, after, clock.now())
  })
}

/** A user on working hours opens and closes by the clock: the next turn waits as a job. */
async function scheduleHours(tx: Tx, user: User, at: number): Promise<void> {
  const key = `user-hours:${user.id}`
  const next = user.status === 'custom' && user.workingHours && nextChange(user.workingHours, user.timeZone, at)
  if (!next) return cancelJob(tx, key)
  const wasOpen = isOpenForCalls(user, at)
  await enqueue(tx, 'user.hours', { companyId: user.companyId, userId: user.id, wasOpen }, next, key)
}

export function userHoursTurn(services: Services) {
  return ({ companyId, userId, wasOpen }: { companyId: CompanyId; userId: number; wasOpen: boolean }) =>
    transaction(services.db, async (tx) => {
      const user = await lockUser(tx, companyId, userId)
      if (user?.status !== 'custom') return
      const isOpen = isOpenForCalls(user, services.clock.now())
      const what = isOpen ? 'opened' : 'closed'
      if (isOpen !== wasOpen) await publish(services, tx, companyId, [{ about: 'user', what, user }])
      await scheduleHours(tx, user, services.clock.now())
    })
}

/** From the answer on the user is gone for everyone; the data itself is destroyed by a job that is due at once. */
export async function deleteUser(services: Services, companyId: CompanyId, id: number): Promise<void> {
  const { db, clock } = services
  await transaction(db, async (tx) => {
    if (await isLastOwner(tx, companyId, id)) {
      throw unprocessable('The last owner of the company cannot be deleted; make somebody else owner first')
    }
    const user = await lockUser(tx, companyId, id)
    if (!user) throw notFound()
    await publish(services, tx, companyId, [{ about: 'user', what: 'deleted', user }])
    await removeTarget(tx, companyId, { type: 'user', id }, clock.now())
    await markUserDeleted(tx, companyId, id, clock.now())
    await cancelJob(tx, `user-hours:${id}`)
    await enqueue(tx, 'user.erase', { companyId, userId: id }, clock.now())
  })
}

const farewells = ['user.deleted', 'user.deleted.v2']

/** The job: rows of the user, and what earlier events said about them; the farewell keeps its text until it is told. */
export function userEraser(services: Services) {
  return async ({ companyId, userId }: { companyId: CompanyId; userId: number }) => {
    await leaveCalls(services, companyId, userId)
    await transaction(services.db, async (tx) => {
      const at = services.clock.now()
      await redactUser(tx, companyId, userId, at, farewells)
      await eraseUser(tx, companyId, userId)
      await enqueue(tx, 'user.farewell', { companyId, userId, until: at + 14 * day }, at + minute)
    })
    await forgetDeleted(services.db)
  }
}

/** Looked at each hour until every webhook was told, or given up; after 14 days it goes either way. */
export function farewellEraser(services: Services) {
  return ({ companyId, userId, until = 0 }: { companyId: CompanyId; userId: number; until?: number }) =>
    transaction(services.db, async (tx) => {
      const at = services.clock.now()
      if (at < until && (await isAwaited(tx, companyId, `user:${userId}`, farewells))) {
        // An answer that was under way when the user was erased has come since.
        await dropAnswers(tx, companyId, [`user:${userId}`])
        await enqueue(tx, 'user.farewell', { companyId, userId, until }, Math.min(at + hour, until))
        return
      }
      await redactUser(tx, companyId, userId, at, [])
    })
}

async function redactUser(tx: Tx, companyId: CompanyId, userId: number, at: number, except: readonly string[]) {
  const data = JSON.stringify({ id: userId })
  await redactEvents(tx, companyId, at, { resourceKey: `user:${userId}`, except, data })
  const rewritten = await rewriteEvents(tx, companyId, 'number', (text) => {
    const number: { users?: { id: number }[] } = JSON.parse(text)
    if (!number.users?.some(({ id }) => id === userId)) return undefined
    return JSON.stringify({ ...number, users: number.users.filter(({ id }) => id !== userId) })
  })
  await dropAnswers(tx, companyId, [`user:${userId}`, ...rewritten])
}

const eventsAtOnce = 200

/** Events about calls name everybody who had to do with them; there may be very many. */
async function leaveCalls({ db, clock }: Services, companyId: CompanyId, userId: number): Promise<void> {
  let afterRow = 0
  await inBatches(clock, () =>
    transaction(db, async (tx) => {
      const some = { resource: 'call', holding: tracesOfUser(userId), afterRow, limit: eventsAtOnce }
      const { lastRow, rewritten } = await rewriteSomeEvents(tx, companyId, clock.now(), some, (data) =>
        withoutUser(data, userId),
      )
      await dropAnswers(tx, companyId, rewritten)
      afterRow = lastRow
      return lastRow
    }),
  )
}

async function found(tx: Tx, companyId: CompanyId, id: number): Promise<User> {
  const user = await findUser(tx, companyId, id)
  if (!user) throw new Error('a user that was just written is there')
  return user
}
