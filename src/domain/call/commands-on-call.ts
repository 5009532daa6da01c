import type { DialOrigin } from '../toll.ts'
import { dismissPart } from './agent-part.ts'
import { asideLegEnded, asidePickedUp, asideRefused, beginAside, completeTransfer, dropAside } from './aside.ts'
import { showCard } from './cards.ts'
import type { CallCommand, Destination } from './commands.ts'
import { tellFailedConsult } from './finish.ts'
import { hold } from './hold.ts'
import { passOut } from './passed.ts'
import { pickUp, ringRefused, startRing, stopRinging } from './ringing.ts'
import type { Agent } from './state.ts'
import { supervise } from './supervise.ts'
import { agentHangsUp, agentOf, unhold } from './talking.ts'
import { ask, change, dismissAgent, forget, hushed, note, publish, type Turn, trace } from './turn.ts'

type On<K extends CallCommand['kind']> = Extract<CallCommand, { kind: K }>

/** Does what somebody wants, or says why it cannot be done now. */
export function obey(turn: Turn, command: CallCommand): string | undefined {
  switch (command.kind) {
    case 'answer':
      return answer(turn, command)
    case 'decline':
      return decline(turn, command)
    case 'transfer':
      return transfer(turn, command)
    case 'pause_recording':
    case 'resume_recording':
      return record(turn, command.kind === 'pause_recording')
    case 'attach':
      return attach(turn, command)
    case 'supervise':
      return supervise(turn, command)
    case 'assign':
      note(turn, { assignedTo: command.userId })
      return void publish(turn, 'assigned')
    case 'show_card':
      return void showCard(turn, command.contents)
    default:
      return onTheCall(turn, command)
  }
}

function answer(turn: Turn, command: On<'answer'>): string | undefined {
  const { phase, aside } = turn.call
  if (phase.at === 'ringing' && phase.ring.rung.some(({ userId }) => userId === command.by)) {
    return void pickUp(turn, phase, command)
  }
  if (aside?.rung.some(({ userId }) => userId === command.by)) return void asidePickedUp(turn, aside, command)
  return 'The call does not ring on this user'
}

/** A leg that is there already is replaced once the new one stands. */
function attach(turn: Turn, { by, sdpOffer, session }: On<'attach'>): string | undefined {
  const { aside, supervisors } = turn.call
  const isHere = agentOf(turn, by) || aside?.userId === by || supervisors.some(({ userId }) => userId === by)
  if (!isHere) return 'The user is not on the call'
  ask(turn, { kind: 'attach', userId: by, sdpOffer, ...(session !== undefined && { session }) })
}

function decline(turn: Turn, { by }: On<'decline'>): string | undefined {
  const { phase, aside } = turn.call
  if (phase.at === 'ringing' && phase.ring.rung.some(({ userId }) => userId === by)) {
    return void ringRefused(turn, phase, by, 'declined')
  }
  if (aside?.rung.some(({ userId }) => userId === by)) return void asideRefused(turn, aside, by, 'declined')
  return 'The call does not ring on this user'
}

/** What only somebody who is on the call can do. */
function onTheCall(
  turn: Turn,
  command: Exclude<
    CallCommand,
    On<
      | 'answer'
      | 'decline'
      | 'transfer'
      | 'pause_recording'
      | 'resume_recording'
      | 'assign'
      | 'attach'
      | 'supervise'
      | 'show_card'
    >
  >,
): string | undefined {
  const { phase, customer, aside } = turn.call
  const agent = agentOf(turn, command.by)
  if (command.kind === 'hang_up' && aside?.userId === command.by) return void asideLegEnded(turn)
  if (!agent) return 'The user is not on the call'
  if (command.kind === 'hang_up') return void agentHangsUp(turn, command.by)
  if (command.kind === 'comment') {
    return void change(turn, { notes: [...turn.call.notes, { by: command.by, content: command.content }] })
  }
  if (phase.at !== 'talking') return 'The call has not been answered yet'
  switch (command.kind) {
    case 'hold':
      if (phase.held) return 'The call is on hold already'
      if (customer.leg === null) return 'An internal call cannot be put on hold'
      return void hold(turn)
    case 'unhold':
      if (!phase.held) return 'The call is not on hold'
      return void unhold(turn)
    case 'mute':
    case 'unmute':
      return void mute(turn, agent, command.kind === 'mute')
    case 'send_digits':
      if (customer.leg === null) return 'Digits can only be sent to an outside party'
      return void ask(turn, { kind: 'digits', leg: customer.leg, digits: command.digits })
    case 'consult':
      if (customer.leg === null) return 'An internal call cannot be transferred'
      return aboutSomebodyElse(turn, command.to) ?? beside(turn, { ...command, purpose: 'consult' })
    case 'add_participant':
      if (command.to.type === 'number' && turn.call.number === null)
        return 'An internal call has no line to the outside'
      return (
        aboutSomebodyElse(turn, command.to) ?? beside(turn, { ...command, purpose: 'conference', firstUserId: null })
      )
    case 'complete_transfer':
      if (aside?.purpose !== 'consult') return 'Nobody has been asked first'
      if (!aside.joined) return 'The person asked has not picked up'
      return void completeTransfer(turn, aside)
  }
}

