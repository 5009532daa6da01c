import type { Db } from '../../../db/database.ts'
import type { CompanyId, DeviceContactTable, DeviceTable } from '../../../db/tables.ts'
import type { DeviceContact } from '../../../domain/voice.ts'

export interface Device {
  id: number
  userId: number
  name: string
  username: string
  srtp: boolean
  createdAt: number
}

export interface StoredContact extends DeviceContact {
  /** Which network it has registered with: a simulated call cannot ring on a real device. */
  line: DeviceContactTable['line']
  registeredAt: number
}

type DeviceRow = Pick<DeviceTable, 'user_id' | 'name' | 'username' | 'srtp' | 'created_at'> & { id: number }

const deviceColumns = ['id', 'user_id', 'name', 'username', 'srtp', 'created_at'] as const

const deviceOf = (row: DeviceRow): Device => ({
  id: row.id,
  userId: row.user_id,
  name: row.name,
  username: row.username,
  srtp: row.srtp === 1,
  createdAt: row.created_at,
})

const contactOf = (row: DeviceContactTable): StoredContact => ({
  uri: row.uri,
  line: row.line,
  transport: row.transport,
  address: row.address,
  port: row.port,
  userAgent: row.user_agent,
  registeredAt: row.registered_at,
  expiresAt: row.expires_at,
})

export async function devicesOf(db: Db, companyId: CompanyId, userId: number): Promise<Device[]> {
  const rows = await db
    .selectFrom('device')
    .select(deviceColumns)
    .where('company_id', '=', companyId)
    .where('user_id', '=', userId)
    .orderBy('id')
    .execute()
  return rows.map(deviceOf)
}

export async function findDevice(db: Db, companyId: CompanyId, id: number): Promise<Device | undefined> {
  const row = await db
    .selectFrom('device')
    .select(deviceColumns)
    .where('company_id', '=', companyId)
    .where('id', '=', id)
    .executeTakeFirst()
  return row && deviceOf(row)
}

export interface NewDevice {
  userId: number
  name: string
  username: string
  srtp: boolean
  ha1Sealed: string
  setup: DeviceSetup
}

/** The link from which a device loads its settings, password included. */
export interface DeviceSetup {
  hash: string
  passwordSealed: string
  until: number
  /** How often it may still be loaded. */
  left: number
}

export async function insertDevice(db: Db, companyId: CompanyId, device: NewDevice, at: number): Promise<Device> {
  const row = await db
    .insertInto('device')
    .values({
      company_id: companyId,
      user_id: device.userId,
      name: device.name,
      username: device.username,
      srtp: device.srtp ? 1 : 0,
      ha1_sealed: device.ha1Sealed,
      ...setupRow(device.setup),
      created_at: at,
    })
    .returning(deviceColumns)
    .executeTakeFirstOrThrow()
  return deviceOf(row)
}

const setupRow = ({ hash, passwordSealed, until, left }: DeviceSetup) => ({
  setup_hash: hash,
  setup_sealed: passwordSealed,
  setup_until: until,
  setup_left: left,
})

export async function updateDevice(
  db: Db,
  companyId: CompanyId,
  id: number,
  change: { name?: string; srtp?: boolean },
): Promise<void> {
  const { name, srtp } = change
  if (name === undefined && srtp === undefined) return
  await db
    .updateTable('device')
    .set({ ...(name !== undefined && { name }), ...(srtp !== undefined && { srtp: srtp ? 1 : 0 }) })
    .where('company_id', '=', companyId)
    .where('id', '=', id)
    .execute()
}

/** A new password: where the device has registered with the old one counts no longer. */
export async function replaceCredentials(
  db: Db,
  companyId: CompanyId,
  id: number,
  { ha1Sealed, setup }: Pick<NewDevice, 'ha1Sealed' | 'setup'>,
): Promise<void> {
  await db
    .updateTable('device')
    .set({ ha1_sealed: ha1Sealed, ...setupRow(setup) })
    .where('company_id', '=', companyId)
    .where('id', '=', id)
    .execute()
  await db.deleteFrom('device_contact').where('company_id', '=', companyId).where('device_id', '=', id).execute()
}

export async function deleteDevice(db: Db, companyId: CompanyId, id: number): Promise<boolean> {
  const row = await db
    .deleteFrom('device')
    .where('company_id', '=', companyId)
    .where('id', '=', id)
    .returning('id')
    .executeTakeFirst()
  return row !== undefined
}

