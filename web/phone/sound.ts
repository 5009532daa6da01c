import type { ReplyMessage } from '../../src/live/protocol.ts'
import type { LiveConnection, Request } from '../kit/live.ts'
import { tabStorage } from '../kit/storage.ts'
import { type Microphone, microphoneErrorOf, openMicrophone } from './microphone.ts'
import { createPeer, type Link, type Peer } from './peer.ts'
import { type FarQuality, type Quality, qualityBetween, type Sample } from './quality.ts'
import {
  isLineOver,
  isMuted,
  type LegRole,
  type Line,
  mayOffer,
  needsMicrophone,
  roleOffered,
  withoutSound,
} from './sound-plan.ts'
import type { Store } from './store.ts'

// The audio of calls over real networks. It follows the state of the phone and never changes it, except to report that the
// audio of a supervised call was lost.

export interface CallAudio {
  link: Link
  quality: Quality | null
  /** Undefined until the server has measured it. */
  far?: FarQuality | undefined
}

export interface SoundState {
  microphone: Microphone
  /** The autoplay policy blocks playback until the user interacts with the page. */
  isPlaybackBlocked: boolean
  /** By the key of the call. */
  calls: Record<string, CallAudio>
}

export interface PhoneAudio {
  get(): SoundState
  watch(listener: () => void): () => void
  /** Sends a request to the server, with an SDP offer if it needs audio. */
  ask(request: Request): Promise<ReplyMessage>
  /** Moves the audio from another phone of the user to this one. */
  take(key: string): void
  /** Retries after the user has allowed or connected a microphone. */
  tryMicrophone(): void
  play(): void
  close(): void
}

export interface SoundOptions {
  store: Store
  live: Pick<LiveConnection, 'ask'>
  /** The devices selected in this browser; null: the default ones. */
  devices(): { microphone: string | null; speaker: string | null }
  /** Whether the user has selected the codec for weak networks and the server supports it. */
  isRobust(): boolean
}

interface Wire extends Line {
  peer: Peer
  link: Link
  quality: Quality | null
  sample: Sample | undefined
  isAnswered: boolean
  late: number
}

const storageKey = 'hookswitch.phone.sound'
const answerTimeoutMs = 10_000
const sampleIntervalMs = 2_000
/** Delay before attaching, because another phone of the user may attach first. */
const attachDelayMs = { focused: 700, other: 3_000 }
const minAttachIntervalMs = 3_000
/** Keeps two phones from taking the audio from each other forever. */
const maxAttempts = 3
const attemptWindowMs = 60_000
const reclaimDelayMs = 1_500