function mute(turn: Turn, agent: Agent, muted: boolean) {
  change(turn, { agents: turn.call.agents.map((one) => (one === agent ? { ...one, muted } : one)) })
  if (agent.leg !== null) ask(turn, { kind: 'mute', leg: agent.leg, muted })
}

function beside(turn: Turn, wish: Parameters<typeof beginAside>[1]): string | undefined {
  const { aside } = turn.call
  if (aside && !aside.failed) return 'Somebody else is being asked or invited already'
  tellFailedConsult(turn)
  beginAside(turn, wish)
}

function aboutSomebodyElse(turn: Turn, to: Destination): string | undefined {
  return to.type === 'user' && agentOf(turn, to.id) ? 'The user is on the call already' : undefined
}

/** Cold: whoever is on the call leaves, and the target is rung at once. */
export function transfer(
  turn: Turn,
  { by, to, strategy = 'simultaneous', firstUserId }: On<'transfer'>,
  origin: DialOrigin = 'transfer',
): string | undefined {
  const { phase, customer, record, agents } = turn.call
  if (by !== null && !agentOf(turn, by)) return 'The user is not on the call'
  if (customer.leg === null) return 'An internal call cannot be transferred'
  if (phase.at === 'dialling') return 'The call has not been answered yet'
  if (phase.at === 'passed') return 'The call has been passed to an outside number'
  const taken = aboutSomebodyElse(turn, to)
  if (taken !== undefined) return taken
  const giver = by ?? agents[0]?.userId ?? null
  // An agent who has transferred the call already is not on it any more: it is still their transfer.
  const transferredBy = giver ?? record.transferredBy
  if (phase.at === 'ringing' && phase.ring.purpose === 'transfer') publish(turn, 'unsuccessful_transfer')
  dropAside(turn)
  dismissPart(turn)
  stopRinging(turn)
  forget(turn, 'menu', 'wait')
  change(turn, { callback: null })
  hushed(turn)
  for (const { userId } of agents) dismissAgent(turn, userId)
  if (phase.at === 'talking' && phase.held) ask(turn, { kind: 'mute', leg: customer.leg, muted: false })
  if (phase.at === 'widget' && phase.doing.is === 'voicemail' && phase.doing.recId !== null) {
    ask(turn, { kind: 'record.stop', recId: phase.doing.recId })
  }
  if (to.type === 'number') {
    const from = turn.call.number?.digits ?? ''
    return void passOut(turn, to.number, { by: transferredBy, giver, node: null, from, timeoutMs: 60_000, origin })
  }
  note(turn, {
    transferredBy,
    transferredTo: to.type === 'user' ? to.id : firstUserId,
    transferredOut: false,
    ...(to.type === 'team' && record.direction === 'inbound' && { teamIds: [to.id] }),
  })
  if (giver !== null) ask(turn, { kind: 'gave', userId: giver })
  trace(turn, { kind: 'transfer', by: transferredBy, to: to.type, id: to.id, strategy })
  publish(turn, 'transferred')
  startRing(turn, {
    purpose: 'transfer',
    node: null,
    targets: [to],
    strategy: to.type === 'user' ? 'simultaneous' : strategy,
    ringMs: ringTime(turn, strategy),
    deadline: null,
    enteredAt: turn.at,
    rung: [],
    except: transferredBy === null ? [] : [transferredBy],
    tried: {},
  })
}

function ringTime({ call: { number } }: Turn, strategy: string): number {
  return strategy === 'simultaneous' ? (number?.ringSimultaneousMs ?? 30_000) : (number?.ringOneByOneMs ?? 20_000)
}

function record(turn: Turn, pause: boolean): string | undefined {
  const { recording } = turn.call
  if (recording.is === 'off') return 'The call is not being recorded'
  const { recId } = recording
  const { phase } = turn.call
  // On hold nothing is recorded: the command decides what happens when the hold ends.
  if (phase.at === 'talking' && phase.held) {
    return void change(turn, { recording: { is: 'paused', recId, ...(!pause && { waits: true }) } })
  }
  const is = pause ? 'paused' : 'on'
  if (recording.is === is && !recording.waits) return
  change(turn, { recording: { is, recId } })
  if (recording.is === is) return
  if (recId !== null) ask(turn, { kind: pause ? 'record.pause' : 'record.resume', recId })
}
