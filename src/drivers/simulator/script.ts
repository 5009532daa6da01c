import type { ScriptLine } from '../../domain/sandbox/people.ts'
import type { CallerStep } from '../../domain/sandbox/script.ts'
import { second } from '../../lib/clock.ts'

/** Conditions that a simulated person waits for. */
export type CallCondition =
  | 'answered'
  | 'company'
  | 'callback_offer'
  | 'recording'
  /** An AI voice agent has spoken since the person last did, or none is on the call. */
  | 'reply'
  /** As `reply`, and the agent has finished speaking. */
  | 'turn'
  /** An agent is on the call, the person is not on hold, and no participant speaks. */
  | 'agent'
  /** A participant who is not on hold listens, and no other participant speaks. */
  | 'listener'

/** The steps of a simulated person, one after the other. */
export type Move =
  | { kind: 'wait_for'; sign: CallCondition }
  | { kind: 'pause'; ms: number }
  | { kind: 'press'; digit: string }
  /** Null if the words do not matter. */
  | { kind: 'speak'; text: string | null; ms: number }
  /** The agent on the call speaks. */
  | { kind: 'agent_speak'; text: string; ms: number }
  | { kind: 'hang_up' }

const betweenKeysMs = 250

/** A script as moves. Digits and speech wait until the call is answered. */
export const movesOf = (script: readonly CallerStep[]): Move[] => script.flatMap(movesOfStep)

const open: Move[] = [{ kind: 'wait_for', sign: 'answered' }]

function movesOfStep(step: CallerStep): Move[] {
  if ('wait' in step) return [{ kind: 'pause', ms: step.wait * second }]
  if ('press' in step) return [...open, { kind: 'wait_for', sign: 'reply' }, ...presses(step.press)]
  if ('say' in step) {
    if (step.over) return [...open, { kind: 'speak', text: step.say, ms: step.seconds * second }]
    // The agent that has just answered may be about to speak.
    const turn: Move[] = [
      { kind: 'pause', ms: 0 },
      { kind: 'wait_for', sign: 'turn' },
    ]
    // Twice: the next sentence may follow at once.
    return [...open, ...turn, ...turn, { kind: 'speak', text: step.say, ms: step.seconds * second }]
  }
  if ('agent_say' in step) {
    return [
      { kind: 'wait_for', sign: 'agent' },
      { kind: 'agent_speak', text: step.agent_say, ms: step.seconds * second },
    ]
  }
  if ('hear' in step) {
    return [
      { kind: 'wait_for', sign: 'company' },
      { kind: 'pause', ms: step.hear * second },
    ]
  }
  if ('request_callback' in step) return [{ kind: 'wait_for', sign: 'callback_offer' }, ...presses('1')]
  if ('voicemail' in step) {
    return [
      { kind: 'wait_for', sign: 'recording' },
      { kind: 'speak', text: null, ms: step.voicemail * second },
      { kind: 'hang_up' },
    ]
  }
  return [{ kind: 'hang_up' }]
}

const afterLineMs = 1_000

/** Lines of a simulated agent. The pause after each gives the other participants their turn. */
export const movesOfLines = (lines: readonly ScriptLine[]): Move[] =>
  lines.flatMap(({ say, seconds }): Move[] => [
    { kind: 'wait_for', sign: 'listener' },
    { kind: 'speak', text: say, ms: seconds * second },
    { kind: 'pause', ms: afterLineMs },
  ])

export const presses = (digits: string): Move[] =>
  [...digits].flatMap((digit, index): Move[] =>
    index === 0
      ? [{ kind: 'press', digit }]
      : [
          { kind: 'pause', ms: betweenKeysMs },
          { kind: 'press', digit },
        ],
  )
