// The callee of an AI voice agent is a voicemail: the agent hangs up, or leaves a message after the greeting.
import { isLongGreeting, isVoicemailGreeting } from '../ai-agent/understanding/voicemail.ts'
import { finish } from './finish.ts'
import type { VoiceAgentSession } from './state.ts'
import { cancelTimers, patch, startTimer, type Turn, trace } from './turn.ts'
import { playSentence, stopAgentSpeech } from './voice-agent.ts'
import { endVoiceAgent, floorOf, updateFloor, updateVoiceAgent } from './voice-agent-session.ts'

/** A greeting ends within this time of the answer. */
const detectionMs = 60_000
/** The tone follows the greeting within this silence. */
const afterGreetingMs = 2_500

interface Speech {
  text: string
  startedAt: number
  endedAt: number
}

/** Detects the greeting of a voicemail in speech of the callee; false: it is a person. */
export function reachedVoicemail(turn: Turn, voiceAgent: VoiceAgentSession, speech: Speech): boolean {
  const { outboundVoiceAgent } = turn.call
  if (!outboundVoiceAgent || outboundVoiceAgent.isVoicemail) return false
  if (turn.at - voiceAgent.startedAt > detectionMs) return false
  const floor = floorOf(voiceAgent)
  const text = floor.text === '' ? speech.text : `${floor.text} ${speech.text}`
  if (!isVoicemailGreeting(text) && !speaksFirst(voiceAgent, text, speech)) return false
  patch(turn, { outboundVoiceAgent: { ...outboundVoiceAgent, isVoicemail: true } })
  trace(turn, { kind: 'voicemail_detected', agent_id: voiceAgent.plan.id })
  stopAgentSpeech(turn, voiceAgent)
  updateVoiceAgent(turn, { turns: [...voiceAgent.turns, { by: 'caller', text, at: turn.at }] })
  updateFloor(turn, { text: '', startedAt: null, speakingSince: null, last: null })
  if (voiceAgent.plan.voicemail?.action !== 'leave_message') hangUpOnVoicemail(turn)
  else awaitTone(turn)
  return true
}

/** The speech began before the greeting of the agent could end, and went on. */
function speaksFirst(voiceAgent: VoiceAgentSession, text: string, { startedAt, endedAt }: Speech): boolean {
  const { playback, startedAt: since } = floorOf(voiceAgent)
  const isFirst = !voiceAgent.turns.some(({ by }) => by === 'caller')
  const began = since ?? startedAt
  const isOver = playback !== null && (playback.endedAt === null || began < playback.endedAt)
  return isFirst && isOver && isLongGreeting(text, endedAt - began)
}

function hangUpOnVoicemail(turn: Turn) {
  endVoiceAgent(turn, 'disconnected')
  finish(turn, 'normal_clearing')
}

const awaitTone = (turn: Turn) => startTimer(turn, 'voiceAgent', afterGreetingMs)

export const isOnVoicemail = ({ call }: Turn): boolean => call.outboundVoiceAgent?.isVoicemail === true

/** The greeting continues: the message waits for its end. */
export function greetingContinues(turn: Turn, voiceAgent: VoiceAgentSession) {
  if (voiceAgent.next === null) cancelTimers(turn, 'voiceAgent')
}

/** A piece of the greeting; `continues`: more follows without a pause. */
export function greetingSaid(turn: Turn, voiceAgent: VoiceAgentSession, continues: boolean) {
  if (voiceAgent.next !== null) return
  if (continues) greetingContinues(turn, voiceAgent)
  else awaitTone(turn)
}

export function leaveMessage(turn: Turn, { plan }: VoiceAgentSession) {
  const message = plan.voicemail?.message ?? plan.firstMessage
  if (message === null) return hangUpOnVoicemail(turn)
  playSentence(turn, message, { kind: 'end', why: 'disconnected' })
}
