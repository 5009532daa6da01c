import { noticeUnanswered } from './after-notice.ts'
import { consultationTimedOut } from './consultation.ts'
import type { CallMachineEvent } from './events.ts'
import { handleNoAnswer, retryRing, ringTimedOut } from './ringing.ts'
import { mediaNotRestored } from './sound.ts'
import { emit, patch, startTimer, type Turn } from './turn.ts'
import { voiceAgentLimitReached } from './voice-agent.ts'
import { voiceAgentTimeout } from './voice-agent-turns.ts'
import { afterWait, menuKey } from './widgets.ts'

/** A timer that was cancelled or restarted in the meantime has no effect. */
export function timerFired(turn: Turn, { name, at }: Extract<CallMachineEvent, { kind: 'timer' }>) {
  const { call } = turn
  const due = call.timers[name]
  if (due === undefined || due > at) return
  const { [name]: _fired, ...timers } = call.timers
  patch(turn, { timers })
  const { phase, consultation } = call
  switch (name) {
    case 'ring':
      if (phase.kind === 'ringing') ringTimedOut(turn, phase)
      return
    case 'retry':
      if (phase.kind === 'ringing') retryRing(turn, phase)
      return
    case 'deadline':
      if (phase.kind === 'ringing') handleNoAnswer(turn, phase.ring)
      return
    case 'menu':
      return menuKey(turn, null)
    case 'wait':
      if (phase.kind === 'widget') afterWait(turn, phase.node)
      return
    case 'announce':
      if (phase.kind !== 'ringing' || call.waiting.announceEveryMs === null) return
      startTimer(turn, 'announce', call.waiting.announceEveryMs)
      return void emit(turn, { kind: 'query.position' })
    case 'consultation':
      if (consultation) consultationTimedOut(turn, consultation)
      return
    case 'notice':
      if (phase.kind === 'notice') noticeUnanswered(turn, phase)
      return
    case 'sound':
      return mediaNotRestored(turn)
    case 'voiceAgent':
      if (phase.kind === 'voiceAgent' && call.voiceAgent) voiceAgentTimeout(turn, call.voiceAgent)
      return
    case 'voiceAgentLimit':
      if (phase.kind === 'voiceAgent' && call.voiceAgent) voiceAgentLimitReached(turn, call.voiceAgent)
      return
  }
}
