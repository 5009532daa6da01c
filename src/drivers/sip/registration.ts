import { secureRandom } from '../../lib/random.ts'
import { parseAddress, parseVia } from './address.ts'
import type { FinalOutcome } from './attempt.ts'
import type { SipEndpoint } from './endpoint.ts'
import type { SipFlow } from './flow.ts'
import { header, headerList, type SipResponse } from './message.ts'
import type { TrunkRequests } from './trunk-requests.ts'
import type { SipTrunkSettings } from './trunk-settings.ts'

/** The registration of a trunk with its carrier (RFC 3261 §10). */
export interface Registration {
  /** undefined until the first response. */
  isRegistered(): boolean | undefined
  /** Registers once. Resolves with the delay until the next registration; undefined once it is closed. */
  register(): Promise<{ result: FinalOutcome; nextMs: number } | undefined>
  /** Unregisters. */
  close(): Promise<void>
}

const defaultRegisterSeconds = 300
const firstBackOff = 5_000
const maxBackOff = 300_000
/** Carriers ban clients that keep registering with a wrong password. */
const refusedBackOff = 60_000

export function createRegistration(
  endpoint: SipEndpoint,
  settings: SipTrunkSettings,
  requests: TrunkRequests,
): Registration {
  let expires = settings.registerSeconds ?? defaultRegisterSeconds
  let failures = 0
  let isRegistered: boolean | undefined
  let isClosed = false

  /** The delay until the next registration, in ms. */
  function nextAfter(result: FinalOutcome, sentContact: string): number {
    if (result.kind !== 'response') return backOff(firstBackOff)
    const { response, peer } = result
    const wanted = Number(header(response, 'min-expires'))
    if (response.status === 423 && wanted > expires && wanted <= 86_400) {
      expires = wanted
      return 0
    }
    if (response.status >= 300) return backOff(isRefusal(response) ? refusedBackOff : firstBackOff, response)
    isRegistered = true
    failures = 0
    if (settings.behindNat) {
      learnOwnAddress(endpoint, response, peer)
      // Register again with the public address, otherwise calls arrive at the old one.
      if (requests.contact(peer) !== sentContact) return 0
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

  return {
    isRegistered: () => isRegistered,
    async register() {
      const { result, sentContact } = await requests.register(expires)
      return isClosed ? undefined : { result, nextMs: nextAfter(result, sentContact) }
    },
    async close() {
      isClosed = true
      if (isRegistered) await requests.register(0)
    },
  }
}

const isRefusal = ({ status }: SipResponse) => status === 401 || status === 403 || status === 404 || status === 407

/** Our address as the far end sees it, behind NAT (RFC 3581). */
function learnOwnAddress(endpoint: SipEndpoint, response: SipResponse, peer: SipFlow): void {
  const via = parseVia(headerList(response, 'via')[0] ?? '')
  const host = via?.params.get('received') || via?.host
  const port = Number(via?.params.get('rport') || via?.port)
  if (host && port > 0 && port < 65_536) endpoint.learn(peer, { host, port })
}

/** RFC 3261 §10.2.4: the expiry of our own Contact, else of the response. */
function grantedSeconds(response: SipResponse, sentContact: string): number | undefined {
  const own = parseAddress(sentContact)?.uri
  const contacts = headerList(response, 'contact').map(parseAddress)
  const mine = contacts.find((one) => one?.uri === own) ?? (contacts.length === 1 ? contacts[0] : undefined)
  const text = mine?.params.get('expires') ?? header(response, 'expires')
  return text !== undefined && /^\d{1,7}$/.test(text) && Number(text) > 0 ? Number(text) : undefined
}
