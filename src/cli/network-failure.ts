const words: Record<string, string> = {
  ECONNREFUSED: 'connection refused',
  ECONNRESET: 'connection reset',
  EPIPE: 'connection closed',
  ENOTFOUND: 'unknown host',
  EAI_AGAIN: 'temporary DNS failure',
  ETIMEDOUT: 'connection timed out',
  EHOSTUNREACH: 'host unreachable',
  ENETUNREACH: 'network unreachable',
  UND_ERR_SOCKET: 'connection closed',
  UND_ERR_CONNECT_TIMEOUT: 'connection timed out',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'self-signed certificate; add it to NODE_EXTRA_CA_CERTS',
  SELF_SIGNED_CERT_IN_CHAIN: 'self-signed certificate; add it to NODE_EXTRA_CA_CERTS',
}

/** A short reason for a failed request. Node reports it as the cause of the error. */
export function networkFailureReason(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  if (error.cause instanceof Error) return networkFailureReason(error.cause)
  const code = 'code' in error ? String(error.code) : ''
  return words[code] ?? (error.message || code)
}
