export type TransportKind = 'udp' | 'tcp' | 'tls'

/** The target of a message. */
export interface Peer {
  transport: TransportKind
  address: string
  port: number
  /** The name that the certificate must match, if the address was resolved from a name. */
  name?: string
}

/** The source of a message: responses go back over the same connection while it is open. */
export interface SipFlow extends Peer {
  connection?: number
}
