import type { CallCommand } from '../../src/domain/call/commands.ts'
import type { CallEvent, CallHappening, Deed, Effect, Fact } from '../../src/domain/call/events.ts'
import { type Step, step } from '../../src/domain/call/machine.ts'
import { inboundCall, internalCall, outboundCall } from '../../src/domain/call/new-call.ts'
import { type CallState, isDone, rungBy, type TimerName } from '../../src/domain/call/state.ts'
import type { Target } from '../../src/domain/flow/document.ts'
import { peopleOf } from '../../src/domain/routing.ts'
import type { EndReason, LegId } from '../../src/domain/voice.ts'
import { type Ledger, openLedger } from './call-ledger.ts'
import { type Move, type Scene, teams, users, type Who } from './random-call.ts'

// A call and the world around it: people, a network that answers when it likes, and an engine that may die at any deed.
// Every event the call is given is written down, so that a failure reads as the story of the call.

export interface Played {
  call: CallState
  ledger: Ledger
  events: number
  /** Where the call has been. */
  phases: Set<string>
}

interface Leg {
  is: 'dialling' | 'up' | 'ended'
}

interface Recording {
  what: 'recording' | 'voicemail'
  leg: LegId | null
  isRunning: boolean
}

export const start = Date.UTC(2026, 5, 15, 12)
const mostRounds = 10_000

