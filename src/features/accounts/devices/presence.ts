import { type Tx, transaction } from '../../../db/database.ts'
import type { CompanyId } from '../../../db/tables.ts'
import type { Services } from '../../../services.ts'
import { connectUser, disconnectUser } from '../presence/actions.ts'
import { contactsOf, deleteDeviceContact, findDevice, type StoredContact, saveContact } from './store.ts'

// A registered device makes its user reachable like an open phone app: it is a session of the user.

const sessionOf = (deviceId: number) => `device-${deviceId}`

export async function deviceRegistered(
  services: Services,
  companyId: CompanyId,
  deviceId: number,
  contact: StoredContact,
): Promise<void> {
  const device = await transaction(services.db, async (tx) => {
    const found = await findDevice(tx, companyId, deviceId)
    if (found) await saveContact(tx, companyId, deviceId, contact)
    return found
  })
  if (!device) return
  const session = { id: sessionOf(deviceId), name: sessionOf(deviceId), kind: 'device', owner: '' } as const
  await connectUser(services, companyId, { ...session, userId: device.userId, at: services.clock.now() })
}

export async function contactGone(
  services: Services,
  companyId: CompanyId,
  deviceId: number,
  uri: string,
): Promise<void> {
  const device = await transaction(services.db, async (tx) => {
    await deleteDeviceContact(tx, companyId, deviceId, uri)
    return lastContactGone(services, tx, companyId, deviceId)
  })
  if (device) await disconnectDevice(services, companyId, device.userId, deviceId)
}

async function lastContactGone(services: Services, tx: Tx, companyId: CompanyId, deviceId: number) {
  const left = await contactsOf(tx, companyId, [deviceId], services.clock.machineNow())
  return left.size > 0 ? undefined : findDevice(tx, companyId, deviceId)
}

/** Also for a device that has been deleted or got another password. */
export async function disconnectDevice(
  services: Services,
  companyId: CompanyId,
  userId: number,
  deviceId: number,
): Promise<void> {
  await disconnectUser(services, companyId, userId, sessionOf(deviceId))
}

export const mobileSession = (userId: number) => `mobile-${userId}`

/** A user with forwarding is reachable without phone app and device. */
export async function connectMobile(services: Services, companyId: CompanyId, userId: number): Promise<void> {
  const name = mobileSession(userId)
  const session = { id: name, userId, name, kind: 'mobile', owner: '', at: services.clock.now() } as const
  await connectUser(services, companyId, session)
}
