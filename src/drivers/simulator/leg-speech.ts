import type { SimulatedLeg, SpokenUtterance } from './legs.ts'
import type { Switchboard } from './switchboard.ts'

// What a simulated person says and presses.

export function pressDigit({ player, emit }: Switchboard, leg: SimulatedLeg, digit: string): void {
  if (leg.spokenTo) leg.spokenTo.answered = true
  if (leg.playing?.bargeInOn.includes(digit)) player.stop(leg, 'dtmf')
  emit({ kind: 'leg.dtmf', leg: leg.id, digit })
}

/** Null: speech without words. */
export function startSpeaking({ clock, emit, changed }: Switchboard, leg: SimulatedLeg, text: string | null): void {
  const speech: SpokenUtterance = { text, startedAt: clock.now(), endedAt: null }
  leg.speech = speech
  if (leg.spokenTo && text !== null) {
    leg.spokenTo.answered = true
    emit({ kind: 'leg.speechStarted', leg: leg.id })
  }
  if (text !== null) leg.lines.push(speech)
  changed(leg)
}

/** Speech over an AI voice agent that is too long for a short signal. */
export function continueSpeaking({ emit }: Switchboard, leg: SimulatedLeg, since: number): void {
  if (leg.spokenTo && leg.speech?.text != null && leg.speech.startedAt === since)
    emit({ kind: 'leg.speechContinued', leg: leg.id })
}

export function stopSpeaking({ clock, legs, emit, changed }: Switchboard, leg: SimulatedLeg): void {
  if (!leg.speech) return
  leg.speech.endedAt = clock.now()
  const { text, startedAt } = leg.speech
  leg.speech = null
  const isAudible = text !== null && !leg.muted && leg.manner === 'participant' && legs.has(leg.id)
  if (isAudible) emit({ kind: 'leg.spoke', leg: leg.id, text, startedAt })
  if (leg.spokenTo && text !== null && legs.has(leg.id)) {
    leg.spokenTo.answered = true
    emit({ kind: 'leg.utterance', leg: leg.id, text, startedAt })
  }
  changed(leg)
}
