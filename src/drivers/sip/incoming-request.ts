import { makeResponse, newTag } from './build.ts'
import type { SipFlow } from './flow.ts'
import type { Header, SipRequest, SipResponse } from './message.ts'

/** A request that needs one final response. */
export interface IncomingRequest {
  request: SipRequest
  flow: SipFlow
  respond(response: SipResponse): void
  /** No final response has been sent. */
  isOpen(): boolean
}

/** A response to a request outside of a dialog. */
export const respondTo = (incoming: IncomingRequest, status: number, headers: Header[] = []) =>
  incoming.respond(makeResponse(incoming.request, status, newTag(), { headers }))
