import type { ReplyMessage } from '../../src/live/protocol.ts'
import type { OwnedCalls } from './owned-calls.ts'
import { createPeer, type Link, type Peer } from './peer.ts'
import { type Quality, qualityBetween, type Sample } from './quality.ts'
import { isOffline } from './selectors.ts'
import type { LegRole, Line } from './sound-plan.ts'
import type { Store } from './store.ts'

/** The WebRTC connection of one leg. */
export interface Wire extends Line {
  peer: Peer
  link: Link
  quality: Quality | null
  sample: Sample | undefined
  isAnswered: boolean
  late: number
}

/** The WebRTC connections of this phone, from the offer to the end of the call. */
export interface AudioWires {
  all(): readonly Wire[]
  begin(role: LegRole, key: string | null): Wire
  /** Sends the offer with a request; drops the connection if the request fails. */
  offer(wire: Wire, send: (sdp: string) => Promise<ReplyMessage>): Promise<ReplyMessage>
  answered(key: string, sdp: string | null): Promise<void>
  /** The server is reachable again: replaces connections that have failed, or whose answer may have been lost. */
  recover(): void
  /** The call continues under another key. */
  move(from: string, to: string): void
  drop(wire: Wire): void
  lose(wire: Wire, link: 'gone' | 'broken'): void
  sampleQuality(): Promise<void>
  close(): void
}

interface Options {
  store: Store
  owned: OwnedCalls
  speaker(): string | null
  isRobust(): boolean
  onPlaybackBlocked(isBlocked: boolean): void
  /** Link, quality or key of a connection have changed. */
  onUpdate(): void
  /** A connection was added, named or removed. */
  onChange(): void
  /** The audio of a call was lost. */
  onLost(key: string, link: 'gone' | 'broken'): void
}

const answerTimeoutMs = 10_000
/** After a reconnect: an answer that was sent meanwhile is not repeated. */
const lateAnswerTimeoutMs = 1_000

export function createAudioWires(options: Options): AudioWires {
  const { store, owned, onUpdate, onChange } = options
  let wires: Wire[] = []

  function drop(wire: Wire): void {
    if (!wires.includes(wire)) return
    wires = wires.filter((one) => one !== wire)
    window.clearTimeout(wire.late)
    wire.peer.close()
    if (wires.length === 0) options.onPlaybackBlocked(false)
    onChange()
  }

  function onLink(wire: Wire, link: Link): void {
    wire.link = link
    onUpdate()
    // Without the server a broken connection cannot be replaced, and it may recover.
    if (link === 'gone' || (link === 'broken' && !isOffline(store.get()))) lose(wire, link)
  }

  function lose(wire: Wire, link: 'gone' | 'broken'): void {
    const { key, role } = wire
    const { listening } = store.get()
    if (key !== null && role === 'party') options.onLost(key, link)
    drop(wire)
    if (role === 'listener' && listening?.key === key) {
      store.dispatch({ type: 'listening', listening: { ...listening, phase: 'lost' } })
    }
  }

  function name(wire: Wire, key: string | undefined): void {
    wire.key ??= key ?? null
    if (wire.key === null) {
      drop(wire)
      return
    }
    if (wire.role === 'party') owned.set(wire.key, true)
    if (!wire.isAnswered) expectAnswer(wire, answerTimeoutMs)
    onUpdate()
    onChange()
  }

  function expectAnswer(wire: Wire, timeoutMs: number): void {
    window.clearTimeout(wire.late)
    wire.late = window.setTimeout(() => lose(wire, 'broken'), timeoutMs)
  }

  return {
    all: () => wires,
    begin(role, key) {
      const peer = createPeer({
        iceServers: store.get().iceServers,
        speaker: options.speaker(),
        isRobust: options.isRobust(),
        onLink: (link) => onLink(wire, link),
        onPlaybackBlocked: () => options.onPlaybackBlocked(true),
      })
      const wire: Wire = { key, role, isKnown: false, peer, ...unanswered }
      wires.push(wire)
      onChange()
      return wire
    },
    async offer(wire, send) {
      try {
        const reply = await send(await wire.peer.offer())
        if (!reply.ok) drop(wire)
        else name(wire, reply.key)
        return reply
      } catch (error) {
        // The server may have received the request: if the user is on the call, the audio belongs here.
        if (wire.key !== null && wire.role === 'party') owned.set(wire.key, true)
        drop(wire)
        throw error
      }
    },
    async answered(key, sdp) {
      const wire =
        wires.findLast((one) => one.key === key && !one.isAnswered) ??
        wires.find((one) => one.key === null && !one.isAnswered)
      if (!wire) return
      wire.key = key
      wire.isAnswered = true
      window.clearTimeout(wire.late)
      if (sdp === null) return drop(wire)
      await wire.peer.accept(sdp).catch(() => lose(wire, 'broken'))
    },
    recover() {
      for (const wire of wires.filter(({ link }) => link === 'broken')) lose(wire, 'broken')
      for (const wire of wires) if (wire.late !== 0 && !wire.isAnswered) expectAnswer(wire, lateAnswerTimeoutMs)
    },
    move(from, to) {
      for (const wire of wires) if (wire.key === from) wire.key = to
      if (owned.keys.has(from)) owned.set(to, true)
      owned.set(from, false)
    },
    drop,
    lose,
    async sampleQuality() {
      for (const wire of wires) {
        const sample = await wire.peer.sample()
        wire.quality = wire.sample && sample ? qualityBetween(wire.sample, sample) : null
        wire.sample = sample
      }
      if (wires.length > 0) onUpdate()
    },
    close() {
      for (const { peer, late } of wires) {
        window.clearTimeout(late)
        peer.close()
      }
      wires = []
    },
  }
}

const unanswered = {
  link: 'connecting',
  quality: null,
  sample: undefined,
  isAnswered: false,
  late: 0,
} as const
