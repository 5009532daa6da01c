import { escapeUser, hostAndPort } from './address.ts'
import { attempted, type FinalOutcome } from './attempt.ts'
import { newCallId, newTag } from './build.ts'
import type { SipEndpoint } from './endpoint.ts'
import type { SipFlow } from './flow.ts'
import type { Header, SipRequest } from './message.ts'
import type { SipTrunkSettings } from './trunk-settings.ts'

/** Requests of a trunk itself, outside of calls; all have one Call-ID. */
export interface TrunkRequests {
  /** The addresses that the trunk's host resolves to; the last known ones are kept while it does not resolve. */
  peers(): Promise<SipFlow[]>
  hasResolvedTo(address: string): boolean
  contact(peer: SipFlow): string
  /** REGISTER; resolves with the outcome and the Contact as sent. */
  register(seconds: number): Promise<{ result: FinalOutcome; sentContact: string }>
  options(): Promise<FinalOutcome>
}

export function createTrunkRequests(endpoint: SipEndpoint, settings: SipTrunkSettings): TrunkRequests {
  const domain = settings.domain ?? hostAndPort(settings.host, undefined)
  const account = `sip:${settings.username ? `${escapeUser(settings.username)}@` : ''}${domain}`
  const callId = newCallId()
  const tag = newTag()
  let resolved = new Set<string>()
  let seq = 0

  async function peers(): Promise<SipFlow[]> {
    const { host, port, transport } = settings
    const found = await endpoint.resolve({ host, port, transport }, settings)
    // A temporary DNS failure must not lock the trunk out.
    if (found.length > 0) resolved = new Set(found.map(({ address }) => address))
    return found
  }

  function build(method: string, target: string, extra: Header[]): SipRequest {
    seq++
    return {
      kind: 'request',
      method,
      uri: `sip:${domain}`,
      headers: [
        { name: 'max-forwards', value: '70' },
        { name: 'from', value: `<${account}>;tag=${tag}` },
        { name: 'to', value: `<${target}>` },
        { name: 'call-id', value: callId },
        { name: 'cseq', value: `${seq} ${method}` },
        ...extra,
      ],
      body: '',
    }
  }

  const contact = (peer: SipFlow) => endpoint.contact(peer, settings.username ?? '')

  return {
    peers,
    hasResolvedTo: (address) => resolved.has(address),
    contact,
    async register(seconds) {
      let sentContact = ''
      const result = await attempted(endpoint, {
        trunk: settings,
        peers,
        build(peer) {
          sentContact = contact(peer)
          return build('REGISTER', account, [
            { name: 'contact', value: sentContact },
            { name: 'expires', value: String(seconds) },
          ])
        },
      })
      return { result, sentContact }
    },
    options: () =>
      attempted(endpoint, {
        trunk: settings,
        peers,
        build: (peer) =>
          build('OPTIONS', `sip:${domain}`, [
            { name: 'contact', value: contact(peer) },
            { name: 'accept', value: 'application/sdp' },
          ]),
      }),
  }
}
