import type { LegId, RoomId } from '../domain/voice.ts'
import type { Clock } from '../lib/clock.ts'
import type { NodeEventData, NodeOptions, NodeRequestName, NodeRequests } from './protocol.ts'
import type { Participant, Room } from './rooms.ts'

export type Handlers = {
  [Name in NodeRequestName]: (request: NodeRequests[Name]['params']) => Promise<NodeRequests[Name]['result']>
}

/** What the parts of the media process share. */
export interface NodeContext {
  options: NodeOptions
  clock: Clock
  participants: Map<LegId, Participant>
  rooms: Map<RoomId, Room>
  /** `sent` is called once the event has left the process. */
  emit(fact: NodeEventData, sent?: () => void): void
}

export function participantOf({ participants }: NodeContext, leg: LegId): Participant {
  const participant = participants.get(leg)
  if (!participant) throw named('LegGone', `Leg ${leg} is gone`)
  return participant
}

export function roomOf({ rooms }: NodeContext, id: RoomId): Room {
  const room = rooms.get(id)
  if (!room) throw new Error(`There is no room ${id}`)
  return room
}

/** The driver distinguishes errors by their name. */
export function named(name: string, message: string): Error {
  const error = new Error(message)
  error.name = name
  return error
}
