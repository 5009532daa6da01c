import type { Cancel } from '../../lib/clock.ts'
import { secureRandom } from '../../lib/random.ts'
import { escapeUser, hostAndPort, parseAddress, parseVia } from './address.ts'
import { attempted, type FinalOutcome } from './attempt.ts'
import { newCallId, newTag } from './build.ts'
import type { SipEndpoint } from './endpoint.ts'
import type { SipFlow } from './flow.ts'
import { addressList } from './guard.ts'
import { type Header, header, headerList, type SipRequest, type SipResponse } from './message.ts'
import type { SipTrunkSettings } from './trunk-settings.ts'

/** A configured trunk: registers, checks the far end with OPTIONS, and matches source addresses. */
export interface SipTrunk {
  settings: SipTrunkSettings
  /** undefined until it is known. */
  isUp(): boolean | undefined
  /** Whether the address is listed in the settings, or the host resolves to it. */
  owns(address: string): boolean
  start(): void
  /** Unregisters. */
  close(): Promise<void>
}

const defaultOptionsSeconds = 30
const defaultRegisterSeconds = 300
const firstBackOff = 5_000
const maxBackOff = 300_000
/** Carriers ban clients that keep registering with a wrong password. */
const refusedBackOff = 60_000

export function createSipTrunk(
  endpoint: SipEndpoint,
  settings: SipTrunkSettings,
  changed: (up: boolean, detail: string) => void,
): SipTrunk {
  const isListed = addressList(settings.allowedIps)
  const domain = settings.domain ?? hostAndPort(settings.host, undefined)
  const callId = newCallId()
  const tag = newTag()
  const optionsSeconds = settings.optionsSeconds ?? defaultOptionsSeconds
  let resolved = new Set<string>()
  let seq = 0
  let expires = settings.registerSeconds ?? defaultRegisterSeconds
  let failures = 0
  let isRegistered: boolean | undefined = settings.register ? undefined : true
  let isAnswering: boolean | undefined = optionsSeconds > 0 ? undefined : true
  let known: boolean | undefined
  /** The last response or error, preferring the one that keeps the trunk down. */
  let detail = ''
  let isClosed = false
  let cancelRegister: Cancel = () => {}
  let cancelOptions: Cancel = () => {}

  function judge() {
    const isDown = isRegistered === false || isAnswering === false
    const isUp = isDown ? false : isRegistered && isAnswering
    if (isClosed || isUp === undefined || isUp === known) return
    known = isUp
    changed(isUp, detail)
  }

  async function peers(): Promise<SipFlow[]> {
    const { host, port, transport } = settings
    const found = await endpoint.resolve({ host, port, transport }, settings)
    // A temporary DNS failure must not lock the trunk out.
    if (found.length > 0) resolved = new Set(found.map(({ address }) => address))
    return found
  }

  function build(method: string, own: string, target: string, extra: Header[]): SipRequest {
    seq++
    return {
      kind: 'request',
      method,
      uri: `sip:${domain}`,
      headers: [
        { name: 'max-forwards', value: '70' },
        { name: 'from', value: `<${own}>;tag=${tag}` },
        { name: 'to', value: `<${target}>` },
        { name: 'call-id', value: callId },
        { name: 'cseq', value: `${seq} ${method}` },
        ...extra,
      ],
      body: '',
    }
  }

  const account = `sip:${settings.username ? `${escapeUser(settings.username)}@` : ''}${domain}`
  const contact = (peer: SipFlow) => endpoint.contact(peer, settings.username ?? '')

  const register = (seconds: number) => {
    let sentContact = ''
    const done = attempted(endpoint, {
      trunk: settings,
      peers,
      build(peer) {
        sentContact = contact(peer)
        return build('REGISTER', account, account, [
          { name: 'contact', value: sentContact },
          { name: 'expires', value: String(seconds) },
        ])
      },
    })
    return done.then((result) => ({ result, sentContact }))
  }

  async function registerOnce() {
    const { result, sentContact } = await register(expires)
    if (isClosed) return
    const next = registered(result, sentContact)
    judge()
    if (!isClosed) cancelRegister = endpoint.clock.machineAfter(next, () => run(registerOnce))
  }

  /** Returns the delay until the next registration, in ms. */
  function registered(result: FinalOutcome, sentContact: string): number {
    if (result.kind !== 'response') {
      detail = `REGISTER: ${detailOf(result)}`
      return backOff(firstBackOff)
    }
    const { response, peer } = result
    detail = `REGISTER: ${detailOf(result)}`
    const wanted = Number(header(response, 'min-expires'))
    if (response.status === 423 && wanted > expires && wanted <= 86_400) {
      expires = wanted
      return 0
    }
    if (response.status >= 300) return backOff(isRefusal(response) ? refusedBackOff : firstBackOff, response)
    isRegistered = true
    failures = 0
    if (settings.behindNat) {
      learn(response, peer)
      // Register again with the public address, otherwise calls arrive at the old one.
      if (contact(peer) !== sentContact) return 0
    }
    const seconds = grantedSeconds(response, sentContact) ?? expires
    return 1_000 * Math.max(seconds > 60 ? seconds - 30 : seconds / 2, 1)
  }

  function backOff(first: number, response?: SipResponse): number {
    isRegistered = false
    const doubled = Math.min(first * 2 ** Math.min(failures++, 10), maxBackOff)
    const asked = Number(/^\d{1,5}/.exec(response ? (header(response, 'retry-after') ?? '') : '')?.[0] ?? 0) * 1_000
    // Jitter, so that trunks do not all register at once.
    return Math.max(doubled * (0.8 + 0.4 * secureRandom()), Math.min(asked, 3_600_000))
  }

  function learn(response: SipResponse, peer: SipFlow) {
    const via = parseVia(headerList(response, 'via')[0] ?? '')
    const host = via?.params.get('received') || via?.host
    const port = Number(via?.params.get('rport') || via?.port)
    if (host && port > 0 && port < 65_536) endpoint.learn(peer, { host, port })
  }

  async function optionsOnce() {
    const result = await attempted(endpoint, {
      trunk: settings,
      peers,
      build: (peer) =>
        build('OPTIONS', account, `sip:${domain}`, [
          { name: 'contact', value: contact(peer) },
          { name: 'accept', value: 'application/sdp' },
        ]),
    })
    if (isClosed) return
    // Any response shows that the far end is up, except these two.
    isAnswering = result.kind === 'response' && result.response.status !== 503 && result.response.status !== 408
    if (isRegistered !== false) detail = `OPTIONS: ${detailOf(result)}`
    judge()
    cancelOptions = endpoint.clock.machineAfter(optionsSeconds * 1_000, () => run(optionsOnce))
  }

  const run = (work: () => Promise<void>) => {
    work().catch((error) =>
      endpoint.log.error({ event: 'sip.trunk_failed', error, trunkId: settings.id }, 'trunk check failed'),
    )
  }

  return {
    settings,
    isUp: () => known,
    owns: (address) => isListed(address) || resolved.has(address),
    start() {
      run(async () => void (await peers()))
      if (settings.register) run(registerOnce)
      if (optionsSeconds > 0) run(optionsOnce)
      judge()
    },
    async close() {
      isClosed = true
      cancelRegister()
      cancelOptions()
      if (settings.register && isRegistered) await register(0)
    },
  }
}

function detailOf(result: FinalOutcome): string {
  switch (result.kind) {
    case 'response':
      return `${result.response.status} ${result.response.phrase}`.trim().slice(0, 100)
    case 'timedOut':
      return 'no response'
    case 'unreachable':
      return 'host unreachable or not resolved'
    case 'cancelled':
      return 'cancelled'
  }
}

const isRefusal = ({ status }: SipResponse) => status === 401 || status === 403 || status === 404 || status === 407

/** RFC 3261 §10.2.4: the expiry of our own Contact, else of the response. */
function grantedSeconds(response: SipResponse, sentContact: string): number | undefined {
  const own = parseAddress(sentContact)?.uri
  const contacts = headerList(response, 'contact').map(parseAddress)
  const mine = contacts.find((one) => one?.uri === own) ?? (contacts.length === 1 ? contacts[0] : undefined)
  const text = mine?.params.get('expires') ?? header(response, 'expires')
  return text !== undefined && /^\d{1,7}$/.test(text) && Number(text) > 0 ? Number(text) : undefined
}
