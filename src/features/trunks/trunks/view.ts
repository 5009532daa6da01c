import { type Static, Type } from 'typebox'
import { nullable, oneOf, Timestamp } from '../../../http/schemas.ts'
import { isoSeconds } from '../../../lib/time-format.ts'
import { codecNames } from '../../../media/codecs.ts'
import type { Trunk } from './store.ts'

export const transports = ['udp', 'tcp', 'tls', 'auto'] as const
export const numberForms = ['plus', 'digits', 'national'] as const
export const inboundDigests = ['any', 'sha256', 'md5'] as const

const stateFields = {
  state: oneOf(['up', 'down', 'unknown', 'off'] as const),
  state_since: nullable(Timestamp),
  state_detail: nullable(Type.String({ description: 'The last SIP response or error', examples: ['403 Forbidden'] })),
}

export const TrunkView = Type.Object({
  id: Type.Integer(),
  name: Type.String(),
  enabled: Type.Boolean(),
  host: Type.String({
    description: 'Host name or IP address of the carrier; a name without a port is resolved by SRV first',
  }),
  port: nullable(Type.Integer()),
  transport: oneOf(transports),
  srtp: Type.Boolean({ description: 'SRTP media encryption; requires TLS' }),
  registers: Type.Boolean({
    description: 'Whether Hookswitch registers with the carrier, which then sends calls to the registered contact',
  }),
  username: nullable(Type.String()),
  has_password: Type.Boolean({ description: 'The password is never returned' }),
  domain: nullable(Type.String()),
  addresses: Type.Array(Type.String(), { description: 'Allowed source IPs of its calls; empty: its host' }),
  prefixes: Type.Array(Type.String(), { description: 'Allowed prefixes of called numbers; empty: all' }),
  number_form: oneOf(numberForms, {
    description: 'Number format sent to the carrier: +14155550123, 14155550123, national',
  }),
  behind_nat: Type.Boolean(),
  emergency: Type.Boolean({ description: 'Whether it carries emergency calls' }),
  priority: Type.Integer({ description: 'Lower values are used first; the next trunk is used if it fails' }),
  max_calls: Type.Integer(),
  inbound_username: nullable(Type.String({ description: 'Calls from the trunk must authenticate with it' })),
  has_inbound_password: Type.Boolean({ description: 'The password is never returned' }),
  inbound_digest: oneOf(inboundDigests, {
    description: 'Digest algorithms that calls from the trunk may use; `any`: SHA-256, then MD5',
  }),
  codecs: Type.Array(oneOf(codecNames), { description: 'Audio codecs, in the order of preference' }),
  ...stateFields,
})

/** A trunk of the operator that the company may use; its connection settings are not shown. */
export const SharedTrunkView = Type.Object({
  id: Type.Integer(),
  name: Type.String(),
  prefixes: Type.Array(Type.String(), { description: 'Allowed prefixes of called numbers; empty: all' }),
  emergency: Type.Boolean({ description: 'Whether it carries emergency calls' }),
  priority: Type.Integer(),
  ...stateFields,
})

export type SharedTrunkView = Static<typeof SharedTrunkView>

export const sharedTrunkView = (trunk: Trunk): SharedTrunkView => ({
  id: trunk.id,
  name: trunk.name,
  prefixes: trunk.prefixes,
  emergency: trunk.emergency,
  priority: trunk.priority,
  ...stateView(trunk),
})

export type TrunkView = Static<typeof TrunkView>

export function trunkView(trunk: Trunk): TrunkView {
  return {
    id: trunk.id,
    name: trunk.name,
    enabled: trunk.enabled,
    host: trunk.host,
    port: trunk.port,
    transport: trunk.transport,
    srtp: trunk.srtp,
    registers: trunk.registers,
    username: trunk.username,
    has_password: trunk.passwordSealed !== null,
    domain: trunk.domain,
    addresses: trunk.addresses,
    prefixes: trunk.prefixes,
    number_form: trunk.numberForm,
    behind_nat: trunk.behindNat,
    emergency: trunk.emergency,
    priority: trunk.priority,
    max_calls: trunk.maxCalls,
    inbound_username: trunk.inboundUsername,
    has_inbound_password: trunk.inboundPasswordSealed !== null,
    inbound_digest: trunk.inboundDigest,
    codecs: trunk.codecs,
    ...stateView(trunk),
  }
}

const stateView = (trunk: Trunk) => ({
  state: stateOf(trunk),
  state_since: trunk.upAt === null ? null : isoSeconds(trunk.upAt),
  state_detail: trunk.upDetail,
})

function stateOf({ enabled, up }: Trunk): TrunkView['state'] {
  if (!enabled) return 'off'
  if (up === null) return 'unknown'
  return up ? 'up' : 'down'
}
