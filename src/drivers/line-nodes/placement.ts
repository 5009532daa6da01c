import type { LegId, RoomId, VoiceEvent } from '../../domain/voice.ts'
import type { LineNodeDriver } from '../line-node/driver.ts'

/** Which node has a leg, a room, a recording and a tap. All legs of a call are on one node, so audio never crosses nodes. */
export interface Placement {
  /** The node of the first of these legs that is known; otherwise the one with the most capacity left. */
  choose(peers: readonly LegId[], preferred?: LineNodeDriver): LineNodeDriver
  /** The node of the first of these legs that is known. */
  ofAny(legs: readonly LegId[]): LineNodeDriver | undefined
  ofLeg(leg: LegId): LineNodeDriver
  ofRecording(recId: string): LineNodeDriver
  ofTap(tapId: string): LineNodeDriver
  /** Undefined: no leg has joined it yet. */
  ofRoom(room: RoomId): LineNodeDriver | undefined
  place(what: Partial<Record<Placed, string>>, node: LineNodeDriver): void
  forgetRoom(room: RoomId): void
  forgetTap(tapId: string): void
  /** Follows the legs and recordings of the node. */
  onEvent(event: VoiceEvent, node: LineNodeDriver): void
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

  function ofAny(legs: readonly LegId[]): LineNodeDriver | undefined {
    for (const leg of legs) {
      const node = placed.leg.get(leg)
      if (node) return node
    }
    return undefined
  }

  return {
    choose(peers, preferred) {
      const isUsable = preferred && !preferred.load()?.isDraining
      return ofAny(peers) ?? (isUsable ? preferred : leastLoaded())
    },
    ofAny,
    ofLeg: (leg) => placed.leg.get(leg) ?? any(),
    ofRecording: (recId) => placed.recId.get(recId) ?? any(),
    ofTap: (tapId) => placed.tapId.get(tapId) ?? any(),
    ofRoom: (room) => placed.room.get(room),
    place(what, node) {
      for (const kind of ['leg', 'room', 'recId', 'tapId'] as const) {
        const id = what[kind]
        if (id !== undefined) placed[kind].set(id, node)
      }
    },
    forgetRoom: (room) => void placed.room.delete(room),
    forgetTap: (tapId) => void placed.tapId.delete(tapId),
    onEvent(event, node) {
      if (event.kind === 'leg.ended') placed.leg.delete(event.leg)
      else if (event.kind === 'leg.incoming') placed.leg.set(event.leg, node)
      else if (event.kind === 'record.ended') placed.recId.delete(event.recId)
    },
  }
}