/** The contacts of devices that have not expired; the latest first. */
export async function contactsOf(
  db: Db,
  companyId: CompanyId,
  deviceIds: readonly number[],
  machineNow: number,
): Promise<Map<number, StoredContact[]>> {
  const found = new Map<number, StoredContact[]>()
  if (deviceIds.length === 0) return found
  const rows = await db
    .selectFrom('device_contact')
    .selectAll()
    .where('company_id', '=', companyId)
    .where('device_id', 'in', [...deviceIds])
    .where('expires_at', '>', machineNow)
    .orderBy('registered_at', 'desc')
    .execute()
  for (const row of rows) found.set(row.device_id, [...(found.get(row.device_id) ?? []), contactOf(row)])
  return found
}

export async function saveContact(
  db: Db,
  companyId: CompanyId,
  deviceId: number,
  contact: StoredContact,
): Promise<void> {
  const { transport, address, port, userAgent, registeredAt, expiresAt, line } = contact
  const state = {
    line,
    transport,
    address,
    port,
    user_agent: userAgent,
    registered_at: registeredAt,
    expires_at: expiresAt,
  }
  await db
    .insertInto('device_contact')
    .values({ device_id: deviceId, company_id: companyId, uri: contact.uri, ...state })
    .onConflict((conflict) => conflict.columns(['device_id', 'uri']).doUpdateSet(state))
    .execute()
}

export async function deleteDeviceContact(db: Db, companyId: CompanyId, deviceId: number, uri: string): Promise<void> {
  await db
    .deleteFrom('device_contact')
    .where('company_id', '=', companyId)
    .where('device_id', '=', deviceId)
    .where('uri', '=', uri)
    .execute()
}

/** A phone has to register again. */
export async function deleteContactsOf(db: Db, companyId: CompanyId, userId: number): Promise<void> {
  const ids = (await devicesOf(db, companyId, userId)).map(({ id }) => id)
  if (ids.length === 0) return
  await db.deleteFrom('device_contact').where('company_id', '=', companyId).where('device_id', 'in', ids).execute()
}

// Of all companies: the SIP driver serves the devices of all companies.

export interface DeviceAccount extends Device {
  companyId: CompanyId
  ha1Sealed: string
}

/** Devices of deactivated users cannot register. */
export async function allDevices(db: Db): Promise<DeviceAccount[]> {
  const rows = await db
    .selectFrom('device')
    .innerJoin('user', 'user.id', 'device.user_id')
    .select([
      'device.id',
      'device.user_id',
      'device.name',
      'device.username',
      'device.srtp',
      'device.created_at',
      'device.company_id',
      'device.ha1_sealed',
    ])
    .where('user.deactivated_at', 'is', null)
    .orderBy('device.id')
    .execute()
  return rows.map((row) => ({ ...deviceOf(row), companyId: row.company_id, ha1Sealed: row.ha1_sealed }))
}

export async function allContacts(db: Db, machineNow: number): Promise<{ deviceId: number; contact: StoredContact }[]> {
  const rows = await db.selectFrom('device_contact').selectAll().where('expires_at', '>', machineNow).execute()
  return rows.map((row) => ({ deviceId: row.device_id, contact: contactOf(row) }))
}

export async function expiredContacts(
  db: Db,
  before: number,
): Promise<{ companyId: CompanyId; deviceId: number; uri: string }[]> {
  const rows = await db
    .selectFrom('device_contact')
    .select(['company_id', 'device_id', 'uri'])
    .where('expires_at', '<', before)
    .limit(100)
    .execute()
  return rows.map(({ company_id, device_id, uri }) => ({ companyId: company_id, deviceId: device_id, uri }))
}

/** Counts one use of a setup link; undefined when it is unknown, expired or used up. */
export async function useSetup(
  db: Db,
  hash: string,
  at: number,
): Promise<{ companyId: CompanyId; device: Device; passwordSealed: string } | undefined> {
  const row = await db
    .updateTable('device')
    .set(({ eb }) => ({ setup_left: eb('setup_left', '-', 1) }))
    .where('setup_hash', '=', hash)
    .where('setup_until', '>', at)
    .where('setup_left', '>', 0)
    .returning([...deviceColumns, 'company_id', 'setup_sealed'])
    .executeTakeFirst()
  if (!row || row.setup_sealed === null) return undefined
  return { companyId: row.company_id, device: deviceOf(row), passwordSealed: row.setup_sealed }
}

/** The passwords behind setup links are not kept longer than the links. */
export async function forgetSetups(db: Db, before: number): Promise<void> {
  await db
    .updateTable('device')
    .set({ setup_hash: null, setup_sealed: null, setup_until: null, setup_left: 0 })
    .where('setup_until', '<', before)
    .execute()
}
