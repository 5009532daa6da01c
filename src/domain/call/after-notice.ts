// How a call continues when the recording announcement has ended, or the customer has pressed a key.
import { type NoticePhase, noticeKey, noticePlayed, noticeTimedOut, settleNotice } from './recording-notice.ts'
import type { RecordingConsent } from './state.ts'
import { connectParties, notifyRemainingAgents } from './talking.ts'
import { goTo, type Turn } from './turn.ts'
import { startVoiceAgent } from './voice-agent.ts'

export const keyInNotice = (turn: Turn, phase: NoticePhase, key: string) =>
  continueAfter(turn, phase, noticeKey(phase, key))

export const noticeEnded = (turn: Turn, phase: NoticePhase, isFailed: boolean) =>
  continueAfter(turn, phase, noticePlayed(turn, phase, isFailed))

export const noticeUnanswered = (turn: Turn, phase: NoticePhase) => continueAfter(turn, phase, noticeTimedOut(phase))

function continueAfter(turn: Turn, phase: NoticePhase, result: RecordingConsent | undefined) {
  if (result === undefined) return
  settleNotice(turn, phase, result)
  const { then } = phase
  switch (then.kind) {
    case 'node':
      return goTo(turn, then.node)
    case 'connect':
      connectParties(turn)
      return notifyRemainingAgents(turn)
    case 'voiceAgent':
      if (turn.call.outboundVoiceAgent) startVoiceAgent(turn, turn.call.outboundVoiceAgent, null)
  }
}
