import type { LegId } from '../domain/voice.ts'
import type { NodeContext } from './context.ts'
import { stopPlayer } from './playback.ts'

interface Options {
  remove(leg: LegId): void
  /** Whether a second has passed since the last report of foreign packets. */
  mayReportForeign(): boolean
}

/** What the transport of a leg reports, as events of the media program. */
export function createLegEvents({ participants, emit }: NodeContext, { remove, mayReportForeign }: Options) {
  let unreportedForeign = 0

  return (leg: LegId) => ({
    connected: () => emit({ kind: 'leg.connected', leg }),
    lost() {
      if (!participants.has(leg)) return
      remove(leg)
      emit({ kind: 'leg.lost', leg })
    },
    digit(digit: string) {
      emit({ kind: 'leg.dtmf', leg, digit })
      const participant = participants.get(leg)
      if (participant?.player?.endsOn(digit)) stopPlayer(participant, 'dtmf')
    },
    foreign(address: string) {
      unreportedForeign++
      if (!mayReportForeign()) return
      emit({ kind: 'leg.foreign', leg, address, packets: unreportedForeign })
      unreportedForeign = 0
    },
  })
}
