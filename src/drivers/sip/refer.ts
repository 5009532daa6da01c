import { parseAddress, parseUri } from './address.ts'
import { makeResponse } from './build.ts'
import type { ReplacedDialog } from './call.ts'
import type { IncomingRequest } from './incoming-request.ts'
import { header } from './message.ts'
import { fromTrunk } from './numbers.ts'
import { type SessionState, sendRequest, trunkOfSession } from './session-state.ts'

// RFC 3515: a device asks us to transfer its call. A trunk cannot: it would make us dial.

export function handleRefer(session: SessionState, incoming: IncomingRequest) {
  const { request } = incoming
  const respond = (status: number) => incoming.respond(makeResponse(request, status, undefined))
  const trunk = trunkOfSession(session)
  if (!trunk?.isDevice || session.refer) return respond(603)
  const [target = '', query = ''] = (parseAddress(header(request, 'refer-to') ?? '')?.uri ?? '').split('?')
  const uri = parseUri(target)
  if (!uri || uri.user === '') return respond(400)
  respond(202)
  session.refer = true
  void notifyRefer(session, 'trying')
  const replaces = replacedBy(query)
  const to = fromTrunk(uri.user, trunk.numbers) ?? uri.user
  session.hooks.emit({ kind: 'leg.referred', to, ...(replaces && { replaces }) })
}

/** RFC 3891 §3: `Replaces=call-id;to-tag=…;from-tag=…` among the headers of the URI. */
function replacedBy(query: string): ReplacedDialog | undefined {
  const found = query.split('&').find((piece) => /^replaces=/i.test(piece))
  if (found === undefined) return undefined
  const [callId = '', ...params] = unescaped(found.slice('replaces='.length)).split(';')
  const tags = params.flatMap((param) => /^(?:to|from)-tag=(.+)$/i.exec(param.trim())?.[1] ?? [])
  return { callId, tags }
}

function unescaped(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    // Malformed: no dialog has this id.
    return ''
  }
}

const outcomes = {
  trying: ['SIP/2.0 100 Trying', 'active;expires=60'],
  done: ['SIP/2.0 200 OK', 'terminated;reason=noresource'],
  refused: ['SIP/2.0 603 Decline', 'terminated;reason=noresource'],
} as const

/** §2.4.4: reports how the transfer went; the last report ends it. Nothing without a transfer. */
export async function notifyRefer(session: SessionState, outcome: keyof typeof outcomes): Promise<void> {
  if (!session.refer) return
  if (outcome !== 'trying') session.refer = false
  const [line, state] = outcomes[outcome]
  const headers = [
    { name: 'event', value: 'refer' },
    { name: 'subscription-state', value: state },
    { name: 'content-type', value: 'message/sipfrag;version=2.0' },
  ]
  await sendRequest(session, 'NOTIFY', headers, `${line}\r\n`)
}
