/** Audio codecs of trunks, as they are stored and shown. */
export type CodecName = 'opus' | 'g722' | 'pcmu' | 'pcma'

/** A SIP trunk as a voice driver uses it: settings and credentials, without its company. */
export interface TrunkLine {
  id: string
  host: string
  port: number | null
  transport: 'auto' | 'udp' | 'tcp' | 'tls'
  srtp: boolean
  registers: boolean
  username: string | null
  password: string | null
  domain: string | null
  /** Ranges its INVITEs come from. */
  addresses: string[]
  prefixes: string[]
  numberForm: 'plus' | 'digits' | 'national'
  behindNat: boolean
  /** In the order of preference. */
  codecs: CodecName[]
  emergency: boolean
  priority: number
  maxCalls: number
  inboundUsername: string | null
  inboundPassword: string | null
  inboundDigest: 'any' | 'sha256' | 'md5'
  /** Set by a company, not by the operator: its host must be a public address. */
  restricted: boolean
  /** For numbers in national format: those of the company's first Number. */
  country: string | null
  callingCode: string | null
}

/** One interpretation of an INVITE: a trunk it may belong to, and the called number. */
export interface TrunkCandidate {
  trunkId: string
  to: string
}
