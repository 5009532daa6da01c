import type { EndReason, LegId } from '../../domain/voice.ts'
import type { Cancel } from '../../lib/clock.ts'
import { legGone } from '../leg-gone.ts'
import { stopSpeaking } from './leg-speech.ts'
import { newLeg, type SimulatedLeg } from './legs.ts'
import { exitRoom } from './room-members.ts'
import type { Side } from './sounds.ts'
import type { Switchboard } from './switchboard.ts'

// Legs from their start to their end.

export function openLeg(
  { legs, newId }: Switchboard,
  side: Side,
  number: string | null,
  phase: SimulatedLeg['phase'],
  id = newId('leg'),
): SimulatedLeg {
  const leg = newLeg(id, side, number, phase)
  legs.set(leg.id, leg)
  return leg
}

/** Throws LegGone for a leg that has ended. */
export function livingLeg({ legs }: Switchboard, id: LegId): SimulatedLeg {
  const leg = legs.get(id)
  if (!leg) throw legGone(id)
  return leg
}

/** A timer that is cancelled when the leg ends. */
export function afterOnLeg({ timers }: Switchboard, leg: SimulatedLeg, ms: number, run: () => void): Cancel {
  const forget = () => {
    cancel()
    leg.waits.delete(forget)
  }
  const cancel = timers.after(ms, () => {
    leg.waits.delete(forget)
    run()
  })
  leg.waits.add(forget)
  return forget
}

export function openDialog({ emit, newId }: Switchboard, leg: SimulatedLeg): void {
  if (leg.dialog !== null) return
  leg.dialog = newId('dialog')
  emit({ kind: 'leg.dialog', leg: leg.id, dialog: leg.dialog })
}

export function connectLeg(board: Switchboard, leg: SimulatedLeg): void {
  openDialog(board, leg)
  leg.phase = 'up'
  board.emit({ kind: 'leg.answered', leg: leg.id })
  board.emit({ kind: 'leg.connected', leg: leg.id })
  board.changed(leg)
}

export function endLeg(board: Switchboard, leg: SimulatedLeg, reason: EndReason, code?: number): void {
  if (!board.legs.delete(leg.id)) return
  for (const giveUp of leg.waits) giveUp()
  leg.person = null
  board.player.silence(leg)
  stopSpeaking(board, leg)
  board.recorder.stopAllOf(leg)
  exitRoom(board, leg)
  board.emit({ kind: 'leg.ended', leg: leg.id, reason, ...(code !== undefined && { code }) })
  for (const listener of board.endListeners) listener(leg)
}
