import { type NodeContext, named } from './context.ts'

/** Whether the media process accepts more legs. */
export interface Capacity {
  /** Throws if there is no capacity for another leg; urgent ones are always admitted. */
  admit(isUrgent?: boolean, isCaller?: boolean): void
  /** Counts a leg while it is being opened. */
  opened<T>(open: () => Promise<T>): Promise<T>
  hasRoomForCall(): boolean
  /** No more legs are admitted. */
  drain(): void
  isDraining(): boolean
}

/** `tickLag`: the maximum lag of recent ticks, in ms. */
export function createCapacity({ options, participants }: NodeContext, tickLag: () => number): Capacity {
  let opening = 0
  let isDraining = false

  /** Two legs per call: callers may take only half of the legs, so that the other half can answer. */
  function isRoomForCall(): boolean {
    const trunks = [...participants.values()].filter(({ leg }) => leg.side === 'external').length
    return participants.size + opening + 2 <= currentLimit() && trunks + opening + 1 <= currentLimit() / 2
  }

  function currentLimit(): number {
    const isLate = tickLag() > options.lagAlarmMs
    return isLate ? Math.ceil(options.maxLegs / 2) : options.maxLegs
  }

  return {
    admit(isUrgent = false, isCaller = false) {
      if (isUrgent) return
      if (isDraining) throw named('Busy', 'this media process is draining and accepts no legs')
      if (participants.size + opening >= currentLimit())
        throw named('Busy', `this media process has its ${currentLimit()} legs`)
      if (isCaller && !isRoomForCall()) throw named('Busy', `this media process has its ${currentLimit() / 2} calls`)
    },
    async opened(open) {
      opening++
      return await open().finally(() => opening--)
    },
    hasRoomForCall: () => !isDraining && isRoomForCall(),
    drain() {
      isDraining = true
    },
    isDraining: () => isDraining,
  }
}
