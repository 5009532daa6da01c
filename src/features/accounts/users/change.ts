import { type Tx, transaction } from '../../../db/database.ts'
import type { CompanyId, Role } from '../../../db/tables.ts'
import {
  type AvailabilityStatus,
  type AwayReason,
  changeOfAvailability,
  isOpenForCalls,
  substatusOf,
} from '../../../domain/availability.ts'
import { alwaysOpen, nextChange, type Schedule } from '../../../domain/opening-hours.ts'
import { notFound, unprocessable } from '../../../http/errors.ts'
import { cancelJob, enqueue } from '../../../jobs/queue.ts'
import type { Services } from '../../../services.ts'
import { publish } from '../../publishing/index.ts'
import { type AuditEntry, audit, operatorActor } from '../audit/record.ts'
import { lockCompany } from '../companies/store.ts'
import { refreshPresence } from '../presence/actions.ts'
import { deleteSessionsOf } from '../sign-in/store.ts'
import { endOfAbsence, scheduleEndOfAbsence } from './absence.ts'
import {
  type CallSound,
  findUser,
  isLastOwner,
  lockUser,
  replaceRoles,
  rolesOf,
  type User,
  type UserChange,
  updateUser,
  userByExtension,
} from './store.ts'

// Changes to a user: names, roles, and availability.

export interface UserInput {
  firstName?: string | undefined
  lastName?: string | undefined
  status?: AvailabilityStatus | undefined
  reason?: AwayReason | undefined
  /** When `unavailable` ends by itself; null: it lasts until it is changed. */
  until?: number | null | undefined
  roles?: readonly Role[] | undefined
  wrapUpTime?: number | undefined
  timeZone?: string | undefined
  language?: string | undefined
  extension?: string | undefined
  defaultNumberId?: number | null | undefined
  callSound?: CallSound | undefined
}

export async function changeUser(
  services: Services,
  companyId: CompanyId,
  id: number,
  input: UserInput,
  by: Pick<AuditEntry, 'actor' | 'address'> = { actor: operatorActor },
): Promise<User> {
  const { db, clock } = services
  return transaction(db, async (tx) => {
    const before = await lockUser(tx, companyId, id)
    if (!before) throw notFound()
    if (input.roles) await requireRemainingOwner(tx, companyId, id, input.roles)
    if (input.extension !== undefined) await requireFreeExtension(tx, companyId, id, input.extension)
    const held = await rolesOf(tx, companyId, id)
    const roles = input.roles ? [...new Set(input.roles)] : held
    const hasNewRoles = roles.toSorted().join() !== held.toSorted().join()
    if (hasNewRoles) await replaceRoles(tx, companyId, id, roles)
    // A change of roles ends all sessions of the user.
    if (hasNewRoles) await deleteSessionsOf(tx, companyId, id)
    await updateUser(tx, companyId, id, changeOf(before, input, roles))
    const after = await found(tx, companyId, id)
    await publishAvailability(services, tx, before, after)
    await refreshPresence(services, tx, companyId, id)
    // Otherwise a pending change of opening would be lost.
    if (after.status !== before.status || after.timeZone !== before.timeZone)
      await scheduleHours(tx, after, clock.now())
    if (after.unavailableUntil !== before.unavailableUntil) await scheduleEndOfAbsence(tx, after)
    if (hasNewRoles) {
      const details = { before: held.toSorted(), after: roles.toSorted() }
      await audit(services, tx, companyId, { ...by, action: 'role.changed', target: `user:${id}`, details })
    }
    return after
  })
}

function changeOf(before: User, input: UserInput, roles: readonly Role[]): UserChange {
  const change: UserChange = {}
  if (input.firstName !== undefined) change.first_name = input.firstName
  if (input.lastName !== undefined) change.last_name = input.lastName
  if (input.timeZone !== undefined) change.time_zone = input.timeZone
  if (input.language !== undefined) change.language = input.language
  if (input.extension !== undefined) change.extension = input.extension
  if (input.defaultNumberId !== undefined) change.default_number_id = input.defaultNumberId
  if (input.callSound !== undefined) change.call_sound = input.callSound
  if (input.wrapUpTime !== undefined && roles.includes('agent')) change.wrap_up_time = input.wrapUpTime
  if (input.status !== undefined) change.availability_status = input.status
  if (input.status !== undefined) Object.assign(change, endOfAbsence(before, input))
  const status = input.status ?? before.status
  if (status !== 'unavailable') change.reason = null
  else if (input.reason !== undefined) change.reason = input.reason
  // Unavailable without a word why is always_closed, whatever the reason was before.
  else if (input.status !== undefined) change.reason = null
  return change
}

