import { afterCommit, type Tx, transaction } from '../../../db/database.ts'
import { notify } from '../../../db/dialect.ts'
import type { CompanyId } from '../../../db/tables.ts'
import { notFound, unprocessable } from '../../../http/errors.ts'
import type { Services } from '../../../services.ts'
import { publish } from '../../publishing/index.ts'
import { type AuditEntry, audit } from '../audit/record.ts'
import { findForwarding } from '../devices/forwarding-store.ts'
import { connectMobile } from '../devices/presence.ts'
import { deleteContactsOf } from '../devices/store.ts'
import { changePresence, presenceChannel, refreshPresence } from '../presence/actions.ts'
import { closeSessionsOf } from '../presence/phone-sessions-store.ts'
import { deleteSessionsOf, spendLinksOf } from '../sign-in/store.ts'
import { scheduleHours } from './change.ts'
import { findUser, isLastOwner, lockUser, type User, updateUser } from './store.ts'

// A deactivated user keeps name, history, teams, Numbers and devices, and can come back.

type Author = Pick<AuditEntry, 'actor' | 'address'>

/** Without effect for a user who is deactivated already. */
export async function deactivateUser(services: Services, companyId: CompanyId, id: number, by: Author): Promise<User> {
  return transaction(services.db, async (tx) => {
    if (by.actor.kind === 'user' && by.actor.id === id) throw unprocessable('You cannot deactivate your own account')
    if (await isLastOwner(tx, companyId, id)) {
      throw unprocessable('The last owner of the company cannot be deactivated; make another user owner first')
    }
    const user = await lockUser(tx, companyId, id)
    if (!user) throw notFound()
    if (!user.confirmed) {
      throw unprocessable('The user has not accepted the invitation yet; withdraw the invitation instead')
    }
    if (!user.active) return user
    await updateUser(tx, companyId, id, { deactivated_at: services.clock.now() })
    await endAccess(services, tx, companyId, id)
    const after = await withHours(services, tx, companyId, id)
    await audit(services, tx, companyId, { ...by, action: 'user.deactivated', target: `user:${id}` })
    return after
  })
}

/** Browsers, phone apps, devices and e-mailed links. */
async function endAccess(services: Services, tx: Tx, companyId: CompanyId, id: number): Promise<void> {
  const wasConnected = await closeSessionsOf(tx, companyId, id)
  await deleteContactsOf(tx, companyId, id)
  await deleteSessionsOf(tx, companyId, id)
  await spendLinksOf(tx, companyId, id, services.clock.now())
  const turn = await changePresence(services, tx, companyId, id, () => ({ sessions: 0 }))
  if (turn && wasConnected) {
    await publish(services, tx, companyId, [{ kind: 'user', event: 'disconnected', user: turn.after.user }])
  }
  await notify(tx, presenceChannel, `gone:${companyId}:${id}`)
  afterCommit(tx, () => services.devices.changed())
}

/** The user signs in again with the same password; devices register again by themselves. */
export async function reactivateUser(services: Services, companyId: CompanyId, id: number, by: Author): Promise<User> {
  const { user, isChanged } = await transaction(services.db, async (tx) => {
    const before = await lockUser(tx, companyId, id)
    if (!before) throw notFound()
    if (before.active) return { user: before, isChanged: false }
    await updateUser(tx, companyId, id, { deactivated_at: null })
    await refreshPresence(services, tx, companyId, id)
    afterCommit(tx, () => services.devices.changed())
    const after = await withHours(services, tx, companyId, id)
    await audit(services, tx, companyId, { ...by, action: 'user.reactivated', target: `user:${id}` })
    return { user: after, isChanged: true }
  })
  if (isChanged && (await findForwarding(services.db, companyId, id))) await connectMobile(services, companyId, id)
  return user
}

/** Working hours open and close active users only. */
async function withHours(services: Services, tx: Tx, companyId: CompanyId, id: number): Promise<User> {
  const user = await findUser(tx, companyId, id)
  if (!user) throw new Error('a user that was just written must exist')
  await scheduleHours(tx, user, services.clock.now())
  return user
}
