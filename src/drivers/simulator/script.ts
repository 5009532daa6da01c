import type { CallerStep } from '../../domain/sandbox/script.ts'
import { second } from '../../lib/clock.ts'

/** What a person may wait for. */
export type Sign =
  | 'answered'
  | 'company'
  | 'callback_offer'
  | 'recording'
  /** Nothing is expected that has not begun: an AI voice agent has said something since one spoke. */
  | 'reply'
  /** And it has finished; where no such agent speaks, always. */
  | 'turn'

/** The smallest things a person does, one after the other. */
export type Move =
  | { do: 'wait_for'; sign: Sign }
  | { do: 'pause'; ms: number }
  | { do: 'press'; digit: string }
  /** Null when only the voice matters. */
  | { do: 'speak'; text: string | null; ms: number }
  | { do: 'hang_up' }

const betweenKeysMs = 250

/** A script as moves: nobody can press or speak into a line that is not open yet. */
export const movesOf = (script: readonly CallerStep[]): Move[] => script.flatMap(movesOfStep)

const open: Move[] = [{ do: 'wait_for', sign: 'answered' }]

function movesOfStep(step: CallerStep): Move[] {
  if ('wait' in step) return [{ do: 'pause', ms: step.wait * second }]
  if ('press' in step) return [...open, { do: 'wait_for', sign: 'reply' }, ...presses(step.press)]
  if ('say' in step) {
    // Whoever has just picked up may be about to speak.
    const turn: Move[] = [
      { do: 'pause', ms: 0 },
      { do: 'wait_for', sign: 'turn' },
    ]
    return [...open, ...turn, { do: 'speak', text: step.say, ms: step.seconds * second }]
  }
  if ('hear' in step) {
    return [
      { do: 'wait_for', sign: 'company' },
      { do: 'pause', ms: step.hear * second },
    ]
  }
  if ('request_callback' in step) return [{ do: 'wait_for', sign: 'callback_offer' }, ...presses('1')]
  if ('voicemail' in step) {
    return [
      { do: 'wait_for', sign: 'recording' },
      { do: 'speak', text: null, ms: step.voicemail * second },
      { do: 'hang_up' },
    ]
  }
  return [{ do: 'hang_up' }]
}

const presses = (digits: string): Move[] =>
  [...digits].flatMap((digit, index): Move[] =>
    index === 0
      ? [{ do: 'press', digit }]
      : [
          { do: 'pause', ms: betweenKeysMs },
          { do: 'press', digit },
        ],
  )
