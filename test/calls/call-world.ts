import type { CallCommand } from '../../src/domain/call/commands.ts'
import type { CallInput, CallMachineEvent, DriverCommand, Effect, PersistEffect } from '../../src/domain/call/events.ts'
import { type Step, step } from '../../src/domain/call/machine.ts'
import { inboundCall, internalCall, outboundCall } from '../../src/domain/call/new-call.ts'
import { type CallState, isDone, rungBy, type TimerName } from '../../src/domain/call/state.ts'
import type { Target } from '../../src/domain/flow/document.ts'
import { usersOfTargets } from '../../src/domain/routing.ts'
import { type Ledger, openLedger } from './call-ledger.ts'
import { createNetwork } from './call-network.ts'
import { agentReady } from './random-agent.ts'
import type { CallScenario, Move, Who } from './random-call.ts'
import { teams, users } from './random-flow.ts'

// A call and its environment: users, a network with delays, and an engine that may crash at any command.
// Every event the call is given is written down, so that a failure reads as the story of the call.

export interface Played {
  ledger: Ledger
  events: number
  /** Where the call has been. */
  places: Set<string>
}

export const start = Date.UTC(2026, 5, 15, 12)
const maxRounds = 10_000

export function play(scenario: CallScenario): Played {
  const ledger = openLedger()
  const elsewhere = new Set(scenario.elsewhere)
  const story: { event: CallMachineEvent; became: Step }[] = []
  const places = new Set<string>()
  let call = opening(scenario)
  let now = start
  let commands: DriverCommand[] = []
  const network = createNetwork(call.customer.leg)
  const { reports } = network

  /** One event and all that follows from it: what the engine does in one transaction. */
  function happens(input: CallInput) {
    const open: Effect[] = []
    apply({ ...input, at: now }, open)
    for (let effect = open.shift(); effect; effect = open.shift()) {
      ledger.write(effect)
      if (isDriverCommand(effect)) commands.push(effect)
      else {
        const answer = answerTo(effect)
        if (answer) apply({ ...answer, at: now }, open)
      }
    }
  }

  function apply(event: CallMachineEvent, open: Effect[]) {
    const became = step(call, event)
    story.push({ event, became })
    ledger.see(call, event, became)
    call = became.state
    oneAtATime()
    rightParties()
    places.add(call.phase.kind === 'widget' ? call.phase.activity.kind : call.phase.kind)
    if (call.consultation) places.add(`${call.consultation.purpose} ${call.consultation.joined ? 'joined' : 'sought'}`)
    open.unshift(...became.effects)
  }

  function answerTo(effect: PersistEffect): CallInput | undefined {
    switch (effect.kind) {
      case 'find.agents': {
        const free = named(effect.targets).filter(({ userId }) => isFree(userId) && !effect.except.includes(userId))
        const people = free.slice(0, effect.max)
        for (const { userId } of people) ledger.reserved.add(userId)
        return { kind: 'agents.found', people, considered: [], consultation: effect.consultation }
      }
      case 'query.position':
        return { kind: 'position', place: 1 }
      case 'query.number': {
        const number = [scenario.number, scenario.second].find(({ id }) => id === effect.numberId)
        return number ? { kind: 'number.entered', number } : { kind: 'number.missing' }
      }
      case 'query.voiceAgent': {
        const ready = agentReady(effect.agentId)
        return ready ? { kind: 'voiceAgent.ready', ...ready } : { kind: 'voiceAgent.unavailable' }
      }
      default:
        return undefined
    }
  }

  const isFree = (userId: number) =>
    users.includes(userId) && !elsewhere.has(userId) && !ledger.on.has(userId) && !ledger.reserved.has(userId)

  function work(fails: boolean) {
    const command = commands.shift()
    const outcome = command && network.perform(command, fails)
    if (outcome) happens(outcome)
  }

  function report(nth: number, arrives: 'once' | 'twice' | 'never') {
    const [one] = reports.length === 0 ? [] : reports.splice(nth % reports.length, 1)
    if (!one) return
    const isSignal = one.kind === 'leg.answered' || one.kind === 'leg.dtmf' || one.kind === 'play.ended'
    if (arrives === 'never' && isSignal) return
    happens(one)
    if (arrives === 'twice' && (isSignal || one.kind === 'leg.ended')) happens(one)
  }

  /** Every timer that falls due on the way fires at its time. */
  function wait(ms: number) {
    const until = now + ms
    for (let next = nextTimer(call, until); next; next = nextTimer(call, until)) {
      now = Math.max(now, next.due)
      happens({ kind: 'timer', name: next.name })
    }
    now = until
  }

  function make(move: Move) {
    switch (move.do) {
      case 'work':
        for (let n = 0; n < move.commands; n++) work(move.fails)
        return
      case 'settle':
        for (let n = 0; n < move.most && commands.length + reports.length > 0; n++) {
          if (commands.length > 0) work(false)
          else report(0, 'once')
        }
        return
      case 'report':
        return report(move.nth, move.arrives)
      case 'wait':
        return wait(move.ms)
      case 'command':
        return withPerson(move.by, (by) =>
          happens({ kind: 'command', command: { ...move.command, by } as CallCommand }),
        )
      case 'software':
        return happens({ kind: 'command', command: { ...move.command, by: null } as CallCommand })
      case 'press': {
        const { leg, open } = call.customer
        if (leg !== null && open) reports.push({ kind: 'leg.dtmf', leg, digit: move.digit })
        return
      }
      case 'say': {
        const { leg, open } = call.customer
        if (leg !== null && open)
          reports.push({ kind: 'leg.speechStarted', leg }, { kind: 'leg.utterance', leg, text: move.text })
        return
      }
      case 'outside answers':
        return withOne(network.dialling(), move.nth, network.answer)
      case 'far end leaves':
        return withOne(network.living(), move.nth, (leg) => network.end(leg, move.reason))
      case 'recording ends':
        return withOne(network.recordings(), move.nth, network.endRecording)
      case 'window closes':
        return withPerson(move.by, (userId) => happens({ kind: 'agent.lost', userId }))
      case 'turns elsewhere':
        if (!elsewhere.delete(move.userId) && isFree(move.userId)) elsewhere.add(move.userId)
        return
      case 'becomes free':
        return becomesFree(move.userId)
      case 'stop':
        return happens({ kind: 'engine.restarted' })
      case 'crash':
        return crash()
    }
  }

  function withPerson({ among, nth }: Who, act: (userId: number) => void) {
    const rung = () => rungBy(call).map(({ userId }) => userId)
    withOne(among === 'rung' ? rung() : among === 'all' ? users : [...ledger.on], nth, act)
  }

  function becomesFree(userId: number) {
    elsewhere.delete(userId)
    const person = ledger.queue?.accepting && named(ledger.queue.targets).find((one) => one.userId === userId)
    if (!person || !isFree(userId)) return
    ledger.reserved.add(userId)
    reports.push({ kind: 'agent.free', ...person })
  }

  /** Stored state is restored; pending commands and all media are lost. */
  function crash() {
    if (isDone(call)) return
    for (const one of reports) if (one.kind === 'agent.free') ledger.reserved.delete(one.userId)
    call = JSON.parse(JSON.stringify(call))
    network.die()
    happens({ kind: 'engine.restarted' })
    commands = []
  }

  function oneAtATime() {
    if (call.phase.kind !== 'ringing' || call.phase.ring.strategy === 'simultaneous') return
    if (call.phase.ring.rung.length > 1) throw new Error('only the simultaneous strategy rings several people')
  }

  function rightParties() {
    const { phase, consultation } = call
    const wanted = [
      ...(phase.kind === 'forwarded' ? [{ leg: phase.leg, phone: phase.phone }] : []),
      ...(consultation?.to.type === 'number' ? [{ leg: consultation.leg, phone: consultation.to.number }] : []),
    ]
    const wrong = wanted.find(({ leg, phone }) => leg !== null && network.phoneOf(leg) !== phone)
    if (wrong) throw new Error(`${wrong.leg} is not connected to ${wrong.phone}`)
  }

  /** A message is recorded while it is left, and not a moment longer. */
  function expectNoStrayRecording() {
    const { phase } = call
    const wanted = phase.kind === 'widget' && phase.activity.kind === 'voicemail' ? phase.activity.recId : null
    const stray = network.running('voicemail').find((recId) => recId !== wanted)
    if (stray !== undefined) throw new Error(`${stray} runs without a voicemail`)
  }

  /** All parties hang up one after the other; pending reports arrive, and time passes. */
  function finish() {
    for (let round = 0; round < maxRounds; round++) {
      const leg = legsOf(call).find(network.isUp)
      if (leg !== undefined) network.end(leg, 'hangup')
      else if (commands.length > 0) work(false)
      else if (reports.length > 0) report(0, 'once')
      else if (isDone(call)) return
      else {
        const next = nextTimer(call, Number.POSITIVE_INFINITY)
        if (!next) throw new Error('an ongoing call waits for a party or a timer')
        wait(Math.max(0, next.due - now))
      }
    }
    throw new Error('a call ends when all parties have hung up')
  }

  try {
    happens({ kind: 'begin' })
    for (const move of scenario.moves) {
      make(move)
      if (commands.length === 0) expectNoStrayRecording()
    }
    finish()
    ledger.close(call)
    if (network.living().length > 0) throw new Error(`every leg is hung up (${network.living()})`)
    if (network.running().length > 0) throw new Error(`every recording is stopped (${network.running()})`)
  } catch (error) {
    const broken = error instanceof Error ? error.message : String(error)
    const last = story.slice(-60).map(wording)
    throw new Error(`${broken}\n${scenario.call} call, ${story.length} events, the last of them:\n${last.join('\n')}`)
  }
  return { ledger, events: story.length, places }
}

