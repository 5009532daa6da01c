import type { LiveConnection } from '../kit/live.ts'
import type { AudioWires } from './audio-wires.ts'
import type { OwnedCalls } from './owned-calls.ts'
import { withoutSound } from './sound-plan.ts'
import type { Store } from './store.ts'

/** Connects the audio of calls that have none, without taking it from another phone of the user. */
export interface AudioAttach {
  schedule(key: string, isOwned: boolean): void
  /** The audio of a call was lost. */
  onLost(key: string, link: 'gone' | 'broken'): void
  close(): void
}

interface Options {
  store: Store
  live: Pick<LiveConnection, 'ask'>
  owned: OwnedCalls
  wires: AudioWires
  /** The call belongs to this phone again. */
  onReclaimed(): void
}

/** Delay before attaching, because another phone of the user may attach first. */
const attachDelayMs = { focused: 700, other: 3_000 }
const minAttachIntervalMs = 3_000
/** Keeps two phones from taking the audio from each other forever. */
const maxAttempts = 3
const attemptWindowMs = 60_000
const reclaimDelayMs = 1_500

export function createAudioAttach({ store, live, owned, wires, onReclaimed }: Options): AudioAttach {
  const due = new Map<string, number>()
  const attempts = new Map<string, number[]>()

  const attemptsOf = (key: string) => (attempts.get(key) ?? []).filter((at) => at > Date.now() - attemptWindowMs)

  /** Whether a phone of the user has connected the audio; undefined: the call has ended, or the request failed. */
  async function hasAudio(key: string): Promise<boolean | undefined> {
    const now = await live.ask({ type: 'calls' })
    return now.ok ? now.calls?.find((call) => call.key === key)?.sound : undefined
  }

  async function reclaim(key: string): Promise<void> {
    const isConnected = await hasAudio(key).catch(() => undefined)
    if (isConnected !== false) return
    owned.set(key, true)
    onReclaimed()
  }

  async function attach(key: string): Promise<void> {
    const needs = () => withoutSound(store.get(), wires.all(), owned.keys).find((one) => one.key === key)
    if (!needs()) return
    if (!owned.keys.has(key) && ((await hasAudio(key)) !== false || !needs())) return
    attempts.set(key, [...attemptsOf(key), Date.now()])
    const wire = wires.begin('party', key)
    const reply = await wires.offer(wire, (sdp_offer) => live.ask({ type: 'attach', key, sdp_offer }))
    // A server that has just started may not have taken over the call yet.
    if (!reply.ok && attemptsOf(key).length >= maxAttempts) owned.set(key, false)
  }

  return {
    schedule(key, isOwned) {
      if (due.has(key)) return
      const pause = Math.max(0, (attemptsOf(key).at(-1) ?? 0) + minAttachIntervalMs - Date.now())
      const delay = document.hasFocus() ? attachDelayMs.focused : attachDelayMs.other * (1 + Math.random() / 2)
      const timer = window.setTimeout(
        () => {
          due.delete(key)
          attach(key).catch(() => {
            // The connection was lost: the next `hello` triggers another attempt.
          })
        },
        Math.max(pause, isOwned ? 0 : delay),
      )
      due.set(key, timer)
    },
    onLost(key, link) {
      // Ended by the server: another phone of the user has the audio now, unless `reclaim` finds otherwise.
      if (link !== 'gone' && attemptsOf(key).length < maxAttempts) return
      owned.set(key, false)
      window.setTimeout(() => void reclaim(key), reclaimDelayMs)
    },
    close() {
      for (const timer of due.values()) window.clearTimeout(timer)
    },
  }
}
