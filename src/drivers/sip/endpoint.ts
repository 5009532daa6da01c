import type { Clock } from '../../lib/clock.ts'
import type { Log } from '../../lib/log.ts'
import { parseUri } from './address.ts'
import { type Dialog, nextHop } from './dialog.ts'
import type { Peer, SipFlow, TransportKind } from './flow.ts'
import type { IncomingRequest } from './incoming-request.ts'
import type { SipTarget } from './resolve.ts'
import type { Transactions } from './transactions.ts'
import type { SipTrunkSettings } from './trunk-settings.ts'

/** Services of the stack for calls and trunks: sending, addressing and dispatch by dialog. */
export interface SipEndpoint {
  clock: Clock
  log: Log
  transactions: Transactions
  trunk(id: string): SipTrunkSettings | undefined
  /** For a restricted trunk, only addresses that companies may use. */
  resolve(place: SipTarget, trunk: Pick<SipTrunkSettings, 'restricted'> | undefined): Promise<Peer[]>
  /** Whether that address belongs to the trunk. */
  isTrunkAddress(trunkId: string, address: string): boolean
  /** The Contact URI at which the far end can reach us. */
  contact(to: SipFlow, user: string): string
  /** Stores our address as the far end sees it, behind NAT. */
  learn(to: SipFlow, seen: { host: string; port: number }): void
  /** Peers that recently failed are tried last. */
  health: PeerHealth
  /** Routes requests within the dialog to the party. */
  adopt(callId: string, tag: string, party: DialogParty): void
  release(callId: string, tag: string): void
}

export interface PeerHealth {
  failed(peer: Peer): void
  sorted(peers: SipFlow[]): SipFlow[]
}

export interface DialogParty {
  /** Whether a request of the dialog may come from the address: that of its peer, or one of its trunk. */
  accepts(address: string): boolean
  receive(incoming: IncomingRequest): void
}

/** The targets of requests within a dialog, in the order in which they are tried. */
export async function peersOf(endpoint: SipEndpoint, dialog: Dialog, flow: SipFlow): Promise<SipFlow[]> {
  const trunk = endpoint.trunk(dialog.trunkId)
  if (trunk?.behindNat) return [flow]
  const uri = parseUri(nextHop(dialog))
  if (!uri || uri.scheme === 'tel') return [flow]
  const transport = uri.scheme === 'sips' ? 'tls' : (kindOf(uri.params.get('transport')) ?? flow.transport)
  const found = await endpoint.resolve({ host: uri.host, port: uri.port, transport }, trunk)
  if (found.length === 0) return [flow]
  // Prefer an open connection to the same host: a new one may be blocked by NAT or a firewall.
  const isSame = transport === flow.transport && found.some(({ address }) => address === flow.address)
  return transport !== 'udp' && isSame ? [flow, ...found] : found
}

const kindOf = (name: string | undefined): TransportKind | undefined =>
  (['udp', 'tcp', 'tls'] as const).find((kind) => kind === name?.toLowerCase())

const shunnedMs = 60_000

export function createPeerHealth(clock: Clock): PeerHealth {
  const shunned = new Map<string, number>()
  const keyOf = ({ transport, address, port }: Peer) => `${transport}|${address}|${port}`
  const isShunned = (peer: Peer) => (shunned.get(keyOf(peer)) ?? 0) > clock.machineNow()
  return {
    failed(peer) {
      if (shunned.size > 1_000) shunned.clear()
      shunned.set(keyOf(peer), clock.machineNow() + shunnedMs)
    },
    sorted: (peers) => [...peers.filter((one) => !isShunned(one)), ...peers.filter(isShunned)],
  }
}
