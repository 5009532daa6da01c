import type { Buffer } from 'node:buffer'
import { parseVia, tagOf } from './address.ts'
import { answerFlow } from './answer-flow.ts'
import { makeResponse, newTag } from './build.ts'
import type { SipDeviceSettings } from './device-settings.ts'
import type { DialogParty } from './endpoint.ts'
import type { SipFlow } from './flow.ts'
import type { SipGuard } from './guard.ts'
import { type IncomingRequest, respondTo } from './incoming-request.ts'
import { header, headerList, parseMessage, type SipRequest, type SipResponse, writeMessage } from './message.ts'
import type { Transactions } from './transactions.ts'
import type { SipTrunk } from './trunk.ts'
import { isUsable, validateRequest } from './validity.ts'

/** Handles messages from the transport. */
export interface SipDispatcher {
  receive(bytes: Buffer, flow: SipFlow): void
}

export interface SipDispatcherOptions {
  guard: SipGuard
  transactions: Transactions
  send(bytes: Buffer, to: SipFlow): Promise<void>
  /** All trunks with that address; several companies may have the same carrier. */
  trunksAt(address: string): SipTrunk[]
  /** The device that a request names as its sender; its credentials are checked later. */
  deviceOf(request: SipRequest): SipDeviceSettings | undefined
  isDeviceAt(address: string): boolean
  partyOf(request: SipRequest): DialogParty | undefined
  /** A request outside any dialog. */
  begin(incoming: IncomingRequest, trunks: readonly [SipTrunk, ...SipTrunk[]]): void
  /** A request outside any dialog that names a device. */
  beginDevice(incoming: IncomingRequest, device: SipDeviceSettings): void
  /** A request within a dialog that does not come from its peer. */
  foreign(request: SipRequest, flow: SipFlow): void
  cancel(incoming: IncomingRequest): void
  /** A 2xx to an INVITE that this process did not send. */
  stray(response: SipResponse, flow: SipFlow): void
  refused(address: string, outcome: 'counted' | 'banned'): void
}

/** Dispatches messages. A source that is no trunk, names no device and is not the peer of a dialog gets no response. */
export function createSipDispatcher(options: SipDispatcherOptions): SipDispatcher {
  const { guard, transactions } = options

  function refuse({ address }: SipFlow) {
    const isKnown = options.trunksAt(address).length > 0 || options.isDeviceAt(address)
    if (!isKnown) options.refused(address, guard.failed(address))
  }

  function receiveResponse(response: SipResponse, flow: SipFlow) {
    if (!isUsable(response)) return refuse(flow)
    if (transactions.handleResponse(response)) return
    const isAnswer = response.status >= 200 && response.status < 300 && header(response, 'cseq')?.endsWith(' INVITE')
    if (options.trunksAt(flow.address).length === 0) return refuse(flow)
    if (isAnswer && guard.withinRate(flow.address)) options.stray(response, flow)
  }

  function receiveRequest(raw: SipRequest, flow: SipFlow) {
    const invalid = validateRequest(raw)
    const [trunk, ...others] = options.trunksAt(flow.address)
    if (invalid) return trunk ? rejectInvalid(raw, flow, invalid.status, invalid.phrase) : refuse(flow)
    const device = options.deviceOf(raw)
    const behindNat = device !== undefined || [trunk, ...others].some((one) => one?.settings.behindNat)
    const request = stamped(raw, flow, behindNat)
    const party = options.partyOf(request)
    if (!party && !trunk && !device) return refuse(flow)
    if (party && !party.accepts(flow.address)) {
      options.foreign(request, flow)
      return refuse(flow)
    }
    if (!party && !guard.withinRate(flow.address)) return
    const incoming = transactions.handleRequest(request, flow)
    if (!incoming) return
    if (request.method === 'ACK') return party?.receive(incoming)
    if (request.method === 'CANCEL') return options.cancel(incoming)
    const unknown = headerList(request, 'require').filter((one) => !understood.includes(one.toLowerCase()))
    if (unknown.length > 0) return respondTo(incoming, 420, [{ name: 'unsupported', value: unknown.join(', ') }])
    if (party) return party.receive(incoming)
    if (tagOf(header(request, 'to'))) return respondTo(incoming, 481)
    if (device) return options.beginDevice(incoming, device)
    if (trunk) options.begin(incoming, [trunk, ...others])
  }

  /** Stateless: an incomplete request has no transaction key. */
  function rejectInvalid(request: SipRequest, flow: SipFlow, status: number, phrase: string) {
    const canAnswer =
      request.method !== 'ACK' && ['via', 'from', 'to', 'call-id', 'cseq'].every((n) => header(request, n))
    if (!canAnswer || !guard.withinRate(flow.address)) return
    const response = makeResponse(stamped(request, flow, false), status, newTag(), { phrase })
    // A failure to send this response is ignored.
    options.send(writeMessage(response), answerFlow(request, flow)).catch(() => {})
  }

  return {
    receive(bytes, flow) {
      const parsed = parseMessage(bytes)
      if (!parsed.ok) return refuse(flow)
      if (parsed.message.kind === 'response') receiveResponse(parsed.message, flow)
      else receiveRequest(parsed.message, flow)
    },
  }
}

const understood = ['100rel', 'timer']

/** RFC 3261 §18.2.1 and RFC 3581 §4: adds the source address to the top Via. */
function stamped(request: SipRequest, flow: SipFlow, behindNat: boolean): SipRequest {
  const index = request.headers.findIndex(({ name }) => name === 'via')
  const value = request.headers[index]?.value ?? ''
  const [first = '', ...others] = headerList(request, 'via')
  const via = parseVia(first)
  if (!via || index < 0) return request
  const bare = first.replace(/;\s{0,4}(?:received|rport)(?:=[^;]{0,60})?(?=;|$)/gi, '')
  const wantsPort = behindNat || via.params.has('rport')
  const isElsewhere = via.host !== flow.address
  const mark = `${isElsewhere || wantsPort ? `;received=${flow.address}` : ''}${wantsPort ? `;rport=${flow.port}` : ''}`
  const rest = value.slice(value.indexOf(first) + first.length)
  const headers = request.headers.with(index, { name: 'via', value: `${bare}${mark}${others.length > 0 ? rest : ''}` })
  return { ...request, headers }
}
