import { allowedMethods, supportedOptions } from './build.ts'
import { type IncomingRequest, respondTo } from './incoming-request.ts'
import { handleInvite } from './new-invite.ts'
import type { NewRequestContext, TrunksOfSource } from './new-request-context.ts'

/** Handles a request outside of any dialog, of the trunks that have its source address. */
export function handleNewRequest(context: NewRequestContext, incoming: IncomingRequest, trunks: TrunksOfSource) {
  if (incoming.request.method === 'INVITE') return handleInvite(context, incoming, trunks)
  handleOtherRequest(context, incoming)
}

/** Any request but INVITE. */
export function handleOtherRequest(context: Pick<NewRequestContext, 'isOpen'>, incoming: IncomingRequest) {
  switch (incoming.request.method) {
    case 'OPTIONS':
      return respondTo(incoming, context.isOpen() ? 200 : 503, [
        { name: 'allow', value: allowedMethods },
        { name: 'accept', value: 'application/sdp' },
        { name: 'supported', value: supportedOptions },
      ])
    case 'REFER':
      return respondTo(incoming, 603)
    case 'BYE':
    case 'UPDATE':
    case 'PRACK':
    case 'INFO':
      return respondTo(incoming, 481)
    default:
      return respondTo(incoming, 405, [{ name: 'allow', value: allowedMethods }])
  }
}

export function handleCancel({ transactions, calls }: NewRequestContext, incoming: IncomingRequest) {
  const invite = transactions.cancelled(incoming.request)
  // RFC 3261 §9.1: CANCEL is hop by hop, so it has the source address of the INVITE.
  const isSender = invite?.flow.address === incoming.flow.address
  if (!invite || !isSender) return respondTo(incoming, 481)
  respondTo(incoming, 200)
  const call = calls.callOf(invite)
  if (call) call.cancel()
  // The trunk is still being determined.
  else if (invite.isOpen()) respondTo(invite, 487)
}
