// A request whose response was lost may have been executed, or still is. Repeated with the same Idempotency-Key, it is not
// executed twice. The server stores no failed requests, so the key of one that was refused can be used again, too.

const keptMs = 10 * 60_000

/** `content` identifies a request: its path and its body. */
export function createAttempts(now: () => number) {
  const failed = new Map<string, { key: string; at: number }>()
  return {
    /** The key of a new request, or of the equal one that failed. */
    begin(content: string): { key: string; failed: () => void } {
      const before = failed.get(content)
      failed.delete(content)
      const key = before && now() - before.at < keptMs ? before.key : newRequestKey()
      return { key, failed: () => void failed.set(content, { key, at: now() }) }
    },
  }
}

/** `crypto.randomUUID` is missing on pages without TLS. */
export const newRequestKey = () =>
  Array.from(crypto.getRandomValues(new Uint32Array(4)), (n) => n.toString(36)).join('-')
