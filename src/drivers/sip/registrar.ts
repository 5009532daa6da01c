import type { Clock } from '../../lib/clock.ts'
import { type NameAddr, parseAddress, parseUri } from './address.ts'
import type { SipDeviceSettings } from './device-settings.ts'
import type { SipDevices } from './devices.ts'
import { type IncomingRequest, respondTo } from './incoming-request.ts'
import { type Header, header, headerList, type SipRequest } from './message.ts'

// RFC 3261 §10.3: REGISTER of an authenticated device.

const minExpires = 60
const maxExpires = 3_600
const maxUriLength = 255

interface Options {
  clock: Clock
  devices: SipDevices
}

export function handleRegister({ clock, devices }: Options, incoming: IncomingRequest, device: SipDeviceSettings) {
  const { request } = incoming
  const values = headerList(request, 'contact')
  if (userOf(request) !== device.username) return respondTo(incoming, 404)
  if (values.includes('*')) {
    // §10.3 step 6: a wildcard removes all contacts, alone and with expiry 0 only.
    if (values.length > 1 || header(request, 'expires') !== '0') return respondTo(incoming, 400)
    for (const { contact } of devices.contactsOf(device.deviceId)) devices.unregister(device.deviceId, contact.uri)
    return respondTo(incoming, 200)
  }
  const wanted = values.map(parseAddress).filter((one) => one !== undefined)
  if (wanted.some(({ uri }) => !isUsableUri(uri))) return respondTo(incoming, 400)
  const isBrief = wanted.some((one) => secondsOf(request, one) > 0 && secondsOf(request, one) < minExpires)
  if (isBrief) return respondTo(incoming, 423, [{ name: 'min-expires', value: String(minExpires) }])
  for (const one of wanted) store({ clock, devices }, incoming, device, one)
  respondTo(incoming, 200, bindings({ clock, devices }, device.deviceId))
}

function store(
  { clock, devices }: Options,
  { request, flow }: IncomingRequest,
  device: SipDeviceSettings,
  one: NameAddr,
) {
  const seconds = Math.min(secondsOf(request, one), maxExpires)
  if (seconds === 0) return devices.unregister(device.deviceId, one.uri)
  const { transport, address, port } = flow
  const contact = {
    uri: one.uri,
    transport,
    address,
    port,
    expiresAt: clock.machineNow() + seconds * 1_000,
    userAgent: (header(request, 'user-agent') ?? '').slice(0, 120),
  }
  const domain = parseUri(request.uri)?.host ?? ''
  devices.register(device, { contact, flow, instance: one.params.get('+sip.instance') }, domain)
}

/** The account is the user of To (§10.2). */
const userOf = (request: SipRequest) => parseUri(parseAddress(header(request, 'to') ?? '')?.uri ?? '')?.user

const isUsableUri = (uri: string) => uri.length <= maxUriLength && /^sips?$/.test(parseUri(uri)?.scheme ?? '')

/** §10.3 step 7: the parameter of the contact, else the header. */
function secondsOf(request: SipRequest, { params }: NameAddr): number {
  const text = params.get('expires') ?? header(request, 'expires') ?? ''
  return /^\d{1,9}$/.test(text) ? Number(text) : maxExpires
}

/** §10.3 step 8: all current contacts with the rest of their time. */
function bindings({ clock, devices }: Options, deviceId: string): Header[] {
  return devices.contactsOf(deviceId).map(({ contact: { uri, expiresAt } }) => {
    const seconds = Math.max(0, Math.round((expiresAt - clock.machineNow()) / 1_000))
    return { name: 'contact', value: `<${uri}>;expires=${seconds}` }
  })
}