export function opening({ call, number, from }: CallScenario): CallState {
  const begin = { key: '00000000-0000-4000-8000-000000000000', companyId: 1, callId: 1, at: start }
  if (call === 'inbound') return inboundCall(begin, number, { leg: 'leg 0', from })
  if (call === 'outbound') return outboundCall(begin, number, { userId: 1, to: '+33199001234' })
  return internalCall(begin, { userId: 1, to: 2 })
}

const named = (targets: readonly Target[]) => usersOfTargets(targets, (teamId) => teams[teamId] ?? [])

function nextTimer({ timers }: CallState, until: number): { name: TimerName; due: number } | undefined {
  const set = (Object.entries(timers) as [TimerName, number][]).map(([name, due]) => ({ name, due }))
  return set.filter(({ due }) => due <= until).sort((a, b) => a.due - b.due)[0]
}

/** Legs whose end the call waits for. */
const legsOf = ({ customer, agents }: CallState) =>
  [customer.leg, ...agents.map(({ leg }) => leg)].filter((leg) => leg !== null)

function withOne<T>(list: readonly T[], nth: number, act: (one: T) => void) {
  const one = list[nth % Math.max(1, list.length)]
  if (one !== undefined) act(one)
}

function wording({ event: { at, ...event }, became }: { event: CallMachineEvent; became: Step }): string {
  const text = JSON.stringify(event, (key, value) => (key === 'number' ? (value?.id ?? value) : value))
  return `+${(at - start) / 1_000} s ${text} → ${became.refused ?? phaseOf(became.state)}`
}

function phaseOf({ phase, consultation }: CallState): string {
  const consult = consultation
    ? `, ${consultation.purpose} ${consultation.failed ? 'failed' : consultation.joined ? 'joined' : 'sought'}`
    : ''
  if (phase.kind === 'widget') return `${phase.node}: ${phase.activity.kind}`
  if (phase.kind === 'ringing') return `ringing ${phase.ring.rung.map(({ userId }) => userId)}`
  return phase.kind + consult
}

const persistKinds: Record<PersistEffect['kind'], true> = {
  publish: true,
  trace: true,
  'find.agents': true,
  'query.position': true,
  'query.number': true,
  'query.voiceAgent': true,
  voiceAgent: true,
  'ring.started': true,
  'ring.ended': true,
  release: true,
  joined: true,
  left: true,
  'transfer.sent': true,
  'transfer.received': true,
  'queue.enter': true,
  'queue.accepting': true,
  'queue.leave': true,
  'callback.requested': true,
  ended: true,
  'recording.save': true,
  'recording.consent': true,
}

const isDriverCommand = (effect: Effect): effect is DriverCommand => !(effect.kind in persistKinds)
