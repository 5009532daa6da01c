/**
 * The worker that serves a webhook, by rendezvous hashing: all workers compute the same assignment without
 * coordination, regardless of the order of the list, and when one leaves only its own webhooks move.
 */
export function owner(webhookId: string, workers: readonly string[]): string | undefined {
  let best: { worker: string; score: number } | undefined
  for (const worker of workers) {
    const score = hash(`${worker} ${webhookId}`)
    // Equal scores are rare, but must not depend on the order of the list.
    if (!best || score > best.score || (score === best.score && worker > best.worker)) best = { worker, score }
  }
  return best?.worker
}

/** FNV-1a over UTF-16 units, finished with murmur3's mixer: FNV-1a alone leaves the high bits too regular. */
function hash(text: string): number {
  let h = 0x811c9dc5
  for (let i = 0; i < text.length; i++) h = Math.imul(h ^ text.charCodeAt(i), 0x01000193)
  h = Math.imul(h ^ (h >>> 16), 0x85ebca6b)
  h = Math.imul(h ^ (h >>> 13), 0xc2b2ae35)
  return (h ^ (h >>> 16)) >>> 0
}
