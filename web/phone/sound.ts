import type { Answer } from '../../src/live/protocol.ts'
import type { Live, Request } from '../kit/live.ts'
import { tabDrawer } from '../kit/storage.ts'
import { type Microphone, openMicrophone, whyNoMicrophone } from './microphone.ts'
import { createPeer, type Link, type Peer } from './peer.ts'
import { type FarQuality, type Quality, qualityBetween, type Sample } from './quality.ts'
import {
  isMuted,
  isOver,
  type Line,
  mayOffer,
  needsMicrophone,
  type Role,
  roleOffered,
  withoutSound,
} from './sound-plan.ts'
import type { Store } from './store.ts'

// The sound of calls over real lines. It follows what the phone's state says and never changes it, but for a notice that
// what was listened to broke off.

export interface Heard {
  link: Link
  quality: Quality | null
  /** Undefined until the server has measured it. */
  far?: FarQuality | undefined
}

export interface SoundState {
  microphone: Microphone
  /** The browser lets nothing be heard before the page is touched. */
  isHeldBack: boolean
  /** By the key of the call. */
  calls: Record<string, Heard>
}

export interface Sound {
  get(): SoundState
  watch(look: () => void): () => void
  /** Asks the server, with an offer wherever there is sound to it. */
  ask(request: Request): Promise<Answer>
  /** From another phone of the same person to this one. */
  take(key: string): void
  /** Once more, after somebody has allowed it or plugged it in. */
  tryMicrophone(): void
  play(): void
  close(): void
}

