// Whether the server can be reached. Requests and sockets report failures; while the server cannot be reached it is probed with
// back-off for as long as it takes, and everything that waits for it continues when it answers.

export interface Reach {
  isReachable(): boolean
  watch(look: () => void): () => void
  /** A request did not reach the server, or a socket was lost. One probe decides whether that is an outage. */
  suspect(): void
  /** Probes at once instead of at the end of the pause: the network is back, or the machine woke up. */
  hurry(): void
  /** Probes, and resolves as soon as the server can be reached. */
  back(): Promise<void>
}

export interface ReachParts {
  /** Resolves to whether the server answered; never rejects. */
  probe(): Promise<boolean>
  schedule(run: () => void, ms: number): () => void
  random(): number
}

const firstPauseMs = 1_000
const maxPauseMs = 10_000

export function createReach({ probe, schedule, random }: ReachParts): Reach {
  const watchers = new Set<() => void>()
  let isReachable = true
  let asking: Promise<void> | undefined
  let attempts = 0
  let cancel = () => {}

  function set(value: boolean): void {
    if (isReachable === value) return
    isReachable = value
    for (const look of [...watchers]) look()
  }

  function wait(): void {
    const pause = Math.min(firstPauseMs * 2 ** attempts++, maxPauseMs)
    // All apps of an office lose the server at the same moment; they must not return in the same one.
    cancel = schedule(() => void ask(), pause * (0.75 + random() / 2))
  }

  function ask(): Promise<void> {
    asking ??= probeOnce().finally(() => {
      asking = undefined
    })
    return asking
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
    watch(look) {
      watchers.add(look)
      return () => watchers.delete(look)
    },
    // While it cannot be reached it is probed anyway.
    suspect: () => {
      if (isReachable) void ask()
    },
    hurry: () => void ask(),
    async back() {
      await ask()
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

/** Answers of a server that is starting or stopping, and of a proxy that has no server behind it. */
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

/** Cookies are kept differently inside a page of another site. */
export const inFrame = (): Record<string, string> => (window.parent === window ? {} : { 'x-hookswitch-frame': '1' })

/** The server that this page came from. */
export const reach = createReach({
  probe,
  schedule: (run, ms) => {
    const timer = setTimeout(run, ms)
    return () => clearTimeout(timer)
  },
  random: Math.random,
})
