import { listen } from '../db/dialect.ts'
import type { CompanyId } from '../db/tables.ts'
import type { SipDevice, VoiceDriver, VoiceEvent } from '../domain/voice.ts'
import { openHa1 } from '../features/accounts/devices/credentials.ts'
import { contactGone, deviceRegistered } from '../features/accounts/devices/presence.ts'
import {
  allContacts,
  allDevices,
  expiredContacts,
  forgetSetups,
  type StoredContact,
} from '../features/accounts/devices/store.ts'
import { homeCountry } from '../features/accounts/numbers/store.ts'
import { minute, second } from '../lib/clock.ts'
import { createPeriodicTask } from '../lib/periodic-task.ts'
import { callingCodeOf } from '../lib/phone-format.ts'
import type { Services } from '../services.ts'

// Gives the accounts of devices to the drivers, and saves where devices have registered.

/** A driver with which SIP devices can register. */
export interface DeviceDriver extends VoiceDriver {
  /** Registrations of devices that stay are kept. */
  setDevices(devices: readonly SipDevice[]): void
}

export interface DeviceManager {
  /** Applies changed accounts now. */
  changed(): Promise<void>
  start(): Promise<void>
  stop(): Promise<void>
  /** Resolves when all reported registrations are saved. True when work was pending. */
  settle(): Promise<boolean>
}

interface Options {
  services: Services
  drivers: readonly { driver: DeviceDriver; line: StoredContact['line'] }[]
}

/** Announces changed devices to every process that carries calls. */
export const devicesChannel = 'devices'
const lookAgainMs = minute
/** The driver reports expiry itself; this is for contacts whose driver has ended. */
const expiryGraceMs = 30 * second

export function createDeviceManager({ services, drivers }: Options): DeviceManager {
  const { db, clock, log } = services
  const owners = new Map<string, CompanyId>()
  const refresh = createPeriodicTask({ clock, intervalMs: lookAgainMs, run: () => soon(refreshAll), onError: failed })
  let known = ''
  let work: Promise<void> = Promise.resolve()
  let pending = 0
  let unsubscribe = () => {}
  let isRunning = false

  /** In order: a registration is saved before the next event of the same device. */
  function soon(task: () => Promise<void>): Promise<void> {
    pending++
    work = work
      .then(task)
      .catch(failed)
      .finally(() => void pending--)
    return work
  }

  function failed(error: unknown): void {
    log.warn({ event: 'device.update_failed', error }, 'could not read or save devices')
  }

  async function look(): Promise<void> {
    const devices = await devicesOf(services)
    owners.clear()
    for (const { companyId, device } of devices) owners.set(device.deviceId, companyId)
    const now = JSON.stringify(devices)
    if (now === known) return
    known = now
    const contacts = await allContacts(db, clock.machineNow())
    for (const { driver, line } of drivers) {
      driver.setDevices(
        devices.map(({ device }) => ({
          ...device,
          contacts: contacts
            .filter(({ deviceId, contact }) => String(deviceId) === device.deviceId && contact.line === line)
            .map(({ contact: { line: _line, registeredAt: _at, ...contact } }) => contact),
        })),
      )
    }
  }

  /** Notifications of other processes may be lost. */
  async function refreshAll(): Promise<void> {
    await look()
    await removeExpired()
  }

  async function removeExpired(): Promise<void> {
    for (const { companyId, deviceId, uri } of await expiredContacts(db, clock.machineNow() - expiryGraceMs)) {
      await contactGone(services, companyId, deviceId, uri)
    }
    await forgetSetups(db, clock.now())
  }

  function onVoiceEvent(line: StoredContact['line'], event: VoiceEvent): void {
    if (event.kind !== 'device.registered' && event.kind !== 'device.gone') return
    const { deviceId } = event
    const companyId = owners.get(deviceId)
    if (companyId === undefined) return
    if (event.kind === 'device.gone') {
      log.info({ event: 'device.gone', deviceId }, 'device is no longer registered')
      return void soon(() => contactGone(services, companyId, Number(deviceId), event.uri))
    }
    const contact = { ...event.contact, line, registeredAt: event.at }
    void soon(() => deviceRegistered(services, companyId, Number(deviceId), contact))
  }

  for (const { driver, line } of drivers) driver.on((event) => onVoiceEvent(line, event))

  return {
    changed: async () => (isRunning ? soon(look) : undefined),
    async start() {
      isRunning = true
      await soon(look)
      refresh.start()
      unsubscribe = listen(db, devicesChannel, () => soon(look))
    },
    async stop() {
      isRunning = false
      unsubscribe()
      await refresh.stop()
      await work
    },
    async settle() {
      const wasBusy = pending > 0
      while (pending > 0) await work
      return wasBusy
    },
  }
}

async function devicesOf({ db, vault }: Services) {
  const homes = new Map<CompanyId, { country: string | null; callingCode: string | null }>()
  const made: { companyId: CompanyId; device: Omit<SipDevice, 'contacts'> }[] = []
  for (const { companyId, id, username, srtp, ha1Sealed } of await allDevices(db)) {
    const home = homes.get(companyId) ?? (await homeOf(db, companyId))
    homes.set(companyId, home)
    const ha1 = openHa1(vault, ha1Sealed)
    made.push({ companyId, device: { deviceId: String(id), username, srtp, ha1, ...home } })
  }
  return made
}

async function homeOf(db: Services['db'], companyId: CompanyId) {
  const country = await homeCountry(db, companyId)
  return { country, callingCode: country === null ? null : await callingCodeOf(country) }
}
