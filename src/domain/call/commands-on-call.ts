import type { DialOrigin } from '../toll.ts'
import { addCard } from './cards.ts'
import type { CallCommand, TransferDestination } from './commands.ts'
import {
  cancelConsultation,
  completeTransfer,
  consultationAnswered,
  consultationLegEnded,
  consultationRefused,
  startConsultation,
} from './consultation.ts'
import { publishFailedConsultation } from './finish.ts'
import { forwardCall } from './forwarded.ts'
import { hold, isHeldByOther, releaseExternals } from './hold.ts'
import { mergeInto } from './merge.ts'
import { answerRing, ringRefused, startRing, stopRinging } from './ringing.ts'
import type { Agent } from './state.ts'
import { supervise } from './supervise.ts'
import { agentHangsUp, agentOf, unhold } from './talking.ts'
import {
  cancelTimers,
  dismissAgent,
  emit,
  patch,
  patchRecord,
  publishCallEvent,
  stopPlayback,
  type Turn,
  trace,
} from './turn.ts'
import { dismissVoiceAgent } from './voice-agent-session.ts'

type On<K extends CallCommand['kind']> = Extract<CallCommand, { kind: K }>

/** Handles a command; returns why it is not possible in the current state. */
export function handleCommand(turn: Turn, command: CallCommand): string | undefined {
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
      patchRecord(turn, { assignedTo: command.userId })
      return void publishCallEvent(turn, 'assigned')
    case 'show_card':
      return void addCard(turn, command.contents)
    default:
      return handleAgentCommand(turn, command)
  }
}

function answer(turn: Turn, command: On<'answer'>): string | undefined {
  const { phase, consultation } = turn.call
  if (phase.kind === 'ringing' && phase.ring.rung.some(({ userId }) => userId === command.by)) {
    return void answerRing(turn, phase, command)
  }
  if (consultation?.rung.some(({ userId }) => userId === command.by))
    return void consultationAnswered(turn, consultation, command)
  return 'The call does not ring on this user'
}

/** An existing leg is replaced once the new one is connected. */
function attach(turn: Turn, { by, sdpOffer, session }: On<'attach'>): string | undefined {
  const { consultation, supervisors } = turn.call
  const isHere = agentOf(turn, by) || consultation?.userId === by || supervisors.some(({ userId }) => userId === by)
  if (!isHere) return 'The user is not on the call'
  emit(turn, { kind: 'attach', userId: by, sdpOffer, ...(session !== undefined && { session }) })
}

function decline(turn: Turn, { by }: On<'decline'>): string | undefined {
  const { phase, consultation } = turn.call
  if (phase.kind === 'ringing' && phase.ring.rung.some(({ userId }) => userId === by)) {
    return void ringRefused(turn, phase, by, 'declined')
  }
  if (consultation?.rung.some(({ userId }) => userId === by))
    return void consultationRefused(turn, consultation, by, 'declined')
  return 'The call does not ring on this user'
}

/** Commands that require the user to be on the call. */
function handleAgentCommand(
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
  const { phase, customer, consultation } = turn.call
  const agent = agentOf(turn, command.by)
  if (command.kind === 'hang_up' && consultation?.userId === command.by) return void consultationLegEnded(turn)
  if (!agent) return 'The user is not on the call'
  if (command.kind === 'hang_up') return void agentHangsUp(turn, command.by)
  if (command.kind === 'comment') {
    return void patch(turn, { notes: [...turn.call.notes, { by: command.by, content: command.content }] })
  }
  if (phase.kind === 'notice') return 'The recording announcement is playing'
  if (phase.kind !== 'talking') return 'The call has not been answered yet'
  switch (command.kind) {
    case 'hold':
      if (phase.held) return 'The call is on hold already'
      return void hold(turn, command.by)
    case 'unhold':
      if (!phase.held) return 'The call is not on hold'
      if (phase.heldBy !== undefined && phase.heldBy !== command.by) return 'The other party has put the call on hold'
      return void unhold(turn)
    case 'mute':
    case 'unmute':
      return void mute(turn, agent, command.kind === 'mute')
    case 'send_digits':
      if (customer.leg === null) return 'Digits can only be sent to an external party'
      return void emit(turn, { kind: 'digits', leg: customer.leg, digits: command.digits })
    case 'consult':
      if (customer.leg === null) return 'An internal call cannot be transferred'
      return checkTarget(turn, command.to) ?? consult(turn, { ...command, purpose: 'consult' })
    case 'add_participant':
      if (command.to.type === 'number' && turn.call.number === null)
        return 'External parties cannot be added to an internal call'
      return checkTarget(turn, command.to) ?? consult(turn, { ...command, purpose: 'conference', firstUserId: null })
    case 'merge_into':
      return mergeInto(turn, command)
    case 'complete_transfer':
      if (consultation?.purpose !== 'consult') return 'No consultation is in progress'
      if (!consultation.joined) return 'The consulted party has not answered'
      return void completeTransfer(turn, consultation)
  }
}