export interface SoundParts {
  store: Store
  live: Pick<Live, 'ask'>
  /** The devices chosen in this browser; null: the usual ones. */
  devices(): { microphone: string | null; speaker: string | null }
  /** Whether the person has chosen the sound for weak networks, and the server has it. */
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

const drawer = 'hookswitch.phone.sound'
const answerWithinMs = 10_000
const lookEveryMs = 2_000
/** Another phone of the same person may be about to bring it. */
const ifNobodyElseMs = { inUse: 700, other: 3_000 }
const notTwiceWithinMs = 3_000
/** Two phones that take the sound from each other must not go on for ever. */
const mostTries = 3
const mostTriesMs = 60_000
const lookAfterMs = 1_500

export function createSound({ store, live, devices, isRobust }: SoundParts): Sound {
  const watchers = new Set<() => void>()
  const mine = new Set<string>(JSON.parse(tabDrawer.read(drawer) ?? '[]'))
  const due = new Map<string, number>()
  const tries = new Map<string, number[]>()
  const far = new Map<string, FarQuality>()
  let wires: Wire[] = []
  let microphone: MediaStreamTrack | undefined
  /** Ours, as the server calls it. */
  let session = ''
  let state: SoundState = { microphone: 'off', isHeldBack: false, calls: {} }

  function tell(change: Partial<SoundState> = {}): void {
    const calls = Object.fromEntries(
      wires.flatMap(({ key, link, quality }) => (key ? [[key, { link, quality, far: far.get(key) }]] : [])),
    )
    state = { ...state, ...change, calls }
    for (const look of [...watchers]) look()
  }

  function setMine(key: string, isMine: boolean): void {
    if (mine.has(key) === isMine) return
    if (isMine) mine.add(key)
    else mine.delete(key)
    tabDrawer.write(drawer, JSON.stringify([...mine]))
  }

  function begin(role: Role, key: string | null): Wire {
    const peer = createPeer({
      iceServers: store.get().iceServers,
      speaker: devices().speaker,
      isRobust: isRobust(),
      changed: (link) => changed(wire, link),
      heldBack: () => tell({ isHeldBack: true }),
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
    if (wires.length === 0) tell({ isHeldBack: false })
    follow()
  }

  function changed(wire: Wire, link: Link): void {
    wire.link = link
    tell()
    if (link === 'gone' || link === 'broken') lose(wire, link)
  }

  function lose(wire: Wire, link: 'gone' | 'broken'): void {
    const { key, role } = wire
    const { listening } = store.get()
    // Ended by the server: another phone of the person has the sound now, unless we hear otherwise.
    if (key !== null && role === 'party' && (link === 'gone' || triesOf(key).length >= mostTries)) {
      setMine(key, false)
      window.setTimeout(() => void reclaim(key), lookAfterMs)
    }
    drop(wire)
    if (role === 'listener' && listening?.key === key) {
      store.dispatch({ type: 'listening', listening: { ...listening, phase: 'lost' } })
    }
  }

  /** Sends the offer with a request; whatever fails leaves nothing behind. */
  async function offer(wire: Wire, send: (sdp: string) => Promise<Answer>): Promise<Answer> {
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
    if (!wire.isAnswered) wire.late = window.setTimeout(() => lose(wire, 'broken'), answerWithinMs)
    tell()
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

  /** What goes on is heard, what is over is not, and the microphone is open only for somebody who hears it. */
  function follow(): void {
    const phone = store.get()
    for (const wire of wires) {
      wire.isKnown ||= phone.talks.some(({ key }) => key === wire.key)
      wire.peer.setMuted(isMuted(phone, wire))
    }
    for (const wire of wires.filter((one) => isOver(phone, one))) drop(wire)
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
    const pause = Math.max(0, (triesOf(key).at(-1) ?? 0) + notTwiceWithinMs - Date.now())
    const politeness = document.hasFocus() ? ifNobodyElseMs.inUse : ifNobodyElseMs.other * (1 + Math.random() / 2)
    const wait = Math.max(pause, isMine ? 0 : politeness)
    const timer = window.setTimeout(() => {
      due.delete(key)
      attach(key).catch(() => {
        // The connection broke: its hello comes back to this.
      })
    }, wait)
    due.set(key, timer)
  }

  const triesOf = (key: string) => (tries.get(key) ?? []).filter((at) => at > Date.now() - mostTriesMs)

  /** Whether some phone of the person has brought the sound; undefined: the call is over, or nobody knows. */
  async function isHeardSomewhere(key: string): Promise<boolean | undefined> {
    const now = await live.ask({ type: 'calls' })
    return now.ok ? now.calls?.find((call) => call.key === key)?.sound : undefined
  }

  async function reclaim(key: string): Promise<void> {
    const isHeard = await isHeardSomewhere(key).catch(() => undefined)
    if (isHeard !== false) return
    setMine(key, true)
    follow()
  }

  async function attach(key: string): Promise<void> {
    const needs = () => withoutSound(store.get(), wires, mine).find((one) => one.key === key)
    if (!needs()) return
    if (!mine.has(key) && ((await isHeardSomewhere(key)) !== false || !needs())) return
    tries.set(key, [...triesOf(key), Date.now()])
    const reply = await offer(begin('party', key), (sdp_offer) => live.ask({ type: 'attach', key, sdp_offer }))
    if (!reply.ok) setMine(key, false)
  }

  async function fetchMicrophone(): Promise<void> {
    // Refused once: then it is for the person to try again.
    if (microphone || state.microphone !== 'off') return
    tell({ microphone: 'asking' })
    try {
      microphone = await openMicrophone(devices().microphone)
      // Unplugged: whatever else there is takes over.
      microphone.onended = () => {
        release()
        follow()
      }
      tell({ microphone: 'on' })
    } catch (error) {
      tell({ microphone: whyNoMicrophone(error) })
    }
    follow()
  }

  function release(): void {
    microphone?.stop()
    microphone = undefined
    if (state.microphone !== 'off' && state.microphone !== 'asking') tell({ microphone: 'off' })
  }

  async function look(): Promise<void> {
    for (const wire of wires) {
      const sample = await wire.peer.sample()
      wire.quality = wire.sample && sample ? qualityBetween(wire.sample, sample) : null
      wire.sample = sample
    }
    if (wires.length > 0) tell()
  }

  const unwatch = store.watch((_before, _after, event) => {
    const message = event.type === 'heard' ? event.message : undefined
    if (message?.type === 'sdp_answer') {
      session = message.session
      void answered(message.key, message.sdp_answer)
    }
    if (message?.type === 'quality') {
      far.set(message.key, { received: message.received, sent: message.sent })
      tell()
    }
    if (message?.type === 'call' && message.state === 'ended') {
      far.delete(message.key)
      for (const wire of wires.filter(({ key, role }) => key === message.key && role === 'party')) drop(wire)
    }
    if (message?.type === 'call' && message.state === 'sound_here' && message.session !== session) {
      for (const wire of wires.filter(({ key, isAnswered }) => key === message.key && isAnswered)) lose(wire, 'gone')
    }
    // The server does not hear us any more, whatever it looks like from here: one that is being offered is its successor.
    if (message?.type === 'call' && message.state === 'sound_lost') {
      const isLost = (one: Wire) => one.key === message.key && one.role === 'party' && one.isAnswered
      for (const wire of wires.filter(isLost)) drop(wire)
    }
    follow()
  })
  const timer = window.setInterval(() => void look(), lookEveryMs)

  return {
    get: () => state,
    watch(watcher) {
      watchers.add(watcher)
      return () => watchers.delete(watcher)
    },
    async ask(request) {
      const role = mayOffer(request) && canHear() ? roleOffered(store.get(), request) : undefined
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
      tell({ microphone: 'off' })
      follow()
    },
    play() {
      tell({ isHeldBack: false })
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

const canHear = () => 'RTCPeerConnection' in window
