import { type Static, Type } from 'typebox'
import { nullable, oneOf, Timestamp } from '../../http/schemas.ts'
import { isoSeconds } from '../../lib/time-format.ts'
import type { Trunk } from './store.ts'

export const transports = ['udp', 'tcp', 'tls'] as const
export const numberForms = ['plus', 'digits', 'national'] as const

export const TrunkView = Type.Object({
  id: Type.Integer(),
  name: Type.String(),
  enabled: Type.Boolean(),
  host: Type.String({ description: 'Name or address of the carrier; a name without a port is looked up by SRV first' }),
  port: nullable(Type.Integer()),
  transport: oneOf(transports),
  srtp: Type.Boolean({ description: 'Encrypted sound; over TLS only' }),
  registers: Type.Boolean({ description: 'We register with the carrier, which then calls us there' }),
  username: nullable(Type.String()),
  has_password: Type.Boolean({ description: 'The password itself is never shown' }),
  domain: nullable(Type.String()),
  addresses: Type.Array(Type.String(), { description: 'Where its calls may come from; none: its host' }),
  prefixes: Type.Array(Type.String(), { description: 'What it carries, by beginning; none: everything' }),
  number_form: oneOf(numberForms, {
    description: 'How numbers are written to it: +14155550123, 14155550123, national',
  }),
  behind_nat: Type.Boolean(),
  emergency: Type.Boolean({ description: 'It carries emergency calls' }),
  priority: Type.Integer({ description: 'Lower is tried first; the next one is tried when it fails' }),
  max_calls: Type.Integer(),
  state: oneOf(['up', 'down', 'unknown', 'off'] as const),
  state_since: nullable(Timestamp),
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
    state: stateOf(trunk),
    state_since: trunk.upAt === null ? null : isoSeconds(trunk.upAt),
  }
}

function stateOf({ enabled, up }: Trunk): TrunkView['state'] {
  if (!enabled) return 'off'
  if (up === null) return 'unknown'
  return up ? 'up' : 'down'
}