async function requireRemainingOwner(tx: Tx, companyId: CompanyId, id: number, roles: readonly Role[]) {
  if (!roles.includes('owner') && (await isLastOwner(tx, companyId, id))) {
    throw unprocessable('The last owner of the company must remain owner; make another user owner first')
  }
}

async function requireFreeExtension(tx: Tx, companyId: CompanyId, id: number, extension: string) {
  await lockCompany(tx, companyId)
  const holder = await userByExtension(tx, companyId, extension)
  if (holder !== undefined && holder !== id) throw unprocessable('`extension` is already used in the company')
}

async function publishAvailability(services: Services, tx: Tx, before: User, after: User) {
  const at = services.clock.now()
  const changes = changeOfAvailability(
    { openForCalls: isOpenForCalls(before, at), substatus: substatusOf(before.status, before.reason) },
    { openForCalls: isOpenForCalls(after, at), substatus: substatusOf(after.status, after.reason) },
  )
  for (const { event, substatus } of changes) {
    const user = substatus === 'always_closed' ? { ...after, reason: null } : after
    await publish(services, tx, after.companyId, [{ kind: 'user', event: event, user }])
  }
}

/** The default until working hours are set; a client can send back what it reads. */
const neverSet: Schedule = { hours: alwaysOpen, closedDates: [] }

/** Hours without any day mean closed every day, as everywhere. */
export async function setWorkingHours(services: Services, companyId: CompanyId, id: number, hours: Schedule) {
  const { db, clock } = services
  await transaction(db, async (tx) => {
    const before = await lockUser(tx, companyId, id)
    if (!before) throw notFound()
    if (JSON.stringify(before.workingHours ?? neverSet) === JSON.stringify(hours)) return
    await updateUser(tx, companyId, id, { working_hours: JSON.stringify(hours) })
    const after = await found(tx, companyId, id)
    await publishAvailability(services, tx, before, after)
    await refreshPresence(services, tx, companyId, id)
    await scheduleHours(tx, after, clock.now())
  })
}

/** With working hours a user opens and closes by the clock: a job performs the next change. */
export async function scheduleHours(tx: Tx, user: User, at: number): Promise<void> {
  const key = `user-hours:${user.id}`
  const next =
    user.active && user.status === 'custom' && user.workingHours && nextChange(user.workingHours, user.timeZone, at)
  if (!next) return cancelJob(tx, key)
  const wasOpen = isOpenForCalls(user, at)
  await enqueue(tx, 'user.hours', { companyId: user.companyId, userId: user.id, wasOpen }, next, key)
}

export function userHoursTurn(services: Services) {
  return ({ companyId, userId, wasOpen }: { companyId: CompanyId; userId: number; wasOpen: boolean }) =>
    transaction(services.db, async (tx) => {
      const user = await lockUser(tx, companyId, userId)
      if (user?.status !== 'custom' || !user.active) return
      const isOpen = isOpenForCalls(user, services.clock.now())
      const event = isOpen ? 'opened' : 'closed'
      if (isOpen !== wasOpen) await publish(services, tx, companyId, [{ kind: 'user', event, user }])
      await refreshPresence(services, tx, companyId, userId)
      await scheduleHours(tx, user, services.clock.now())
    })
}

/** Job: do not disturb is over. A later change of status has another end, or none. */
export function absenceEnd(services: Services) {
  return async ({ companyId, userId, until }: { companyId: CompanyId; userId: number; until: number }) => {
    const user = await findUser(services.db, companyId, userId)
    if (user?.status !== 'unavailable' || user.unavailableUntil !== until) return
    await changeUser(services, companyId, userId, { status: user.resumeStatus ?? 'available' })
  }
}

async function found(tx: Tx, companyId: CompanyId, id: number): Promise<User> {
  const user = await findUser(tx, companyId, id)
  if (!user) throw new Error('a user that was just written must exist')
  return user
}
