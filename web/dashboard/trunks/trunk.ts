import type { ResponseOf } from '../../kit/api.ts'

// The trunk object of the API, and the state of its form.

export type Trunk = ResponseOf<'/v1/trunks'>['trunks'][number]

/** A trunk of the operator that the company can use but not edit. */
export type SharedTrunk = ResponseOf<'/v1/trunks'>['shared_trunks'][number]

export type Transport = Trunk['transport']
export type InboundDigest = Trunk['inbound_digest']
export type Codec = Trunk['codecs'][number]
export type NumberForm = Trunk['number_form']
/** Authentication: registration with an account, or by IP address. */
export type Authentication = 'account' | 'address'

export interface TrunkDraft {
  name: string
  enabled: boolean
  host: string
  port: number | ''
  transport: Transport
  srtp: boolean
  authentication: Authentication
  username: string
  /** Empty keeps the stored password. */
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
  /** Empty keeps the stored password. */
  inboundPassword: string
  inboundDigest: InboundDigest
  codecs: Codec[]
}

const defaultPriority = 10
const defaultMaxCalls = 50

const blank: TrunkDraft = {
  name: '',
  enabled: true,
  host: '',
  port: '',
  transport: 'udp',
  srtp: false,
  authentication: 'account',
  username: '',
  password: '',
  domain: '',
  addresses: [],
  prefixes: [],
  numberForm: 'plus',
  behindNat: false,
  emergency: false,
  priority: defaultPriority,
  maxCalls: defaultMaxCalls,
  inboundUsername: '',
  inboundPassword: '',
  inboundDigest: 'any',
  codecs: ['pcmu', 'pcma', 'g722'],
}

export function trunkDraft(trunk: Trunk | undefined): TrunkDraft {
  if (!trunk) return blank
  const { name, enabled, host, transport, srtp, addresses, emergency } = trunk
  return {
    name,
    enabled,
    host,
    port: trunk.port ?? '',
    transport,
    srtp,
    authentication: trunk.registers ? 'account' : 'address',
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
    codecs: trunk.codecs,
  }
}

/** The request body; fields of the other authentication type are reset. */
export function trunkRequest(draft: TrunkDraft) {
  const { name, enabled, host, port, transport, authentication, username, password, domain } = draft
  const registers = authentication === 'account'
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
    priority: draft.priority === '' ? defaultPriority : draft.priority,
    max_calls: draft.maxCalls === '' ? defaultMaxCalls : draft.maxCalls,
    inbound_username: inboundUsername || null,
    inbound_digest: draft.inboundDigest,
    codecs: draft.codecs,
    ...(inboundUsername === ''
      ? { inbound_password: null }
      : draft.inboundPassword !== '' && { inbound_password: draft.inboundPassword }),
  }
}

const g711: readonly Codec[] = ['pcmu', 'pcma']

/** What the form offers; the API accepts any order. */
const codecChoices: Record<string, { label: string; codecs: readonly Codec[] }> = {
  standard: { label: 'G.711, or G.722 if the carrier prefers it', codecs: [...g711, 'g722'] },
  narrowband: { label: 'G.711 only', codecs: g711 },
  g722: { label: 'HD voice: G.722, then G.711', codecs: ['g722', ...g711] },
  opus: { label: 'HD voice: Opus, G.722, then G.711', codecs: ['opus', 'g722', ...g711] },
}

/** The options of the form; an order that was set by the API is one more. */
export function codecOptions(codecs: readonly Codec[]): { value: string; label: string }[] {
  const options = Object.entries(codecChoices).map(([value, { label }]) => ({ value, label }))
  return codecChoiceOf(codecs) === 'custom' ? [...options, { value: 'custom', label: codecs.join(', ') }] : options
}

export function codecChoiceOf(codecs: readonly Codec[]): string {
  const found = Object.entries(codecChoices).find(([, choice]) => choice.codecs.join() === codecs.join())
  return found?.[0] ?? 'custom'
}

/** Undefined for an order that was set by the API. */
export const codecsOfChoice = (value: string | null): Codec[] | undefined => {
  const choice = codecChoices[value ?? '']
  return choice && [...choice.codecs]
}

interface StateLook {
  label: string
  color: string
  hint: string
}

const stateLooks: Record<Trunk['state'], StateLook> = {
  up: { label: 'Reachable', color: 'green', hint: 'The carrier responds.' },
  down: { label: 'Unreachable', color: 'red', hint: 'The carrier does not respond.' },
  unknown: { label: 'Pending', color: 'gray', hint: 'No response from the carrier since the last change.' },
  off: { label: 'Disabled', color: 'gray', hint: 'The trunk is disabled and carries no calls.' },
}

/** A shared trunk does not say whether it registers. */
export function stateLookOf({ state, registers }: { state: Trunk['state']; registers?: boolean }): StateLook {
  if (!registers) return stateLooks[state]
  if (state === 'up') return { label: 'Registered', color: 'green', hint: 'The carrier accepted the registration.' }
  if (state === 'down')
    return { label: 'Not registered', color: 'red', hint: 'The carrier does not respond or rejects the account.' }
  return stateLooks[state]
}
