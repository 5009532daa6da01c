import type { LiveConnection } from '../kit/live.ts'
import { notifyError } from '../kit/ui/toast.tsx'
import type { Store } from './store.ts'

const retryDelayMs = 2_000
/** Longer than another server process needs to take over the calls of one that has ended. */
const maxMuteAttempts = 5
const hangUpTimeoutMs = 1_500

interface Parts {
  store: Pick<Store, 'get' | 'dispatch'>
  live: Pick<LiveConnection, 'ask'>
}

/** Ends the call in this browser even if the server does not respond; `sendUnsent` then repeats the request. */
export async function hangUp({ store, live }: Parts, key: string): Promise<void> {
  const isDone = store.get().connection === 'open' && (await isHungUp(live, key))
  if (!isDone) store.dispatch({ type: 'left', key, at: Date.now() })
}

function isHungUp(live: Parts['live'], key: string): Promise<boolean> {
  const accepted = live.ask({ type: 'hang_up', key }).then(
    ({ ok }) => ok,
    () => false,
  )
  return Promise.race([accepted, pause(hangUpTimeoutMs).then(() => false)])
}

/**
 * Sends what the user has done as soon as the server is reachable. A refusal is retried: a server that has just started may
 * not have taken over the call yet.
 */
export function sendUnsent({ store, live }: { store: Store; live: Parts['live'] }): () => void {
  const sending = new Set<string>()
  const declined = new Set<string>()
  let isClosed = false

  function send(): void {
    const { isKnown, connection, unsent, ...state } = store.get()
    for (const key of declined) if (!state.declined.includes(key)) declined.delete(key)
    if (isClosed || !isKnown || connection !== 'open') return
    for (const key of unsent.left) once(`hang_up ${key}`, () => leave(key))
    for (const key of Object.keys(unsent.mutes)) once(`mute ${key}`, () => mute(key))
    for (const key of state.declined) if (!declined.has(key)) once(`decline ${key}`, () => decline(key))
  }

  function once(what: string, run: () => Promise<void>): void {
    if (sending.has(what)) return
    sending.add(what)
    run().then(
      () => {
        sending.delete(what)
        send()
      },
      // The connection was lost: its return triggers another attempt.
      () => sending.delete(what),
    )
  }

  async function leave(key: string): Promise<void> {
    while (!isClosed) {
      const { ok } = await live.ask({ type: 'hang_up', key })
      if (ok || !(await isOnCall(key))) return store.dispatch({ type: 'leave_settled', key })
      await pause(retryDelayMs)
    }
  }

  async function isOnCall(key: string): Promise<boolean> {
    const now = await live.ask({ type: 'calls' })
    return !now.ok || (now.calls ?? []).some((call) => call.key === key && call.state === 'on_call')
  }

  async function mute(key: string): Promise<void> {
    for (let attempt = 1; !isClosed; attempt++) {
      const isMuted = store.get().unsent.mutes[key]
      if (isMuted === undefined) return
      const reply = await live.ask({ type: isMuted ? 'mute' : 'unmute', key })
      if (reply.ok) return store.dispatch({ type: 'mute_settled', key, isMuted, isRefused: false })
      if (attempt === maxMuteAttempts) {
        store.dispatch({ type: 'mute_settled', key, isMuted: !isMuted, isRefused: true })
        return notifyError(new Error(reply.why), isMuted ? 'Not muted' : 'Still muted')
      }
      await pause(retryDelayMs)
    }
  }

  async function decline(key: string): Promise<void> {
    const reply = await live.ask({ type: 'decline', key })
    declined.add(key)
    if (!reply.ok) notifyError(new Error(reply.why), 'Call not declined')
  }

  const unwatch = store.watch(send)
  return () => {
    isClosed = true
    unwatch()
  }
}

const pause = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms))
