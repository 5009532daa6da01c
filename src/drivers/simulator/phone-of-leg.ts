import { interruptsAfterMs } from '../../domain/ai-agent/end-of-turn.ts'
import { afterOnLeg, endLeg } from './leg-lifecycle.ts'
import { continueSpeaking, pressDigit, startSpeaking, stopSpeaking } from './leg-speech.ts'
import { agentWith, hasOtherParticipant, isAnotherSpeaking, isListenedTo, type SimulatedLeg } from './legs.ts'
import type { SimulatedPhone } from './people.ts'
import type { CallCondition } from './script.ts'
import type { Switchboard } from './switchboard.ts'

/** The far end of a leg, for the simulated person. */
export function phoneOfLeg(board: Switchboard, leg: SimulatedLeg): SimulatedPhone {
  const signs: Record<CallCondition, () => boolean> = {
    answered: () => leg.phase === 'up',
    company: () => hasOtherParticipant(leg) || leg.spokenTo !== null,
    reply: () => !leg.spokenTo?.answered,
    turn: () => !isAnotherSpeaking(leg) && (!leg.spokenTo || (!leg.spokenTo.answered && !leg.playing)),
    agent: () => agentWith(leg) !== undefined && !leg.playing && !isAnotherSpeaking(leg),
    listener: () => isListenedTo(leg) && !isAnotherSpeaking(leg),
    callback_offer: () => leg.callbackWasOffered,
    recording: () => [...leg.recordings].some(({ take }) => take !== null),
  }
  return {
    is: (sign) => signs[sign](),
    after: (ms, run) => afterOnLeg(board, leg, ms, run),
    press: (digit) => pressDigit(board, leg, digit),
    speak(text) {
      startSpeaking(board, leg, text)
      if (!leg.spokenTo || text === null) return
      const since = board.clock.now()
      afterOnLeg(board, leg, interruptsAfterMs, () => continueSpeaking(board, leg, since))
    },
    fallSilent: () => stopSpeaking(board, leg),
    agentSpeaks(text, ms) {
      const agent = agentWith(leg)
      if (!agent) return
      agent.synthesized = leg.synthesized
      startSpeaking(board, agent, text)
      // A timer of the agent's leg: the caller may hang up before the line ends.
      afterOnLeg(board, agent, ms, () => stopSpeaking(board, agent))
    },
    hangUp: () => endLeg(board, leg, leg.phase === 'up' ? 'hangup' : 'cancelled'),
  }
}
