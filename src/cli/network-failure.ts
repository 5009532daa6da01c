const words: Record<string, string> = {
  ECONNREFUSED: 'connection refused',
  ECONNRESET: 'connection reset',
  EPIPE: 'connection closed',
  ENOTFOUND: 'unknown host',
  EAI_AGAIN: 'the host name cannot be looked up now',
  ETIMEDOUT: 'no connection in time',
  EHOSTUNREACH: 'no way to the host',
  ENETUNREACH: 'no network',
  UND_ERR_SOCKET: 'connection closed',
  UND_ERR_CONNECT_TIMEOUT: 'no connection in time',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'its certificate is self-signed; trust it with NODE_EXTRA_CA_CERTS',
  SELF_SIGNED_CERT_IN_CHAIN: 'its certificate is self-signed; trust it with NODE_EXTRA_CA_CERTS',
}

/** Why a request came to nothing, in a few words: Node hides it one cause deeper. */
export function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  if (error.cause instanceof Error) return reasonOf(error.cause)
  const code = 'code' in error ? String(error.code) : ''
  return words[code] ?? (error.message || code)
}
