import type { SipDevice } from '../../domain/voice.ts'
import type { AcceptedCredentials } from './digest-auth.ts'
import type { NumberFormat } from './numbers.ts'
import type { SipTrunkSettings } from './trunk-settings.ts'

/** The account of a desk phone or a SIP app. */
export interface SipDeviceSettings extends Pick<SipDevice, 'deviceId' | 'username' | 'ha1' | 'srtp' | 'contacts'> {
  numbers: NumberFormat
}

const prefix = 'device:'

/** The calls of a device have the settings of a trunk with this id. */
export const trunkIdOfDevice = (deviceId: string) => `${prefix}${deviceId}`

export const deviceIdOf = (trunkId: string): string | undefined =>
  trunkId.startsWith(prefix) ? trunkId.slice(prefix.length) : undefined

export const trunkOfDevice = (
  { deviceId, username, numbers }: SipDeviceSettings,
  { address, domain }: { address: string; domain: string },
): SipTrunkSettings => ({
  id: trunkIdOfDevice(deviceId),
  host: address,
  domain,
  transport: 'udp',
  register: false,
  username,
  allowedIps: [],
  numbers,
  behindNat: true,
  isDevice: true,
})

/** Strongest first: RFC 8760 §2.3. */
export const credentialsOfDevice = ({ username, ha1 }: SipDeviceSettings): AcceptedCredentials => ({
  username,
  password: '',
  ha1: { 'SHA-256': ha1.sha256, MD5: ha1.md5 },
  algorithms: ['SHA-256', 'MD5'],
})
