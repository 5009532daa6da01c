// A trunk as the API tells it, and as a form holds it.

export interface Trunk {
  id: number
  name: string
  enabled: boolean
  host: string
  port: number | null
  transport: Transport
  srtp: boolean
  registers: boolean
  username: string | null
  has_password: boolean
  domain: string | null
  addresses: string[]
  prefixes: string[]
  number_form: NumberForm
  behind_nat: boolean
  emergency: boolean
  priority: number
  max_calls: number
  state: 'up' | 'down' | 'unknown' | 'off'
  state_since: string | null
  /** The last SIP response or error. */
  state_detail: string | null
  inbound_username: string | null
  has_inbound_password: boolean
  inbound_digest: InboundDigest
}

/** A trunk of the operator that the company may use and not change. */
export type SharedTrunk = Pick<
  Trunk,
  'id' | 'name' | 'prefixes' | 'emergency' | 'priority' | 'state' | 'state_since' | 'state_detail'
>

export type Transport = 'udp' | 'tcp' | 'tls'
export type InboundDigest = 'any' | 'sha256' | 'md5'
export type NumberForm = 'plus' | 'digits' | 'national'
/** How the carrier knows us. */
export type Way = 'account' | 'address'

export interface Draft {
  name: string
  enabled: boolean
  host: string
  port: number | ''
  transport: Transport
  srtp: boolean
  way: Way
  username: string
  /** Empty: the one that is kept. */
  password: string
  domain: string
  addresses: string[]
  prefixes: string[]
  numberForm: NumberForm
  behindNat: boolean
  emergency: boolean
  priority: number | ''
  maxCalls: number | ''
  inboundUsername: string
  /** Empty: the stored one. */
  inboundPassword: string
  inboundDigest: InboundDigest
}

const blank: Draft = {
  name: '',
  enabled: true,
  host: '',
  port: '',
  transport: 'udp',
  srtp: false,
  way: 'account',
  username: '',
  password: '',
  domain: '',
  addresses: [],
  prefixes: [],
  numberForm: 'plus',
  behindNat: false,
  emergency: false,
  priority: 10,
  maxCalls: 50,
  inboundUsername: '',
  inboundPassword: '',
  inboundDigest: 'any',
}

export function draftOf(trunk: Trunk | undefined): Draft {
  if (!trunk) return blank
  const { name, enabled, host, transport, srtp, addresses, emergency } = trunk
  return {
    name,
    enabled,
    host,
    port: trunk.port ?? '',
    transport,
    srtp,
    way: trunk.registers ? 'account' : 'address',
    username: trunk.username ?? '',
    password: '',
    domain: trunk.domain ?? '',
    addresses,
    prefixes: trunk.prefixes.map((prefix) => `+${prefix}`),
    numberForm: trunk.number_form,
    behindNat: trunk.behind_nat,
    emergency,
    priority: trunk.priority,
    maxCalls: trunk.max_calls,
    inboundUsername: trunk.inbound_username ?? '',
    inboundPassword: '',
    inboundDigest: trunk.inbound_digest,
  }
}

/** What is sent; what does not belong to the chosen way is taken back. */
export function bodyOf(draft: Draft) {
  const { name, enabled, host, port, transport, way, username, password, domain } = draft
  const registers = way === 'account'
  const inboundUsername = draft.inboundUsername.trim()
  return {
    name: name.trim(),
    enabled,
    host: host.trim(),
    port: port === '' ? null : port,
    transport,
    srtp: transport === 'tls' && draft.srtp,
    registers,
    username: username.trim() || null,
    ...(password !== '' && { password }),
    domain: domain.trim() || null,
    addresses: draft.addresses,
    prefixes: draft.prefixes,
    number_form: draft.numberForm,
    behind_nat: draft.behindNat,
    emergency: draft.emergency,
    priority: draft.priority === '' ? blank.priority : draft.priority,
    max_calls: draft.maxCalls === '' ? blank.maxCalls : draft.maxCalls,
    inbound_username: inboundUsername || null,
    inbound_digest: draft.inboundDigest,
    ...(inboundUsername === ''
      ? { inbound_password: null }
      : draft.inboundPassword !== '' && { inbound_password: draft.inboundPassword }),
  }
}

/** Whether there is anything left to fill in. */
export function isComplete({ name, host, way, username, password }: Draft, hasPassword: boolean): boolean {
  const isNamed = name.trim() !== '' && host.trim() !== ''
  return isNamed && (way === 'address' || (username.trim() !== '' && (password !== '' || hasPassword)))
}

export const stateLooks: Record<Trunk['state'], { label: string; color: string; hint: string }> = {
  up: { label: 'Up', color: 'green', hint: 'The carrier answers.' },
  down: { label: 'Down', color: 'red', hint: 'The carrier does not answer, or refuses the account.' },
  unknown: { label: 'Not seen yet', color: 'gray', hint: 'The carrier was not heard of since the last change.' },
  off: { label: 'Off', color: 'gray', hint: 'Switched off here: it carries nothing.' },
}
