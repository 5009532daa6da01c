import type { Clock } from '../../lib/clock.ts'
import { familiesOf, isOfFamily } from '../../lib/ip-address.ts'
import type { Log } from '../../lib/log.ts'
import { escapeUser, hostAndPort, tagOf } from './address.ts'
import { createCachedResolver } from './cached-resolver.ts'
import type { SipDevices } from './devices.ts'
import { createPeerHealth, type DialogParty, type SipEndpoint } from './endpoint.ts'
import type { SipFlow } from './flow.ts'
import { header, type SipRequest } from './message.ts'
import { type Resolver, systemResolver } from './resolver.ts'
import type { Transactions } from './transactions.ts'
import type { SipTrunkTable } from './trunk-table.ts'

export interface StackEndpoint extends SipEndpoint {
  /** The party of the dialog that the request belongs to. */
  partyOf(request: SipRequest): DialogParty | undefined
}

interface Options {
  clock: Clock
  log: Log
  transactions: Transactions
  trunks: Pick<SipTrunkTable, 'get'>
  devices: Pick<SipDevices, 'settingsOf' | 'owns'>
  resolver?: Resolver | undefined
  admits?: ((address: string) => boolean) | undefined
  /** The address of our sockets: it determines which address families they reach. */
  bind: string
  /** Our own address for the far end. */
  sentBy(to: SipFlow): { host: string; port: number }
}

export function createStackEndpoint(options: Options): StackEndpoint {
  const { clock, log, transactions, trunks, devices, admits, sentBy } = options
  const families = familiesOf(options.bind)
  const resolve = createCachedResolver(clock, options.resolver ?? systemResolver())
  const parties = new Map<string, DialogParty>()
  /** Our address behind NAT, by far end. */
  const seenAs = new Map<string, { host: string; port: number }>()
  return {
    clock,
    log,
    transactions,
    trunk: (id) => trunks.get(id)?.settings ?? devices.settingsOf(id),
    async resolve(place, trunk) {
      const found = (await resolve(place)).filter(({ address }) => isOfFamily(address, families))
      return trunk?.restricted && admits ? found.filter(({ address }) => admits(address)) : found
    },
    isTrunkAddress: (id, address) => trunks.get(id)?.owns(address) ?? devices.owns(id, address),
    health: createPeerHealth(clock),
    contact(to, user) {
      const { host, port } = seenAs.get(`${to.transport}|${to.address}`) ?? sentBy(to)
      const name = user === '' ? '' : `${escapeUser(user)}@`
      return `<sip:${name}${hostAndPort(host, port)}${to.transport === 'udp' ? '' : `;transport=${to.transport}`}>`
    },
    learn: (to, seen) => void seenAs.set(`${to.transport}|${to.address}`, seen),
    adopt: (callId, tag, party) => void parties.set(`${callId}|${tag}`, party),
    release: (callId, tag) => void parties.delete(`${callId}|${tag}`),
    partyOf: (request) => parties.get(`${header(request, 'call-id')}|${tagOf(header(request, 'to'))}`),
  }
}
