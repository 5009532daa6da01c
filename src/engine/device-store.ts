import type { Db } from '../db/database.ts'
import { hotQuery } from '../db/hot-query.ts'
import type { CallForwardingTable, CompanyId, DeviceContactTable } from '../db/tables.ts'
import type { DeviceTarget } from '../domain/voice.ts'

// What rings for a user beside the phone app. Read for every ring.

interface TargetQuery {
  companyId: CompanyId
  userId: number
  line: string
  machineNow: number
}

const registeredContacts = hotQuery((db, v: TargetQuery) =>
  db
    .selectFrom('device')
    .innerJoin('device_contact', 'device_contact.device_id', 'device.id')
    .select([
      'device_contact.device_id as device_id',
      'device_contact.uri as uri',
      'device_contact.transport as transport',
      'device_contact.address as address',
      'device_contact.port as port',
      'device_contact.expires_at as expires_at',
      'device_contact.user_agent as user_agent',
    ])
    .where('device.company_id', '=', v.companyId)
    .where('device.user_id', '=', v.userId)
    .where('device_contact.line', '=', v.line as DeviceContactTable['line'])
    .where('device_contact.expires_at', '>', v.machineNow)
    .orderBy('device_contact.registered_at', 'desc')
    .limit(maxDeviceTargets)
    .compile(),
)

export const maxDeviceTargets = 10

/** Where the devices of the user are registered. */
export async function deviceTargets(
  db: Db,
  companyId: CompanyId,
  query: Omit<TargetQuery, 'companyId'>,
): Promise<DeviceTarget[]> {
  const rows = await registeredContacts(db, { companyId, ...query })
  return rows.map(({ device_id, expires_at, user_agent, ...contact }) => ({
    deviceId: String(device_id),
    contact: { ...contact, expiresAt: expires_at, userAgent: user_agent },
  }))
}

const forwarding = hotQuery((db, v: { companyId: CompanyId; userId: number }) =>
  db
    .selectFrom('call_forwarding')
    .select(['mode', 'phone'])
    .where('company_id', '=', v.companyId)
    .where('user_id', '=', v.userId)
    .compile(),
)

/** The mobile number to which the user forwards calls. */
export async function mobileOf(
  db: Db,
  companyId: CompanyId,
  userId: number,
): Promise<Pick<CallForwardingTable, 'mode' | 'phone'> | undefined> {
  const [row] = await forwarding(db, { companyId, userId })
  return row
}

export async function hasPhoneApp(db: Db, companyId: CompanyId, userId: number): Promise<boolean> {
  const row = await db
    .selectFrom('phone_session')
    .select('id')
    .where('company_id', '=', companyId)
    .where('user_id', '=', userId)
    .where('kind', 'in', ['socket', 'sandbox'])
    .limit(1)
    .executeTakeFirst()
  return row !== undefined
}

/** Of all companies: the driver knows a device by its id only. */
export async function ownerOfDevice(
  db: Db,
  deviceId: number,
): Promise<{ companyId: CompanyId; userId: number } | undefined> {
  const row = await db
    .selectFrom('device')
    .innerJoin('user', 'user.id', 'device.user_id')
    .select(['device.company_id as companyId', 'device.user_id as userId'])
    .where('device.id', '=', deviceId)
    .where('user.deleted_at', 'is', null)
    .where('user.deactivated_at', 'is', null)
    .executeTakeFirst()
  return row
}
