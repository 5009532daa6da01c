import { afterOnLeg, endLeg } from './leg-lifecycle.ts'
import { pressDigit, startSpeaking, stopSpeaking } from './leg-speech.ts'
import { hasOtherParticipant, type SimulatedLeg } from './legs.ts'
import type { SimulatedPhone } from './people.ts'
import type { CallCondition } from './script.ts'
import type { Switchboard } from './switchboard.ts'

/** The far end of a leg, for the simulated person. */
export function phoneOfLeg(board: Switchboard, leg: SimulatedLeg): SimulatedPhone {
  const signs: Record<CallCondition, () => boolean> = {
    answered: () => leg.phase === 'up',
    company: () => hasOtherParticipant(leg) || leg.spokenTo !== null,
    reply: () => !leg.spokenTo?.answered,
    turn: () => !leg.spokenTo || (!leg.spokenTo.answered && !leg.playing),
    callback_offer: () => leg.callbackWasOffered,
    recording: () => [...leg.recordings].some(({ take }) => take !== null),
  }
  return {
    is: (sign) => signs[sign](),
    after: (ms, run) => afterOnLeg(board, leg, ms, run),
    press: (digit) => pressDigit(board, leg, digit),
    speak: (text) => startSpeaking(board, leg, text),
    fallSilent: () => stopSpeaking(board, leg),
    hangUp: () => endLeg(board, leg, leg.phase === 'up' ? 'hangup' : 'cancelled'),
  }
}