export function createSound({ store, live, devices, isRobust }: SoundOptions): PhoneAudio {
  const listeners = new Set<() => void>()
  const mine = new Set<string>(JSON.parse(tabStorage.read(storageKey) ?? '[]'))
  const due = new Map<string, number>()
  const attempts = new Map<string, number[]>()
  const far = new Map<string, FarQuality>()
  let wires: Wire[] = []
  let microphone: MediaStreamTrack | undefined
  /** The id of this phone session, assigned by the server. */
  let session = ''
  let state: SoundState = { microphone: 'off', isPlaybackBlocked: false, calls: {} }

  function update(change: Partial<SoundState> = {}): void {
    const calls = Object.fromEntries(
      wires.flatMap(({ key, link, quality }) => (key ? [[key, { link, quality, far: far.get(key) }]] : [])),
    )
    state = { ...state, ...change, calls }
    for (const listener of [...listeners]) listener()
  }

  function setMine(key: string, isMine: boolean): void {
    if (mine.has(key) === isMine) return
    if (isMine) mine.add(key)
    else mine.delete(key)
    tabStorage.write(storageKey, JSON.stringify([...mine]))
  }

  function begin(role: LegRole, key: string | null): Wire {
    const peer = createPeer({
      iceServers: store.get().iceServers,
      speaker: devices().speaker,
      isRobust: isRobust(),
      onLink: (link) => onLink(wire, link),
      onPlaybackBlocked: () => update({ isPlaybackBlocked: true }),
    })
    const wire: Wire = {
      key,
      role,
      isKnown: false,
      peer,
      link: 'connecting',
      quality: null,
      sample: undefined,
      isAnswered: false,
      late: 0,
    }
    wires.push(wire)
    follow()
    return wire
  }

  function drop(wire: Wire): void {
    if (!wires.includes(wire)) return
    wires = wires.filter((one) => one !== wire)
    window.clearTimeout(wire.late)
    wire.peer.close()
    if (wires.length === 0) update({ isPlaybackBlocked: false })
    follow()
  }

  function onLink(wire: Wire, link: Link): void {
    wire.link = link
    update()
    if (link === 'gone' || link === 'broken') lose(wire, link)
  }

  function lose(wire: Wire, link: 'gone' | 'broken'): void {
    const { key, role } = wire
    const { listening } = store.get()
    // Ended by the server: another phone of the user has the audio now, unless `reclaim` finds otherwise.
    if (key !== null && role === 'party' && (link === 'gone' || attemptsOf(key).length >= maxAttempts)) {
      setMine(key, false)
      window.setTimeout(() => void reclaim(key), reclaimDelayMs)
    }
    drop(wire)
    if (role === 'listener' && listening?.key === key) {
      store.dispatch({ type: 'listening', listening: { ...listening, phase: 'lost' } })
    }
  }

  /** Sends the offer with a request; drops the connection if the request fails. */
  async function offer(wire: Wire, send: (sdp: string) => Promise<ReplyMessage>): Promise<ReplyMessage> {
    try {
      const reply = await send(await wire.peer.offer())
      if (!reply.ok) drop(wire)
      else name(wire, reply.key)
      return reply
    } catch (error) {
      drop(wire)
      throw error
    }
  }

  function name(wire: Wire, key: string | undefined): void {
    wire.key ??= key ?? null
    if (wire.key === null) {
      drop(wire)
      return
    }
    if (wire.role === 'party') setMine(wire.key, true)
    if (!wire.isAnswered) wire.late = window.setTimeout(() => lose(wire, 'broken'), answerTimeoutMs)
    update()
    follow()
  }

  async function answered(key: string, sdp: string | null): Promise<void> {
    const wire =
      wires.findLast((one) => one.key === key && !one.isAnswered) ??
      wires.find((one) => one.key === null && !one.isAnswered)
    if (!wire) return
    wire.key = key
    wire.isAnswered = true
    window.clearTimeout(wire.late)
    if (sdp === null) return drop(wire)
    await wire.peer.accept(sdp).catch(() => lose(wire, 'broken'))
  }

  /** Connects the audio of active calls, closes that of ended ones, and opens the microphone only while a call needs it. */
  function follow(): void {
    const phone = store.get()
    for (const wire of wires) {
      wire.isKnown ||= phone.talks.some(({ key }) => key === wire.key)
      wire.peer.setMuted(isMuted(phone, wire))
    }
    for (const wire of wires.filter((one) => isLineOver(phone, one))) drop(wire)
    if (phone.isKnown && phone.connection === 'open') {
      for (const key of mine) {
        const isUsed = wires.some((wire) => wire.key === key) || phone.talks.some((call) => call.key === key)
        if (!isUsed) setMine(key, false)
      }
    }
    for (const { key, isMine } of withoutSound(phone, wires, mine)) attachSoon(key, isMine)
    if (wires.some((wire) => needsMicrophone(phone, wire))) void fetchMicrophone()
    else release()
    for (const wire of wires) wire.peer.setMicrophone(needsMicrophone(phone, wire) ? microphone : undefined)
  }

  function attachSoon(key: string, isMine: boolean): void {
    if (due.has(key)) return
    const pause = Math.max(0, (attemptsOf(key).at(-1) ?? 0) + minAttachIntervalMs - Date.now())
    const delay = document.hasFocus() ? attachDelayMs.focused : attachDelayMs.other * (1 + Math.random() / 2)
    const wait = Math.max(pause, isMine ? 0 : delay)
    const timer = window.setTimeout(() => {
      due.delete(key)
      attach(key).catch(() => {
        // The connection was lost: the next `hello` triggers another attempt.
      })
    }, wait)
    due.set(key, timer)
  }

  const attemptsOf = (key: string) => (attempts.get(key) ?? []).filter((at) => at > Date.now() - attemptWindowMs)

  /** Whether a phone of the user has connected the audio; undefined: the call has ended, or the request failed. */
  async function hasAudio(key: string): Promise<boolean | undefined> {
    const now = await live.ask({ type: 'calls' })
    return now.ok ? now.calls?.find((call) => call.key === key)?.sound : undefined
  }

  async function reclaim(key: string): Promise<void> {
    const isConnected = await hasAudio(key).catch(() => undefined)
    if (isConnected !== false) return
    setMine(key, true)
    follow()
  }

  async function attach(key: string): Promise<void> {
    const needs = () => withoutSound(store.get(), wires, mine).find((one) => one.key === key)
    if (!needs()) return
    if (!mine.has(key) && ((await hasAudio(key)) !== false || !needs())) return
    attempts.set(key, [...attemptsOf(key), Date.now()])
    const reply = await offer(begin('party', key), (sdp_offer) => live.ask({ type: 'attach', key, sdp_offer }))
    if (!reply.ok) setMine(key, false)
  }

  async function fetchMicrophone(): Promise<void> {
    // After a failure the user retries.
    if (microphone || state.microphone !== 'off') return
    update({ microphone: 'asking' })
    try {
      microphone = await openMicrophone(devices().microphone)
      // Unplugged: another device takes over.
      microphone.onended = () => {
        release()
        follow()
      }
      update({ microphone: 'on' })
    } catch (error) {
      update({ microphone: microphoneErrorOf(error) })
    }
    follow()
  }

  function release(): void {
    microphone?.stop()
    microphone = undefined
    if (state.microphone !== 'off' && state.microphone !== 'asking') update({ microphone: 'off' })
  }

  async function sampleQuality(): Promise<void> {
    for (const wire of wires) {
      const sample = await wire.peer.sample()
      wire.quality = wire.sample && sample ? qualityBetween(wire.sample, sample) : null
      wire.sample = sample
    }
    if (wires.length > 0) update()
  }

  const unwatch = store.watch((_before, _after, event) => {
    const message = event.type === 'message' ? event.message : undefined
    if (message?.type === 'sdp_answer') {
      session = message.session
      void answered(message.key, message.sdp_answer)
    }
    if (message?.type === 'quality') {
      far.set(message.key, { received: message.received, sent: message.sent })
      update()
    }
    if (message?.type === 'call' && message.state === 'ended') {
      far.delete(message.key)
      for (const wire of wires.filter(({ key, role }) => key === message.key && role === 'party')) drop(wire)
    }
    if (message?.type === 'call' && message.state === 'sound_here' && message.session !== session) {
      for (const wire of wires.filter(({ key, isAnswered }) => key === message.key && isAnswered)) lose(wire, 'gone')
    }
    // The server receives no audio any more. A connection that is being offered is its replacement and stays.
    if (message?.type === 'call' && message.state === 'sound_lost') {
      const isLost = (one: Wire) => one.key === message.key && one.role === 'party' && one.isAnswered
      for (const wire of wires.filter(isLost)) drop(wire)
    }
    follow()
  })
  const timer = window.setInterval(() => void sampleQuality(), sampleIntervalMs)

  return {
    get: () => state,
    watch(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    async ask(request) {
      const role = mayOffer(request) && hasWebRtc() ? roleOffered(store.get(), request) : undefined
      if (!role || !mayOffer(request)) return live.ask(request)
      const key = request.type === 'dial' ? null : (request.key ?? null)
      return offer(begin(role, key), (sdp_offer) => live.ask({ ...request, sdp_offer }))
    },
    take(key) {
      setMine(key, true)
      follow()
    },
    tryMicrophone() {
      if (state.microphone === 'asking' || state.microphone === 'on') return
      update({ microphone: 'off' })
      follow()
    },
    play() {
      update({ isPlaybackBlocked: false })
      for (const { peer } of wires) peer.play()
    },
    close() {
      unwatch()
      window.clearInterval(timer)
      for (const one of due.values()) window.clearTimeout(one)
      for (const { peer, late } of wires) {
        window.clearTimeout(late)
        peer.close()
      }
      wires = []
      release()
    },
  }
}

const hasWebRtc = () => 'RTCPeerConnection' in window