function mute(turn: Turn, agent: Agent, muted: boolean) {
  patch(turn, { agents: turn.call.agents.map((one) => (one === agent ? { ...one, muted } : one)) })
  // A colleague on hold stays muted until the hold ends.
  if (agent.leg !== null && !isHeldByOther(turn, agent)) emit(turn, { kind: 'mute', leg: agent.leg, muted })
}

function consult(turn: Turn, params: Parameters<typeof startConsultation>[1]): string | undefined {
  const { consultation } = turn.call
  if (consultation && !consultation.failed) return 'Another party is already being consulted or invited'
  publishFailedConsultation(turn)
  startConsultation(turn, params)
}

function checkTarget(turn: Turn, to: TransferDestination): string | undefined {
  return to.type === 'user' && agentOf(turn, to.id) ? 'The user is on the call already' : undefined
}

/** Blind transfer: all agents leave the call and the target is rung immediately. */
export function transfer(
  turn: Turn,
  { by, to, strategy = 'simultaneous', firstUserId }: On<'transfer'>,
  origin: DialOrigin = 'transfer',
): string | undefined {
  const { phase, customer, record, agents } = turn.call
  if (by !== null && !agentOf(turn, by)) return 'The user is not on the call'
  if (customer.leg === null) return 'An internal call cannot be transferred'
  if (phase.kind === 'dialling') return 'The call has not been answered yet'
  if (phase.kind === 'forwarded') return 'The call has been forwarded to an external number'
  const taken = checkTarget(turn, to)
  if (taken !== undefined) return taken
  const giver = by ?? agents[0]?.userId ?? null
  // An agent who has already transferred the call is no longer on it, but stays the transferring agent.
  const transferredBy = giver ?? record.transferredBy
  if (phase.kind === 'ringing' && phase.ring.purpose === 'transfer') publishCallEvent(turn, 'unsuccessful_transfer')
  cancelConsultation(turn)
  dismissVoiceAgent(turn)
  stopRinging(turn)
  cancelTimers(turn, 'menu', 'wait', 'notice')
  patch(turn, { callback: null })
  stopPlayback(turn)
  for (const { userId } of agents) dismissAgent(turn, userId)
  if (phase.kind === 'talking' && phase.held) releaseExternals(turn)
  if (phase.kind === 'widget' && phase.activity.kind === 'voicemail' && phase.activity.recId !== null) {
    emit(turn, { kind: 'record.stop', recId: phase.activity.recId })
  }
  if (to.type === 'number') {
    const from = turn.call.number?.digits ?? ''
    return void forwardCall(turn, to.number, { by: transferredBy, giver, node: null, from, timeoutMs: 60_000, origin })
  }
  patchRecord(turn, {
    transferredBy,
    transferredTo: to.type === 'user' ? to.id : firstUserId,
    transferredOut: false,
    ...(to.type === 'team' && record.direction === 'inbound' && { teamIds: [to.id] }),
  })
  if (giver !== null) emit(turn, { kind: 'transfer.sent', userId: giver })
  trace(turn, { kind: 'transfer', by: transferredBy, to: to.type, id: to.id, strategy })
  publishCallEvent(turn, 'transferred')
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
  if (recording.kind === 'off') return 'The call is not being recorded'
  const { recId } = recording
  const { phase } = turn.call
  // Nothing is recorded on hold: the command takes effect when the hold ends.
  if (phase.kind === 'talking' && phase.held) {
    return void patch(turn, { recording: { kind: 'paused', recId, ...(!pause && { waits: true }) } })
  }
  const kind = pause ? 'paused' : 'on'
  if (recording.kind === kind && !recording.waits) return
  patch(turn, { recording: { kind, recId } })
  if (recording.kind === kind) return
  if (recId !== null) emit(turn, { kind: pause ? 'record.pause' : 'record.resume', recId })
}
