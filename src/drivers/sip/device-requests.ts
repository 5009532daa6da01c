import { deviceRealm } from '../../domain/device.ts'
import type { Clock } from '../../lib/clock.ts'
import { attempted } from './attempt.ts'
import { newCallId, newTag } from './build.ts'
import type { SipCall } from './call.ts'
import type { RegisteredContact } from './device-contacts.ts'
import { credentialsOfDevice, type SipDeviceSettings, trunkIdOfDevice } from './device-settings.ts'
import type { SipDevices } from './devices.ts'
import type { DigestFallback } from './digest-fallback.ts'
import type { SipEndpoint } from './endpoint.ts'
import type { SipGuard } from './guard.ts'
import { type IncomingRequest, respondTo } from './incoming-request.ts'
import { problemOfInvite } from './new-invite.ts'
import type { NewRequestContext } from './new-request-context.ts'
import { handleOtherRequest } from './new-requests.ts'
import { handleRegister } from './registrar.ts'

// Requests outside of dialogs from devices: every REGISTER and INVITE is authenticated, wherever it comes from.

export interface DeviceRequestContext extends NewRequestContext {
  clock: Clock
  devices: SipDevices
  /** Counts wrong passwords by source address and device: an office may have one phone with an old password. */
  guesses: SipGuard
  digestFallback: DigestFallback
  onDeviceCall(call: SipCall, device: SipDeviceSettings): void
}

export function handleDeviceRequest(
  context: DeviceRequestContext,
  incoming: IncomingRequest,
  device: SipDeviceSettings,
) {
  switch (incoming.request.method) {
    case 'REGISTER':
      if (!context.isOpen()) return respondTo(incoming, 503)
      if (isAuthenticated(context, incoming, device)) handleRegister(context, incoming, device)
      return
    case 'INVITE':
      return handleDeviceInvite(context, incoming, device)
    default:
      return handleOtherRequest(context, incoming)
  }
}

function handleDeviceInvite(context: DeviceRequestContext, incoming: IncomingRequest, device: SipDeviceSettings) {
  if (problemOfInvite(context, incoming) || !isAuthenticated(context, incoming, device)) return
  const settings = context.devices.settingsOf(trunkIdOfDevice(device.deviceId))
  if (!settings) return respondTo(incoming, 403)
  context.onDeviceCall(context.calls.accept(incoming, settings), device)
}

/** Responds with a challenge unless the credentials are right. */
function isAuthenticated(
  { digestAuth, digestFallback, guesses, log }: DeviceRequestContext,
  incoming: IncomingRequest,
  device: SipDeviceSettings,
): boolean {
  const { address } = incoming.flow
  const { deviceId } = device
  const source = `${address} ${deviceId}`
  if (!guesses.admits(source)) {
    respondTo(incoming, 403)
    return false
  }
  const found = digestAuth.authenticate(incoming.request, deviceRealm, credentialsOfDevice(device), () =>
    digestFallback.offerTo(source),
  )
  if (found.verdict === 'ok') {
    digestFallback.succeeded(source)
    return true
  }
  if (found.verdict === 'wrong') {
    const outcome = guesses.failed(source)
    const facts = { event: 'device.auth_failed', deviceId, address, blocked: outcome === 'banned' }
    log.warn(facts, 'device with a wrong password')
  }
  respondTo(
    incoming,
    401,
    found.challenges.map((value) => ({ name: 'www-authenticate', value })),
  )
  return false
}

/** OPTIONS: any response shows that the device is there. */
export async function isDeviceAnswering(
  endpoint: SipEndpoint,
  { username }: SipDeviceSettings,
  { contact, flow }: RegisteredContact,
): Promise<boolean> {
  const result = await attempted(endpoint, {
    trunk: undefined,
    peers: async () => [flow],
    build: (peer) => {
      const own = endpoint.contact(peer, '')
      return {
        kind: 'request',
        method: 'OPTIONS',
        uri: contact.uri,
        headers: [
          { name: 'max-forwards', value: '70' },
          { name: 'from', value: `${own};tag=${newTag()}` },
          { name: 'to', value: `<${contact.uri}>` },
          { name: 'call-id', value: newCallId() },
          { name: 'cseq', value: '1 OPTIONS' },
          { name: 'contact', value: endpoint.contact(peer, username) },
        ],
        body: '',
      }
    },
  })
  return result.kind === 'response'
}