export function play(scene: Scene): Played {
  const ledger = openLedger()
  const legs = new Map<LegId, Leg>()
  const recordings = new Map<string, Recording>()
  const elsewhere = new Set<number>()
  const story: { event: CallEvent; became: Step }[] = []
  const phases = new Set<string>()
  let call = opening(scene)
  let now = start
  let deeds: Deed[] = []
  let reports: CallHappening[] = []
  let made = 0
  let events = 0

  if (call.customer.leg !== null) legs.set(call.customer.leg, { is: 'up' })

  function happens(happening: CallHappening, at = now) {
    const open: Effect[] = []
    tell({ ...happening, at }, open)
    for (let effect = open.shift(); effect; effect = open.shift()) {
      ledger.write(effect)
      if (isDeed(effect)) deeds.push(effect)
      else {
        const answer = answerTo(effect)
        if (answer) tell({ ...answer, at }, open)
      }
    }
  }

  function tell(event: CallEvent, open: Effect[]): void {
    events++
    const before = call
    const after = step(before, event)
    story.push({ event, became: after })
    ledger.see(before, event, after)
    call = after.state
    phases.add(call.phase.at === 'widget' ? call.phase.doing.is : call.phase.at)
    if (call.aside) phases.add(`${call.aside.purpose} ${call.aside.joined ? 'joined' : 'sought'}`)
    open.unshift(...after.effects)
  }

  function answerTo(fact: Fact): CallHappening | undefined {
    switch (fact.kind) {
      case 'seek': {
        const free = named(fact.targets).filter(({ userId }) => isFree(userId) && !fact.except.includes(userId))
        const people = free.slice(0, fact.most)
        for (const { userId } of people) ledger.kept.add(userId)
        return { kind: 'found', people, considered: [], aside: fact.aside }
      }
      case 'ask.position':
        return { kind: 'position', place: 1 }
      case 'ask.number': {
        const number = [scene.number, scene.second].find(({ id }) => id === fact.numberId)
        return number ? { kind: 'number.entered', number } : { kind: 'number.missing' }
      }
      default:
        return undefined
    }
  }

  const isFree = (userId: number) =>
    users.includes(userId) && !elsewhere.has(userId) && !ledger.on.has(userId) && !ledger.kept.has(userId)

  function work(fails: boolean) {
    const deed = deeds.shift()
    if (!deed) return
    switch (deed.kind) {
      case 'dial': {
        if (fails) return happens({ kind: 'dial.failed', role: deed.role, to: deed.to })
        return happens({ kind: 'dialled', role: deed.role, to: deed.to, leg: newLeg('dialling') })
      }
      case 'attach':
        if (fails) return happens({ kind: 'agent.lost', userId: deed.userId })
        return happens({ kind: 'agent.attached', userId: deed.userId, leg: newLeg('up') })
      case 'leg.hangup':
        return endLeg(deed.leg, deed.reason)
      case 'play':
        if (!deed.loop) reports.push({ kind: 'play.ended', sound: deed.sound })
        return
      case 'record': {
        const leg = deed.what === 'voicemail' ? deed.leg : null
        if (leg !== null && legs.get(leg)?.is === 'ended') return
        const recId = `rec ${++made}`
        recordings.set(recId, { what: deed.what, leg, isRunning: true })
        return happens({ kind: 'record.started', what: deed.what, recId })
      }
      case 'record.stop':
        return endRecording(deed.recId)
      default:
        return
    }
  }

  /** A message is recorded while it is left, and not a moment longer. */
  function nobodyListensIn(): void {
    const { phase } = call
    const wanted = phase.at === 'widget' && phase.doing.is === 'voicemail' ? phase.doing.recId : null
    for (const [recId, { what, isRunning }] of recordings) {
      if (what === 'voicemail' && isRunning && recId !== wanted) throw new Error(`${recId} goes on without a reason`)
    }
  }

  function newLeg(is: Leg['is']): LegId {
    const leg = `leg ${++made}`
    legs.set(leg, { is })
    return leg
  }

  function endLeg(id: LegId, reason: EndReason) {
    const leg = legs.get(id)
    if (!leg || leg.is === 'ended') return
    leg.is = 'ended'
    for (const [recId, recording] of recordings) if (recording.leg === id) endRecording(recId)
    reports.push({ kind: 'leg.ended', leg: id, reason })
  }

  function endRecording(recId: string): void {
    const recording = recordings.get(recId)
    if (!recording?.isRunning) return
    recording.isRunning = false
    reports.push({ kind: 'record.ended', recId, what: recording.what, file: recId, ms: 5_000 })
  }

  function report(nth: number, arrives: 'once' | 'twice' | 'never') {
    const index = reports.length === 0 ? -1 : nth % reports.length
    const [one] = index < 0 ? [] : reports.splice(index, 1)
    if (!one) return
    const isSignal = one.kind === 'leg.answered' || one.kind === 'leg.dtmf' || one.kind === 'play.ended'
    if (arrives === 'never' && isSignal) return
    happens(one)
    if (arrives === 'twice' && (isSignal || one.kind === 'leg.ended')) happens(one)
  }

  /** Every timer that falls due on the way fires at its time. */
  function wait(ms: number) {
    const until = now + ms
    for (let next = nextTimer(until); next; next = nextTimer(until)) {
      now = Math.max(now, next.due)
      happens({ kind: 'timer', name: next.name })
    }
    now = until
  }

  function nextTimer(until: number): { name: TimerName; due: number } | undefined {
    const set = timersOf(call).filter(({ due }) => due <= until)
    return set.sort((a, b) => a.due - b.due)[0]
  }

  const living = () => [...legs].filter(([, { is }]) => is !== 'ended').map(([id]) => id)

  function people({ among, nth }: Who): number | undefined {
    const choice =
      among === 'rung' ? rungBy(call).map(({ userId }) => userId) : among === 'all' ? users : [...ledger.on]
    return nthOf(choice, nth)
  }

  function make(move: Move) {
    switch (move.do) {
      case 'work':
        for (let n = 0; n < move.deeds; n++) work(move.fails)
        return
      case 'settle':
        for (let n = 0; n < 30 && deeds.length + reports.length > 0; n++) {
          if (deeds.length > 0) work(false)
          else report(0, 'once')
        }
        return
      case 'report':
        return report(move.nth, move.arrives)
      case 'wait':
        return wait(move.ms)
      case 'command':
      case 'software': {
        const by = move.do === 'software' ? null : people(move.by)
        if (by !== undefined) happens({ kind: 'command', command: { ...move.wish, by } as CallCommand })
        return
      }
      case 'press': {
        const { leg, open } = call.customer
        if (leg !== null && open) reports.push({ kind: 'leg.dtmf', leg, digit: move.digit })
        return
      }
      case 'outside answers': {
        const leg = nthOf(
          living().filter((id) => legs.get(id)?.is === 'dialling'),
          move.nth,
        )
        if (leg === undefined) return
        legs.set(leg, { is: 'up' })
        reports.push({ kind: 'leg.answered', leg })
        return
      }
      case 'far end leaves': {
        const leg = nthOf(living(), move.nth)
        if (leg !== undefined) endLeg(leg, move.reason)
        return
      }
      case 'recording ends': {
        const recId = nthOf([...recordings.keys()], move.nth)
        if (recId !== undefined) endRecording(recId)
        return
      }
      case 'window closes': {
        const userId = people(move.by)
        if (userId !== undefined) happens({ kind: 'agent.lost', userId })
        return
      }
      case 'turns elsewhere':
        if (elsewhere.delete(move.userId) || !isFree(move.userId)) return
        elsewhere.add(move.userId)
        return
      case 'becomes free':
        return becomesFree(move.userId)
      case 'stop':
        return happens({ kind: 'engine.restarted' })
      case 'crash':
        return crash()
    }
  }

  function becomesFree(userId: number): void {
    elsewhere.delete(userId)
    const person = ledger.queue?.hungry && named(ledger.queue.targets).find((one) => one.userId === userId)
    if (!person || !isFree(userId)) return
    ledger.kept.add(userId)
    reports.push({ kind: 'agent.free', ...person })
  }

  /** What was written down is there again; what was under way, and all sound, is not. */
  function crash(): void {
    if (isDone(call)) return
    call = JSON.parse(JSON.stringify(call))
    deeds = []
    for (const leg of legs.values()) leg.is = 'ended'
    for (const recording of recordings.values()) recording.isRunning = false
    for (const one of reports) if (one.kind === 'agent.free') ledger.kept.delete(one.userId)
    reports = []
    happens({ kind: 'engine.restarted' })
    deeds = []
  }

  /** Everybody the call knows hangs up, one after the other; what is under way arrives, and time passes. */
  function bringHome(): void {
    for (let round = 0; round < mostRounds; round++) {
      const leg = legsOf(call).find((id) => legs.get(id)?.is !== 'ended')
      if (leg !== undefined) endLeg(leg, 'hangup')
      else if (deeds.length > 0) work(false)
      else if (reports.length > 0) report(0, 'once')
      else if (isDone(call)) return
      else wait(nextDue() - now)
    }
    throw new Error('a call ends when everybody has hung up')
  }

  function nextDue(): number {
    const due = timersOf(call).map((timer) => timer.due)
    if (due.length === 0) throw new Error('a call that goes on waits for somebody or for its time')
    return Math.max(now, Math.min(...due))
  }

  try {
    happens({ kind: 'begin' })
    for (const move of scene.moves) {
      make(move)
      if (deeds.length === 0) nobodyListensIn()
    }
    bringHome()
    ledger.close(call)
    if (living().length > 0) throw new Error(`every leg is hung up (${living()})`)
    const running = [...recordings].filter(([, { isRunning }]) => isRunning).map(([recId]) => recId)
    if (running.length > 0) throw new Error(`every recording is stopped (${running})`)
  } catch (error) {
    const broken = error instanceof Error ? error.message : String(error)
    const last = story.slice(-60).map(wording)
    throw new Error(`${broken}\n${scene.call} call, ${story.length} events, the last of them:\n${last.join('\n')}`)
  }
  return { call, ledger, events, phases }
}

