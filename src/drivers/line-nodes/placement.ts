import type { CallKey, LegId, RoomId, VoiceEvent } from '../../domain/voice.ts'
import type { LineNodeDriver } from '../line-node/driver.ts'

/** Which node has a leg, a room, a recording and a tap. All legs of a call are on one node, so audio never crosses nodes. */
export interface Placement {
  /** The node of the call; for its first leg the one with the most capacity left. */
  choose(call: PlacedCall, preferred?: LineNodeDriver): LineNodeDriver
  /** The node of the call, if it has one yet. */
  ofCall(call: PlacedCall): LineNodeDriver | undefined
  ofLeg(leg: LegId): LineNodeDriver
  ofRecording(recId: string): LineNodeDriver
  ofTap(tapId: string): LineNodeDriver
  /** Undefined: no leg has joined it yet. */
  ofRoom(room: RoomId): LineNodeDriver | undefined
  place(what: Partial<Record<Placed, string>>, node: LineNodeDriver, callKey?: CallKey): void
  forgetRoom(room: RoomId): void
  forgetTap(tapId: string): void
  /** Follows the legs and recordings of the node. */
  onEvent(event: VoiceEvent, node: LineNodeDriver): void
}

/** Legs of a call may be created at the same time, before they know of each other. */
export interface PlacedCall {
  peers?: readonly LegId[] | undefined
  callKey?: CallKey | undefined
}

type Placed = 'leg' | 'room' | 'recId' | 'tapId'

interface Options {
  nodes(): readonly LineNodeDriver[]
}

export function createPlacement({ nodes }: Options): Placement {
  const placed = {
    leg: new Map<LegId, LineNodeDriver>(),
    room: new Map<RoomId, LineNodeDriver>(),
    recId: new Map<string, LineNodeDriver>(),
    tapId: new Map<string, LineNodeDriver>(),
  }
  const calls = new Map<CallKey, LineNodeDriver>()
  const callOf = new Map<LegId, CallKey>()

  /** A command about something that is gone is sent to any node: it answers as for every leg that has ended. */
  function any(): LineNodeDriver {
    const all = nodes()
    const found = all.find((node) => node.isPresent()) ?? all[0]
    if (!found) throw new Error('no line node is available')
    return found
  }

  const legsOn = (node: LineNodeDriver) => [...placed.leg.values()].filter((one) => one === node).length

  /** The share of its capacity that is in use; legs of this process count at once, those of others when reported. */
  function usage(node: LineNodeDriver): number {
    const load = node.load()
    const max = load?.maxLegs || node.capabilities().maxLegs
    return Math.max(load?.legs ?? 0, legsOn(node)) / Math.max(1, max)
  }

  function leastLoaded(): LineNodeDriver {
    const open = nodes().filter((node) => !node.load()?.isDraining)
    const present = open.filter((node) => node.isPresent() || !node.isRemote)
    const [least] = present.toSorted((a, b) => usage(a) - usage(b))
    return least ?? any()
  }

  function ofCall({ peers = [], callKey }: PlacedCall): LineNodeDriver | undefined {
    for (const leg of peers) {
      const node = placed.leg.get(leg)
      if (node) return node
    }
    return callKey === undefined ? undefined : calls.get(callKey)
  }

  /** Calls are forgotten with their last leg. */
  function endLeg(leg: LegId): void {
    placed.leg.delete(leg)
    const key = callOf.get(leg)
    callOf.delete(leg)
    if (key !== undefined && ![...callOf.values()].includes(key)) calls.delete(key)
  }

  return {
    choose(call, preferred) {
      const isUsable = preferred && !preferred.load()?.isDraining
      const node = ofCall(call) ?? (isUsable ? preferred : leastLoaded())
      if (call.callKey !== undefined) calls.set(call.callKey, node)
      return node
    },
    ofCall,
    ofLeg: (leg) => placed.leg.get(leg) ?? any(),
    ofRecording: (recId) => placed.recId.get(recId) ?? any(),
    ofTap: (tapId) => placed.tapId.get(tapId) ?? any(),
    ofRoom: (room) => placed.room.get(room),
    place(what, node, callKey) {
      if (what.leg !== undefined && callKey !== undefined) callOf.set(what.leg, callKey)
      for (const kind of ['leg', 'room', 'recId', 'tapId'] as const) {
        const id = what[kind]
        if (id !== undefined) placed[kind].set(id, node)
      }
    },
    forgetRoom: (room) => void placed.room.delete(room),
    forgetTap: (tapId) => void placed.tapId.delete(tapId),
    onEvent(event, node) {
      if (event.kind === 'leg.ended') endLeg(event.leg)
      else if (event.kind === 'leg.incoming') placed.leg.set(event.leg, node)
      else if (event.kind === 'record.ended') placed.recId.delete(event.recId)
    },
  }
}
