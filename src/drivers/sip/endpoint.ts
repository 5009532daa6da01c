import type { Clock } from '../../lib/clock.ts'
import type { Log } from '../../lib/log.ts'
import { parseUri } from './address.ts'
import { type Dialog, nextHop } from './dialog.ts'
import type { Place } from './resolve.ts'
import type { Incoming, Transactions } from './transactions.ts'
import type { Flow, Peer, TransportKind } from './transport.ts'
import type { TrunkSettings } from './trunk-settings.ts'

/** What calls and trunks are given: ways to send, to name themselves and to find each other again. */
export interface Endpoint {
  clock: Clock
  log: Log
  transactions: Transactions
  trunk(id: string): TrunkSettings | undefined
  /** Of a restricted trunk, only addresses that customers may name. */
  resolve(place: Place, trunk: Pick<TrunkSettings, 'restricted'> | undefined): Promise<Peer[]>
  /** Whether that address belongs to the trunk. */
  isTrunkAddress(trunkId: string, address: string): boolean
  /** Our own address as the far end can reach it, for Contact. */
  contact(to: Flow, user: string): string
  /** How the far end sees us, where a router stands between. */
  learn(to: Flow, seen: { host: string; port: number }): void
  /** Those that did not answer lately are tried last. */
  health: PeerHealth
  /** Requests within a dialog are given to who took it. */
  adopt(callId: string, tag: string, party: Party): void
  release(callId: string, tag: string): void
}

export interface PeerHealth {
  failed(peer: Peer): void
  sorted(peers: Flow[]): Flow[]
}

export interface Party {
  /** Whether a request of the dialog may come from that address: its peer's, or one of its trunk's. */
  accepts(address: string): boolean
  receive(incoming: Incoming): void
}

/** Where the requests of a dialog may go, in the order in which they are tried. */
export async function peersOf(endpoint: Endpoint, dialog: Dialog, flow: Flow): Promise<Flow[]> {
  const trunk = endpoint.trunk(dialog.trunkId)
  if (trunk?.behindNat) return [flow]
  const uri = parseUri(nextHop(dialog))
  if (!uri || uri.scheme === 'tel') return [flow]
  const transport = uri.scheme === 'sips' ? 'tls' : (kindOf(uri.params.get('transport')) ?? flow.transport)
  const found = await endpoint.resolve({ host: uri.host, port: uri.port, transport }, trunk)
  if (found.length === 0) return [flow]
  // An open connection to the same host is as good as a new one, and passes where a new one would not.
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
