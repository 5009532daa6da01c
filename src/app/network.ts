import type { Config } from '../config.ts'
import { createAddressPolicy, type PolicyOptions } from '../lib/address-policy.ts'
import { createSafeFetch, type SafeFetch } from '../lib/safe-fetch.ts'
import { createTrunkHosts, type TrunkHosts } from '../lib/trunk-hosts.ts'
import type { AppContext } from './context.ts'
import type { ProcessPart } from './part.ts'

export interface Network {
  /** HTTP client for URLs of customers. */
  outbound: SafeFetch
  /** HTTP client for servers that the operator configured: any address is allowed. */
  trusted: SafeFetch
  trunkHosts: TrunkHosts
  part: ProcessPart
}

export function createNetwork({ config, overrides, clock }: AppContext): Network {
  const receivers = receiversOf(config)
  const outbound = createSafeFetch({ clock, ...receivers, ...overrides.network })
  const trunkHosts = createTrunkHosts({
    isRestricted: config.tenancy === 'multi',
    loopback: config.loopbackReceivers,
    policy: createAddressPolicy(receivers),
  })
  const trusted = createSafeFetch({
    clock,
    loopback: true,
    allowRanges: [],
    ownNames: [],
    ownPorts: [],
    trusted: true,
    ...overrides.network,
  })
  const part: ProcessPart = {
    name: 'HTTP clients',
    async stop() {
      await outbound.close()
      await trusted.close()
    },
  }
  return { outbound, trusted, trunkHosts, part }
}

/** Which destinations URLs and trunk hosts of customers may have. */
export const receiversOf = (config: Config): PolicyOptions => ({
  loopback: config.loopbackReceivers,
  allowRanges: config.allowedRanges,
  ownNames: [...new Set(Object.values(config.links).map((link) => new URL(link).hostname))],
  ownPorts: ownPorts(config),
})

/** Ports of this installation and its database: no URL of a customer may lead there. */
function ownPorts({ port, admin, database }: Config): number[] {
  const store = database.kind === 'postgres' ? [Number(new URL(database.url).port || 5_432)] : []
  return [port, ...(admin ? [admin.port] : []), ...store]
}
