import { Type } from 'typebox'
import { afterCommit, type Tx, transaction } from '../../../db/database.ts'
import type { Caller } from '../../../http/caller.ts'
import { badRequest, notFound } from '../../../http/errors.ts'
import { route } from '../../../http/route.ts'
import { Id, nameText, Url } from '../../../http/schemas.ts'
import type { Services } from '../../../services.ts'
import { actorOf, audit } from '../audit/record.ts'
import { anyRole, requireOwn } from '../credentials/roles.ts'
import { loadUserToManageDevices, loadUserToReadDevices, type UserRequest } from './access.ts'
import { newPassword, newSetup, newUsername, sealedHa1 } from './credentials.ts'
import { disconnectDevice } from './presence.ts'
import {
  contactsOf,
  type Device,
  deleteDevice,
  devicesOf,
  findDevice,
  insertDevice,
  replaceCredentials,
  updateDevice,
} from './store.ts'
import { DeviceServerView, DeviceView, deviceServerView, deviceView } from './view.ts'

// Desk phones and SIP apps. Under /app only: the user and admins manage them.

const tag = 'Devices'
const maxDevices = 10
const UserParams = Type.Object({ id: Id })
const DeviceParams = Type.Object({ id: Id })
const OneDevice = Type.Object({ device: DeviceView })
const DeviceWithPassword = Type.Object({
  device: DeviceView,
  password: Type.String({ description: 'Shown in this response only' }),
  server: DeviceServerView,
  setup_urls: Type.Object(
    {
      xml: Url,
      cfg: Url,
    },
    { description: 'Settings for the automatic provisioning of desk phones; valid for 24 hours and 10 downloads' },
  ),
})

async function loadDevice({ params, caller, services }: UserRequest): Promise<Device | undefined> {
  const device = await findDevice(services.db, caller.companyId, params.id)
  if (device) requireOwn(caller, device.userId)
  return device
}

const listDevices = route({
  method: 'GET',
  path: '/v1/users/:id/devices',
  summary: 'List the desk phones and SIP apps of a user, and the server that they register with',
  tag,
  access: 'app',
  roles: anyRole,
  params: UserParams,
  load: loadUserToReadDevices,
  reply: { status: 200, body: Type.Object({ devices: Type.Array(DeviceView), server: DeviceServerView }) },
  async handle({ loaded, caller, services }) {
    const devices = await devicesOf(services.db, caller.companyId, loaded.id)
    const ids = devices.map(({ id }) => id)
    const contacts = await contactsOf(services.db, caller.companyId, ids, services.clock.machineNow())
    return {
      devices: devices.map((device) => deviceView(device, contacts.get(device.id) ?? [])),
      server: deviceServerView(services.devices.server),
    }
  },
})

const createDevice = route({
  method: 'POST',
  path: '/v1/users/:id/devices',
  summary: 'Create the SIP account of a desk phone or SIP app; its password is shown once',
  tag,
  access: 'app',
  roles: anyRole,
  params: UserParams,
  load: loadUserToManageDevices,
  body: Type.Object({
    name: nameText(100, { examples: ['Desk phone'] }),
    srtp: Type.Optional(Type.Boolean({ description: 'Offer SRTP to the device; default false' })),
  }),
  errors: [{ status: 400, when: `the user already has ${maxDevices} devices` }],
  reply: { status: 201, body: DeviceWithPassword },
  async handle({ body, loaded, caller, services, address }) {
    const { companyId } = caller
    const [username, password, at] = [newUsername(), newPassword(), services.clock.now()]
    const { setup, token } = newSetup(services.vault, password, at)
    const device = await transaction(services.db, async (tx) => {
      if ((await devicesOf(tx, companyId, loaded.id)).length >= maxDevices) {
        throw badRequest(`The user already has ${maxDevices} devices; delete one first`)
      }
      const ha1Sealed = sealedHa1(services.vault, username, password)
      const input = { userId: loaded.id, name: body.name, srtp: body.srtp ?? false, username, ha1Sealed, setup }
      const made = await insertDevice(tx, companyId, input, at)
      await changed(services, tx, caller, 'device.created', made, address)
      return made
    })
    return withPassword(services, device, password, token)
  },
})

const changeDevice = route({
  method: 'PUT',
  path: '/v1/devices/:id',
  summary: 'Rename a device, or change whether SRTP is offered to it',
  tag,
  access: 'app',
  roles: anyRole,
  params: DeviceParams,
  load: loadDevice,
  edits: { object: 'device', view: ({ loaded }) => deviceView(loaded, []) },
  body: Type.Object({ name: Type.Optional(nameText(100)), srtp: Type.Optional(Type.Boolean()) }),
  reply: { status: 200, body: OneDevice },
  async handle({ body, loaded, caller, services, address }) {
    const { companyId } = caller
    const device = await transaction(services.db, async (tx) => {
      await updateDevice(tx, companyId, loaded.id, body)
      const found = await findDevice(tx, companyId, loaded.id)
      if (!found) throw notFound()
      await changed(services, tx, caller, 'device.changed', found, address)
      return found
    })
    const contacts = await contactsOf(services.db, companyId, [device.id], services.clock.machineNow())
    return { device: deviceView(device, contacts.get(device.id) ?? []) }
  },
})

const newDevicePassword = route({
  method: 'POST',
  path: '/v1/devices/:id/password',
  summary: 'Create a new password and new setup links; the old ones stop working immediately',
  tag,
  access: 'app',
  roles: anyRole,
  params: DeviceParams,
  load: loadDevice,
  reply: { status: 200, body: DeviceWithPassword },
  async handle({ loaded, caller, services, address }) {
    const { companyId } = caller
    const password = newPassword()
    const { setup, token } = newSetup(services.vault, password, services.clock.now())
    await transaction(services.db, async (tx) => {
      const ha1Sealed = sealedHa1(services.vault, loaded.username, password)
      await replaceCredentials(tx, companyId, loaded.id, { ha1Sealed, setup })
      await changed(services, tx, caller, 'device.password_changed', loaded, address)
    })
    await disconnectDevice(services, companyId, loaded.userId, loaded.id)
    return withPassword(services, loaded, password, token)
  },
})

const removeDevice = route({
  method: 'DELETE',
  path: '/v1/devices/:id',
  summary: 'Delete a device; it cannot register or call any more',
  tag,
  access: 'app',
  roles: anyRole,
  params: DeviceParams,
  load: loadDevice,
  reply: { status: 204 },
  async handle({ loaded, caller, services, address }) {
    await transaction(services.db, async (tx) => {
      if (!(await deleteDevice(tx, caller.companyId, loaded.id))) throw notFound()
      await changed(services, tx, caller, 'device.deleted', loaded, address)
    })
    await disconnectDevice(services, caller.companyId, loaded.userId, loaded.id)
    return {}
  },
})

async function changed(services: Services, tx: Tx, caller: Caller, action: string, device: Device, address: string) {
  afterCommit(tx, () => services.devices.changed())
  await audit(services, tx, caller.companyId, {
    actor: actorOf(caller),
    action,
    target: `device:${device.id}`,
    details: { user_id: device.userId },
    address,
  })
}

function withPassword({ devices, links }: Services, device: Device, password: string, token: string) {
  const setup = `${links.api}/device-setup/${token}`
  return {
    device: deviceView(device, []),
    password,
    server: deviceServerView(devices.server),
    setup_urls: { xml: `${setup}.xml`, cfg: `${setup}.cfg` },
  }
}

export const deviceRoutes = [listDevices, createDevice, changeDevice, newDevicePassword, removeDevice]
