import { parseVia } from './address.ts'
import type { SipFlow } from './flow.ts'
import { headerList, type SipRequest } from './message.ts'

/** RFC 3261 §18.2.2 and RFC 3581: back to the source, never to an address that only the message names. */
export function answerFlow(request: SipRequest, flow: SipFlow): SipFlow {
  const via = parseVia(headerList(request, 'via')[0] ?? '')
  if (flow.transport !== 'udp' || !via || via.params.has('rport')) return flow
  return { ...flow, port: via.port ?? 5060 }
}
