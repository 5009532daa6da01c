// Two calls of an agent become one: the parties of the call that ends continue in the other.
import type { LegId } from '../voice.ts'
import type { CallCommand } from './commands.ts'
import type { CallMachineEvent } from './events.ts'
import { finish } from './finish.ts'
import { isRefused, refuseRecording } from './recording-notice.ts'
import type { Agent } from './state.ts'
import { updateWhisper } from './supervise.ts'
import { agentOf, notifyRemainingAgents, unhold } from './talking.ts'
import { addParticipant, emit, hangUp, patch, type Turn } from './turn.ts'

export interface MergedParties {
  externals: readonly { leg: LegId; phone: string }[]
  /** Colleagues on the call; the agent who merges is on the other call already. */
  agents: readonly Agent[]
  /** SIP dialogs of the legs. */
  dialogs: Readonly<Record<LegId, string>>
  /** A party has refused to be recorded. */
  unrecorded?: true
}

/** The legs are not hung up: they are handed over. Returns why it is not possible. */
export function mergeInto(turn: Turn, { by, key }: Extract<CallCommand, { kind: 'merge_into' }>): string | undefined {
  if (turn.call.consultation) return 'Complete or cancel the transfer first'
  unhold(turn)
  const { customer, guests, agents, record, dialogs } = turn.call
  const caller = customer.leg === null ? [] : [{ leg: customer.leg, phone: customer.phone ?? record.external }]
  const externals = [...caller, ...guests.map(({ leg, phone }) => ({ leg, phone }))]
  const others = agents.filter(({ userId }) => userId !== by)
  patch(turn, {
    customer: { ...customer, leg: null },
    guests: [],
    agents: agents.filter(({ userId }) => userId === by),
  })
  for (const { userId } of others) {
    // Without wrap-up: the conversation goes on.
    emit(turn, { kind: 'left', userId, consultation: true }, { kind: 'show', userId, state: 'moved', to: key })
  }
  const refused = isRefused(turn.call.recordingConsent) && { unrecorded: true as const }
  emit(turn, { kind: 'hand_over', to: key, by, parties: { externals, agents: others, dialogs, ...refused } })
  finish(turn, 'normal_clearing')
}

type Merged = Extract<CallMachineEvent, { kind: 'merged' }>

export function partiesMerged(turn: Turn, { by, parties }: Merged) {
  if (turn.call.phase.kind !== 'talking' || !agentOf(turn, by)) return refuseMerged(turn, parties)
  unhold(turn)
  if (parties.unrecorded) refuseRecording(turn)
  const { guests, dialogs } = turn.call
  patch(turn, {
    guests: [...guests, ...parties.externals.map((party) => ({ ...party, merged: true as const }))],
    dialogs: { ...dialogs, ...parties.dialogs },
  })
  for (const { leg, phone } of parties.externals) {
    addParticipant(turn, { kind: 'external', phone })
    emit(turn, { kind: 'join', room: 'main', leg })
  }
  for (const agent of parties.agents) joinMerged(turn, agent)
  updateWhisper(turn)
  notifyRemainingAgents(turn)
}

function joinMerged(turn: Turn, agent: Agent) {
  const { userId, leg, muted } = agent
  // The colleague is on both calls.
  if (agentOf(turn, userId)) return hangUp(turn, leg)
  patch(turn, { agents: [...turn.call.agents, agent] })
  addParticipant(turn, { kind: 'user', userId })
  emit(turn, { kind: 'joined', userId })
  if (leg === null) return
  emit(turn, { kind: 'join', room: 'main', leg })
  if (muted) emit(turn, { kind: 'mute', leg, muted: true })
}

/** The call has ended, or the agent has left it, in the meantime. */
export function refuseMerged(turn: Turn, { externals, agents }: MergedParties) {
  for (const { leg } of [...externals, ...agents]) hangUp(turn, leg)
  for (const { userId } of agents) emit(turn, { kind: 'show', userId, state: 'ended' })
}
