// Whether the server is reachable. Requests and sockets report failures. An unreachable server is probed with back-off until
// it responds; waiting requests continue then.
import { inCall } from './in-call.ts'

export interface Reach {
  isReachable(): boolean
  watch(listener: () => void): () => void
  /** A request did not reach the server, or a socket was lost. One probe decides whether that is an outage. */
  suspect(): void
  /** Probes now instead of at the end of the back-off: the network is back, or the machine woke up. */
  hurry(): void
  /** Probes, and resolves as soon as the server is reachable. */
  back(): Promise<void>
}

export interface ReachParts {
  /** Resolves to whether the server responded; never rejects. */
  probe(): Promise<boolean>
  schedule(run: () => void, ms: number): () => void
  random(): number
  /** Whether a call depends on the server: it is probed more often then. */
  isUrgent(): boolean
}

const firstPauseMs = 1_000
const maxPauseMs = 10_000
const maxUrgentPauseMs = 1_500

export function createReach({ probe, schedule, random, isUrgent }: ReachParts): Reach {
  const listeners = new Set<() => void>()
  let isReachable = true
  let probing: Promise<void> | undefined
  let attempts = 0
  let cancel = () => {}

  function set(value: boolean): void {
    if (isReachable === value) return
    isReachable = value
    for (const listener of [...listeners]) listener()
  }

  function wait(): void {
    const pause = Math.min(firstPauseMs * 2 ** attempts++, isUrgent() ? maxUrgentPauseMs : maxPauseMs)
    // All clients lose the server at the same moment; jitter keeps them from reconnecting at the same moment.
    cancel = schedule(() => void probeNow(), pause * (0.75 + random() / 2))
  }

  function probeNow(): Promise<void> {
    probing ??= probeOnce().finally(() => {
      probing = undefined
    })
    return probing
  }

  async function probeOnce(): Promise<void> {
    cancel()
    const isAnswered = await probe()
    if (isAnswered) attempts = 0
    else wait()
    set(isAnswered)
  }

  const reach: Reach = {
    isReachable: () => isReachable,
    watch(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    // An unreachable server is already being probed.
    suspect: () => {
      if (isReachable) void probeNow()
    },
    hurry: () => void probeNow(),
    async back() {
      await probeNow()
      if (isReachable) return
      await new Promise<void>((resolve) => {
        const stop = reach.watch(() => {
          stop()
          resolve()
        })
      })
    },
  }
  return reach
}

/** Statuses of a server that starts or stops, and of a proxy without an upstream server; 0 is a failed request. */
export const isOutage = (status: number) => status === 0 || (status >= 502 && status <= 504)

const probeTimeoutMs = 8_000

async function probe(): Promise<boolean> {
  try {
    const response = await fetch('/app/v1/session', {
      credentials: 'same-origin',
      headers: { accept: 'application/json', ...inFrame() },
      signal: AbortSignal.timeout(probeTimeoutMs),
    })
    return !isOutage(response.status)
  } catch {
    return false
  }
}

/** Inside an iframe of another site the server sets partitioned cookies. */
export const inFrame = (): Record<string, string> => (window.parent === window ? {} : { 'x-hookswitch-frame': '1' })

/** The server that served this page. */
export const reach = createReach({
  probe,
  schedule: (run, ms) => {
    const timer = setTimeout(run, ms)
    return () => clearTimeout(timer)
  },
  random: Math.random,
  isUrgent: inCall.get,
})
