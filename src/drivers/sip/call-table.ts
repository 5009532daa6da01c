import type { SipCall } from './call.ts'
import type { SipEndpoint } from './endpoint.ts'
import { createIncomingCall, type IncomingCall } from './incoming-call.ts'
import type { IncomingRequest } from './incoming-request.ts'
import { createOutgoingCall } from './outgoing-call.ts'
import type { InviteOptions } from './outgoing-state.ts'
import type { SipTrunkSettings } from './trunk-settings.ts'

/** The calls of the stack, until the far end has confirmed their end. */
export interface SipCallTable {
  dial(trunk: SipTrunkSettings, options: InviteOptions): SipCall
  accept(invite: IncomingRequest, trunk: SipTrunkSettings): SipCall
  /** The call of an INVITE; undefined if it has none, or has ended. */
  callOf(invite: IncomingRequest): IncomingCall | undefined
  /** Resolves when the far ends have confirmed. */
  hangUpAll(): Promise<unknown>
  count(): number
}

export function createSipCallTable(endpoint: SipEndpoint): SipCallTable {
  const calls = new Set<{ call: SipCall; closed: Promise<void> }>()
  const incoming = new Map<IncomingRequest, IncomingCall>()
  return {
    dial(trunk, options) {
      const own = createOutgoingCall(endpoint, trunk, options, () => calls.delete(own))
      calls.add(own)
      return own.call
    },
    accept(invite, trunk) {
      const own = createIncomingCall(endpoint, invite, trunk, () => {
        calls.delete(own)
        incoming.delete(invite)
      })
      calls.add(own)
      incoming.set(invite, own)
      return own.call
    },
    callOf: (invite) => incoming.get(invite),
    hangUpAll() {
      const closing = [...calls].map(({ call, closed }) => {
        call.hangup('lost')
        return closed
      })
      return Promise.allSettled(closing)
    },
    count: () => calls.size,
  }
}
