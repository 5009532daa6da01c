import type { Accepted } from './auth-door.ts'
import type { Credentials } from './digest.ts'
import type { NumberFormat } from './numbers.ts'
import type { TransportKind } from './transport.ts'

export interface TrunkSettings {
  id: string
  host: string
  /** Without one, SRV records are asked. */
  port?: number
  transport: TransportKind
  register: boolean
  username?: string
  /** Where it differs from the name in the account's address. */
  authUsername?: string
  password?: string
  /** What stands behind the @ of our addresses; the host where absent. */
  domain?: string
  /** Addresses and ranges from which this trunk's calls come, beside what its host resolves to. */
  allowedIps: string[]
  numbers: NumberFormat
  /** Some carriers want the account in From and the number in P-Asserted-Identity only. */
  fromUser?: 'number' | 'username'
  /** We answer to where messages come from, whatever they say. */
  behindNat: boolean
  /** 0 switches the questions off: the trunk then counts as up unless its registration fails. */
  optionsSeconds?: number
  registerSeconds?: number
  /** With it, an address alone opens no door: calls from the trunk must show these credentials, too. */
  inboundAuth?: Accepted
  /** Its host may only resolve to addresses that the stack's `admits` allows. */
  restricted?: boolean
}

export const credentialsOf = (trunk: TrunkSettings): Credentials | undefined => {
  const username = trunk.authUsername ?? trunk.username
  return username !== undefined && trunk.password !== undefined ? { username, password: trunk.password } : undefined
}
