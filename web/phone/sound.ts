import type { CallShown, ReplyMessage, ServerMessage } from '../../src/live/protocol.ts'
import type { LiveConnection, Request } from '../kit/live.ts'
import { notify } from '../kit/ui/toast.tsx'
import { createAudioAttach } from './audio-attach.ts'
import { type AudioWires, createAudioWires } from './audio-wires.ts'
import type { Microphone } from './microphone.ts'
import { createMicrophoneTrack } from './microphone-track.ts'
import type { PhoneState } from './model.ts'
import { createOwnedCalls, type OwnedCalls } from './owned-calls.ts'
import type { Link } from './peer.ts'
import type { FarQuality, Quality } from './quality.ts'
import { isOffline } from './selectors.ts'
import { isInBackground } from './shown-calls.ts'
import { isLineOver, isMuted, mayOffer, needsMicrophone, roleOffered, withoutSound } from './sound-plan.ts'
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
  /** Calls whose audio was connected here and has ended while the server was unreachable. */
  lost: readonly string[]
}

/** Whether another window, browser or desk phone of the user has the audio. */
export const isOnOtherDevice = ({ key, line, sound }: CallShown, { calls, lost }: SoundState) =>
  line === 'real' && sound && !calls[key] && !lost.includes(key)

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

const sampleIntervalMs = 2_000

export function createSound({ store, live, devices, isRobust }: SoundOptions): PhoneAudio {
  const listeners = new Set<() => void>()
  const far = new Map<string, FarQuality>()
  const owned = createOwnedCalls()
  const microphone = createMicrophoneTrack({
    device: () => devices().microphone,
    onStatus: () => update(),
    onTrack: follow,
    onReplaced: (label) => notify(`Microphone disconnected. ${label || 'Another microphone'} is used instead.`),
  })
  const wires: AudioWires = createAudioWires({
    store,
    owned,
    speaker: () => devices().speaker,
    isRobust,
    onPlaybackBlocked: (isPlaybackBlocked) => update({ isPlaybackBlocked }),
    onUpdate: () => update(),
    onChange: follow,
    onLost(key, link) {
      if (isOffline(store.get())) update({ lost: [...state.lost, key] })
      attaching.onLost(key, link)
    },
  })
  const attaching = createAudioAttach({ store, live, owned, wires, onReclaimed: follow })
  /** The id of this phone session, assigned by the server. */
  let session = ''
  let state: SoundState = { microphone: 'off', isPlaybackBlocked: false, calls: {}, lost: [] }

  function update(change: Partial<SoundState> = {}): void {
    const calls = Object.fromEntries(
      wires.all().flatMap(({ key, link, quality }) => (key ? [[key, { link, quality, far: far.get(key) }]] : [])),
    )
    state = { ...state, ...change, microphone: microphone.status, calls }
    for (const listener of [...listeners]) listener()
  }

  /** Connects the audio of active calls, closes that of ended ones, and opens the microphone only while a call needs it. */
  function follow(): void {
    const phone = store.get()
    for (const wire of wires.all()) {
      wire.isKnown ||= phone.talks.some(({ key }) => key === wire.key)
      wire.peer.setMuted(isMuted(phone, wire), isInBackground(phone, wire.key))
    }
    for (const wire of wires.all().filter((one) => isLineOver(phone, one))) wires.drop(wire)
    if (phone.isKnown && phone.connection === 'open') disownUnused(owned, wires, phone)
    for (const { key, isMine } of withoutSound(phone, wires.all(), owned.keys)) attaching.schedule(key, isMine)
    if (wires.all().some((wire) => needsMicrophone(phone, wire))) void microphone.open()
    else microphone.release()
    for (const wire of wires.all()) wire.peer.setMicrophone(needsMicrophone(phone, wire) ? microphone.track : undefined)
  }

  function onMessage(message: ServerMessage): void {
    if (message.type === 'hello') {
      update({ lost: [] })
      wires.recover()
    }
    if (message.type === 'sdp_answer') {
      session = message.session
      void wires.answered(message.key, message.sdp_answer)
    }
    if (message.type === 'quality') {
      far.set(message.key, { received: message.received, sent: message.sent })
      update()
    }
    if (message.type !== 'call') return
    const ofCall = wires.all().filter(({ key }) => key === message.key)
    if (message.state === 'ended') {
      far.delete(message.key)
      for (const wire of ofCall.filter(({ role }) => role === 'party')) wires.drop(wire)
    }
    if (message.state === 'sound_here' && message.session !== session) {
      for (const wire of ofCall.filter(({ isAnswered }) => isAnswered)) wires.lose(wire, 'gone')
    }
    if (message.state === 'moved') wires.move(message.key, String(message.to))
    // The server receives no audio any more. A connection that is being offered is its replacement and stays.
    if (message.state === 'sound_lost') {
      for (const wire of ofCall.filter(({ role, isAnswered }) => role === 'party' && isAnswered)) wires.drop(wire)
    }
  }

  const unwatch = store.watch((_before, _after, event) => {
    if (event.type === 'message') onMessage(event.message)
    follow()
  })
  const timer = window.setInterval(() => void wires.sampleQuality(), sampleIntervalMs)

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
      return wires.offer(wires.begin(role, key), (sdp_offer) => live.ask({ ...request, sdp_offer }))
    },
    take(key) {
      owned.set(key, true)
      follow()
    },
    tryMicrophone: microphone.retry,
    play() {
      update({ isPlaybackBlocked: false })
      for (const { peer } of wires.all()) peer.play()
    },
    close() {
      unwatch()
      window.clearInterval(timer)
      attaching.close()
      wires.close()
      microphone.close()
    },
  }
}

function disownUnused(owned: OwnedCalls, wires: AudioWires, { talks }: PhoneState): void {
  for (const key of owned.keys) {
    const isUsed = wires.all().some((wire) => wire.key === key) || talks.some((call) => call.key === key)
    if (!isUsed) owned.set(key, false)
  }
}

const hasWebRtc = () => 'RTCPeerConnection' in window
