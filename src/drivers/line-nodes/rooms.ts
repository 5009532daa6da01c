import type { RoomId, VoiceDriver } from '../../domain/voice.ts'
import type { Clock } from '../../lib/clock.ts'
import { ulid } from '../../lib/ulid.ts'
import type { LineNodeDriver } from '../line-node/driver.ts'
import type { Placement } from './placement.ts'

interface Options {
  clock: Clock
  placement: Placement
  nodes(): readonly LineNodeDriver[]
}

/** A room is on the node of its first leg. */
export function createRoomCommands({ clock, placement, nodes }: Options) {
  /** Rooms that no leg has joined yet. */
  const unplaced = new Set<RoomId>()
  const creating = new Map<RoomId, Promise<RoomId>>()

  /** Created once; several legs may join at the same time. */
  async function roomFor(room: RoomId, node: LineNodeDriver): Promise<void> {
    const known = placement.ofRoom(room)
    if (known && known !== node) throw new Error('the room is on another line node')
    if (unplaced.delete(room)) {
      placement.place({ room }, node)
      creating.set(room, node.createRoom({ room }))
    }
    await creating.get(room)
  }

  return {
    async createRoom({ room = `room-${ulid(clock.machineNow())}`, ...call } = {}) {
      const [first, ...others] = nodes()
      const node = others.length === 0 ? first : placement.ofCall(call)
      unplaced.add(room)
      // Otherwise it is created with its first leg.
      if (node) await roomFor(room, node)
      return room
    },
    async closeRoom(room) {
      const node = placement.ofRoom(room)
      placement.forgetRoom(room)
      creating.delete(room)
      unplaced.delete(room)
      // Of a call that another process began.
      await Promise.all((node ? [node] : nodes()).map((driver) => driver.closeRoom(room)))
    },
    async join(room, leg, ...rest) {
      const node = placement.ofLeg(leg)
      await roomFor(room, node)
      await node.join(room, leg, ...rest)
    },
    async record(target, how) {
      const node =
        'leg' in target ? placement.ofLeg(target.leg) : (placement.ofRoom(target.room) ?? placement.choose({}))
      if ('room' in target) await roomFor(target.room, node)
      const recording = await node.record(target, how)
      placement.place({ recId: recording.recId }, node)
      return recording
    },
  } satisfies Partial<VoiceDriver>
}
