import type { DeviceContact } from '../../domain/voice.ts'
import type { Clock } from '../../lib/clock.ts'
import { parseAddress, parseUri } from './address.ts'
import { createDeviceContacts, type RegisteredContact } from './device-contacts.ts'
import { deviceIdOf, type SipDeviceSettings, trunkOfDevice } from './device-settings.ts'
import type { SipFlow } from './flow.ts'
import { header, type SipRequest } from './message.ts'
import type { SipTrunkSettings } from './trunk-settings.ts'

/** The accounts of devices and where they have registered. */
export interface SipDevices {
  /** Registrations of devices that stay are kept. */
  set(wanted: readonly SipDeviceSettings[]): void
  /** The device that a request names in From. */
  of(request: SipRequest): SipDeviceSettings | undefined
  /** The settings of a device's calls, by the id that they have instead of a trunk's. */
  settingsOf(trunkId: string): SipTrunkSettings | undefined
  owns(trunkId: string, address: string): boolean
  /** Whether a device has registered from that address. */
  isAt(address: string): boolean
  contactsOf(deviceId: string): RegisteredContact[]
  /** Replaces the contact with the same URI, instance or source. */
  register(device: SipDeviceSettings, contact: RegisteredContact, domain: string): void
  unregister(deviceId: string, uri: string): void
  /** The connection of a contact while it is open, otherwise its address. */
  flowOf(deviceId: string, contact: DeviceContact): SipFlow
  start(): void
  close(): void
}

export interface SipDevicesOptions {
  clock: Clock
  isOpen(): boolean
  /** Our own address for the far end. */
  sentBy(to: SipFlow): { host: string }
  /** Sends OPTIONS; false: no response. */
  isAnswering(device: SipDeviceSettings, contact: RegisteredContact): Promise<boolean>
  registered(deviceId: string, contact: DeviceContact): void
  gone(deviceId: string, uri: string): void
}

export function createSipDevices(options: SipDevicesOptions): SipDevices {
  const { sentBy } = options
  const devices = new Map<string, SipDeviceSettings>()
  const usernames = new Map<string, string>()
  /** The domain with which a device has registered: it calls back the From of a call there. */
  const domains = new Map<string, string>()
  const contacts = createDeviceContacts({ ...options, deviceOf: (deviceId) => devices.get(deviceId) })

  return {
    set(wanted) {
      // With another password a device has to register again.
      const before = new Map([...devices].map(([deviceId, { ha1 }]) => [deviceId, ha1.sha256]))
      devices.clear()
      usernames.clear()
      for (const device of wanted) {
        devices.set(device.deviceId, device)
        usernames.set(device.username, device.deviceId)
        const hash = before.get(device.deviceId)
        if (hash === undefined) contacts.restore(device)
        if (hash === device.ha1.sha256) before.delete(device.deviceId)
      }
      for (const deviceId of before.keys()) contacts.forget(deviceId)
    },
    of(request) {
      const user = parseUri(parseAddress(header(request, 'from') ?? '')?.uri ?? '')?.user
      return user === undefined ? undefined : devices.get(usernames.get(user) ?? '')
    },
    settingsOf(trunkId) {
      const device = devices.get(deviceIdOf(trunkId) ?? '')
      if (!device) return undefined
      const [latest] = contacts.of(device.deviceId)
      const address = latest?.flow.address ?? ''
      const domain = domains.get(device.deviceId) ?? (latest ? sentBy(latest.flow).host : 'localhost')
      return trunkOfDevice(device, { address, domain })
    },
    owns: (trunkId, address) => contacts.of(deviceIdOf(trunkId) ?? '').some(({ flow }) => flow.address === address),
    isAt: contacts.isAt,
    contactsOf: contacts.of,
    register(device, contact, domain) {
      domains.set(device.deviceId, domain)
      contacts.add(device.deviceId, contact)
    },
    unregister: contacts.remove,
    flowOf(deviceId, { uri, transport, address, port }) {
      const known = contacts.of(deviceId).find(({ contact }) => contact.uri === uri)
      return known?.flow ?? { transport, address, port }
    },
    start: contacts.start,
    close: contacts.close,
  }
}
