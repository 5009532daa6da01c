import type { TrunkLine } from '../../domain/trunk-line.ts'
import type { SipDevice } from '../../domain/voice.ts'
import type { SipDeviceSettings } from '../sip/device-settings.ts'
import type { NumberFormat } from '../sip/numbers.ts'
import type { SipTrunkSettings } from '../sip/trunk-settings.ts'

/** Countries without a trunk prefix before national numbers; most others use 0. */
const noPrefix = new Set(['IT', 'ES', 'PT', 'DK', 'NO', 'PL', 'CZ', 'GR', 'LU', 'SG', 'HK'])

/** Strongest first: RFC 8760 §2.3. */
const inboundAlgorithms = { any: ['SHA-256', 'MD5'], sha256: ['SHA-256'], md5: ['MD5'] } as const

/** How numbers are dialled in a country. */
function numbersOf(callingCode: string | null, country: string | null): NumberFormat {
  const nationalPrefix = callingCode === '1' ? '1' : noPrefix.has(country ?? '') ? '' : '0'
  return {
    ...(callingCode !== null && { countryCode: callingCode, nationalPrefix }),
    internationalPrefix: callingCode === '1' ? '011' : '00',
  }
}

export const settingsOfDevice = ({ country, callingCode, ...device }: SipDevice): SipDeviceSettings => ({
  ...device,
  numbers: numbersOf(callingCode, country),
})

export function settingsOfLine(line: TrunkLine): SipTrunkSettings {
  const { id, host, port, transport, registers, username, password, domain, addresses, behindNat, numberForm } = line
  const { callingCode, country, inboundUsername, inboundPassword, inboundDigest, restricted } = line
  return {
    id,
    host,
    transport,
    register: registers,
    allowedIps: addresses,
    behindNat,
    numbers: { ...numbersOf(callingCode, country), out: numberForm === 'plus' ? 'e164' : numberForm },
    ...(port !== null && { port }),
    ...(username !== null && { username }),
    ...(password !== null && { password }),
    ...(domain !== null && { domain }),
    ...(restricted && { restricted }),
    ...(inboundUsername !== null &&
      inboundPassword !== null && {
        inboundAuth: {
          username: inboundUsername,
          password: inboundPassword,
          algorithms: inboundAlgorithms[inboundDigest],
        },
      }),
  }
}
