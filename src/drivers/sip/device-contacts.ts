import type { DeviceContact } from '../../domain/voice.ts'
import { type Cancel, type Clock, second } from '../../lib/clock.ts'
import type { SipDeviceSettings } from './device-settings.ts'
import type { SipFlow } from './flow.ts'

export interface RegisteredContact {
  contact: DeviceContact
  flow: SipFlow
  /** RFC 5626 §4.1: stays the same when the device restarts. */
  instance?: string | undefined
}

/** Registered contacts: they expire, and OPTIONS keeps the way through a NAT open. */
export interface DeviceContacts {
  /** The latest first. */
  of(deviceId: string): RegisteredContact[]
  isAt(address: string): boolean
  add(deviceId: string, contact: RegisteredContact): void
  remove(deviceId: string, uri: string): void
  /** Contacts that were registered with an earlier process. */
  restore(device: SipDeviceSettings): void
  /** The device has been deleted; nothing is reported. */
  forget(deviceId: string): void
  start(): void
  close(): void
}

interface Options {
  clock: Clock
  isOpen(): boolean
  deviceOf(deviceId: string): SipDeviceSettings | undefined
  isAnswering(device: SipDeviceSettings, contact: RegisteredContact): Promise<boolean>
  registered(deviceId: string, contact: DeviceContact): void
  gone(deviceId: string, uri: string): void
}

interface Watched extends RegisteredContact {
  misses: number
  cancelExpiry: Cancel
  cancelCheck: Cancel
}

export const maxContacts = 5
/** NATs forget a UDP mapping after 30 seconds or more (RFC 4787 REQ-5). */
const checkMs = { udp: 25 * second, tcp: 60 * second, tls: 60 * second }
const maxMisses = 2

export function createDeviceContacts(options: Options): DeviceContacts {
  const { clock, isOpen, deviceOf, isAnswering } = options
  const contacts = new Map<string, Watched[]>()
  const of = (deviceId: string) => contacts.get(deviceId) ?? []

  function stop({ cancelExpiry, cancelCheck }: Watched): void {
    cancelExpiry()
    cancelCheck()
  }

  function drop(deviceId: string, watched: Watched): void {
    stop(watched)
    const left = of(deviceId).filter((one) => one !== watched)
    if (left.length > 0) contacts.set(deviceId, left)
    else contacts.delete(deviceId)
  }

  function lose(deviceId: string, watched: Watched): void {
    drop(deviceId, watched)
    options.gone(deviceId, watched.contact.uri)
  }

  function watch(deviceId: string, added: RegisteredContact): void {
    const watched: Watched = { ...added, misses: 0, cancelExpiry() {}, cancelCheck() {} }
    const restMs = Math.max(0, added.contact.expiresAt - clock.machineNow())
    watched.cancelExpiry = clock.machineAfter(restMs, () => lose(deviceId, watched))
    contacts.set(deviceId, [watched, ...of(deviceId)])
    if (isOpen()) checkLater(deviceId, watched)
  }

  function checkLater(deviceId: string, watched: Watched): void {
    watched.cancelCheck = clock.machineAfter(checkMs[watched.flow.transport], () => check(deviceId, watched))
  }

  function check(deviceId: string, watched: Watched): void {
    const device = deviceOf(deviceId)
    if (!device) return
    void isAnswering(device, watched).then((isThere) => {
      if (!of(deviceId).includes(watched)) return
      watched.misses = isThere ? 0 : watched.misses + 1
      if (watched.misses >= maxMisses) lose(deviceId, watched)
      else checkLater(deviceId, watched)
    })
  }

  const isSame = (a: RegisteredContact, b: RegisteredContact) =>
    a.contact.uri === b.contact.uri ||
    (a.instance !== undefined && a.instance === b.instance) ||
    (a.flow.transport === b.flow.transport && a.flow.address === b.flow.address && a.flow.port === b.flow.port)

  return {
    of,
    isAt: (address) => [...contacts.values()].some((all) => all.some(({ flow }) => flow.address === address)),
    add(deviceId, added) {
      for (const old of of(deviceId).filter((one) => isSame(one, added))) {
        if (old.contact.uri === added.contact.uri) drop(deviceId, old)
        else lose(deviceId, old)
      }
      for (const old of of(deviceId).slice(maxContacts - 1)) lose(deviceId, old)
      watch(deviceId, added)
      options.registered(deviceId, added.contact)
    },
    remove(deviceId, uri) {
      const found = of(deviceId).find(({ contact }) => contact.uri === uri)
      if (found) lose(deviceId, found)
    },
    restore(device) {
      for (const contact of device.contacts.slice(0, maxContacts)) {
        const { transport, address, port } = contact
        watch(device.deviceId, { contact, flow: { transport, address, port } })
      }
    },
    forget(deviceId) {
      for (const watched of of(deviceId)) stop(watched)
      contacts.delete(deviceId)
    },
    start() {
      for (const [deviceId, all] of contacts) for (const watched of all) checkLater(deviceId, watched)
    },
    close() {
      for (const all of contacts.values()) for (const watched of all) stop(watched)
      contacts.clear()
    },
  }
}