export function opening({ call, number, from }: Scene): CallState {
  const begin = { key: '00000000-0000-4000-8000-000000000000', companyId: 1, callId: 1, at: start }
  if (call === 'inbound') return inboundCall(begin, number, { leg: 'leg 0', from })
  if (call === 'outbound') return outboundCall(begin, number, { userId: 1, to: '+33199001234' })
  return internalCall(begin, { userId: 1, to: 2 })
}

const named = (targets: readonly Target[]) => peopleOf(targets, (teamId) => teams[teamId] ?? [])

const timersOf = ({ timers }: CallState) =>
  (Object.entries(timers) as [TimerName, number][]).map(([name, due]) => ({ name, due }))

/** Legs whose end the call waits to hear of. */
const legsOf = ({ customer, agents }: CallState) =>
  [customer.leg, ...agents.map(({ leg }) => leg)].filter((leg) => leg !== null)

const nthOf = <T>(list: readonly T[], nth: number): T | undefined => list[nth % Math.max(1, list.length)]

function wording({ event: { at, ...event }, became }: { event: CallEvent; became: Step }): string {
  const said = JSON.stringify(event, (key, value) => (key === 'number' ? (value?.id ?? value) : value))
  return `+${(at - start) / 1_000} s ${said} → ${became.refused ?? phaseOf(became.state)}`
}

function phaseOf({ phase, aside }: CallState): string {
  const beside = aside ? `, ${aside.purpose} ${aside.failed ? 'failed' : aside.joined ? 'joined' : 'sought'}` : ''
  if (phase.at === 'widget') return `${phase.node}: ${phase.doing.is}`
  if (phase.at === 'ringing') return `ringing ${phase.ring.rung.map(({ userId }) => userId)}`
  return phase.at + beside
}

const deedKinds = new Set<Effect['kind']>([
  'ring',
  'ring.stop',
  'show',
  'attach',
  'leg.ringing',
  'leg.answer',
  'leg.hangup',
  'dial',
  'play',
  'play.stop',
  'join',
  'mute',
  'digits',
  'record',
  'record.pause',
  'record.resume',
  'record.stop',
  'rooms.close',
])

const isDeed = (effect: Effect): effect is Deed => deedKinds.has(effect.kind)
