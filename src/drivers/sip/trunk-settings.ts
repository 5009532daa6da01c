import type { Credentials } from './digest.ts'
import type { AcceptedCredentials } from './digest-auth.ts'
import type { NumberFormat } from './numbers.ts'
import type { SipTarget } from './resolve.ts'

export interface SipTrunkSettings {
  id: string
  host: string
  /** Without a port, SRV records are looked up. */
  port?: number
  transport: SipTarget['transport']
  register: boolean
  username?: string
  /** If it differs from the user part of the account's URI. */
  authUsername?: string
  password?: string
  /** Host part of our URIs; the trunk's host if absent. */
  domain?: string
  /** Source addresses and CIDR ranges of the trunk, in addition to those its host resolves to. */
  allowedIps: string[]
  numbers: NumberFormat
  /** Some carriers expect the account in From and the number in P-Asserted-Identity only. */
  fromUser?: 'number' | 'username'
  /** Responses and media go to the source of messages, not to the addresses they name. */
  behindNat: boolean
  /** Interval of OPTIONS; 0 disables it: the trunk then counts as up unless its registration fails. */
  optionsSeconds?: number
  registerSeconds?: number
  /** Credentials that inbound calls must present, in addition to the source address. */
  inboundAuth?: AcceptedCredentials
  /** The account of a device of a user, whose calls have the same settings as those of a trunk. */
  isDevice?: true
  /** Its host may only resolve to addresses that the stack's `admits` allows. */
  restricted?: boolean
}

export const credentialsOf = (trunk: SipTrunkSettings): Credentials | undefined => {
  const username = trunk.authUsername ?? trunk.username
  return username !== undefined && trunk.password !== undefined ? { username, password: trunk.password } : undefined
}
