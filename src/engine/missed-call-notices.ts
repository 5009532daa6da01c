import { afterCommit, type Tx } from '../db/database.ts'
import type { CompanyId } from '../db/tables.ts'
import { isOpenForCalls } from '../domain/availability.ts'
import { digitsOnly } from '../domain/phone-number.ts'
import type { PushMessage } from '../domain/push-message.ts'
import { linkedUserIds } from '../features/accounts/numbers/store.ts'
import { usersById } from '../features/accounts/users/store.ts'
import { findNamed } from '../features/calls/calls/parts-store.ts'
import type { Call } from '../features/calls/calls/store.ts'
import type { Services } from '../services.ts'
import { usersRungBy } from './ring-store.ts'

// Notifications of missed calls and voicemails: for the users on whose phones the call rang, or the users of the number if
// it rang on none. Users who do not accept calls at that moment are not disturbed: the call list shows what they have
// missed.

type NoticeKind = 'missed_call' | 'voicemail'

const isMissed = ({ direction, missedReason }: Call) => direction === 'inbound' && missedReason !== null

/** Once per call: a call with a voicemail is announced when its voicemail is available. */
export async function notifyMissedCall(services: Services, tx: Tx, companyId: CompanyId, call: Call): Promise<void> {
  if (isMissed(call) && call.voicemail === null) await notifyUsers(services, tx, companyId, call, 'missed_call')
}

export async function notifyVoicemail(services: Services, tx: Tx, companyId: CompanyId, call: Call): Promise<void> {
  if (call.voicemail !== null) await notifyUsers(services, tx, companyId, call, 'voicemail')
}

async function notifyUsers(services: Services, tx: Tx, companyId: CompanyId, call: Call, kind: NoticeKind) {
  const { id: call_id, external, numberId } = call
  const rung = await usersRungBy(tx, companyId, call_id)
  const concerned = rung.length > 0 ? rung : ((await linkedUserIds(tx, companyId, [numberId])).get(numberId) ?? [])
  const users = await usersById(tx, companyId, concerned)
  const userIds = [...users.values()].filter((user) => isOpenForCalls(user, services.clock.now())).map(({ id }) => id)
  if (userIds.length === 0) return
  const digits = digitsOnly(external)
  const ids = { users: new Set<number>(), teams: new Set<number>(), numbers: new Set([numberId]) }
  const named = await findNamed(tx, companyId, { ...ids, digits: new Set(digits === '' ? [] : [digits]) })
  const [number] = named.numbers
  const contact = digits === '' ? undefined : named.contactOf(digits, number?.country)
  const name = contact && ([contact.firstName, contact.lastName].filter(Boolean).join(' ') || contact.companyName)
  const title = external === 'anonymous' ? 'Anonymous' : name || call.externalDisplay
  const notice: PushMessage = { kind, call_id, title, detail: number?.name ?? '' }
  afterCommit(tx, () => {
    for (const userId of userIds) services.liveHub.send(companyId, userId, { kind: 'notice', notice })
  })
}
