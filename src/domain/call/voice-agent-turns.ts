// Turn-taking of an AI voice agent: pieces of the caller's speech become turns. A turn ends after a silence that depends
// on its words; a caller who resumes before the reply was heard continues the turn; short signals of a listener do not
// interrupt the agent, and nothing answers a question that was not heard.
import { cutIn, expectsYesOrNo } from '../ai-agent/dialog.ts'
import { endOfTurnMs } from '../ai-agent/end-of-turn.ts'
import { restAfter, wasHeard } from '../ai-agent/heard.ts'
import { phrasesOf } from '../ai-agent/phrases.ts'
import { isBackchannel } from '../ai-agent/understanding/backchannels.ts'
import type { Floor, VoiceAgentSession } from './state.ts'
import { cancelTimers, emit, startTimer, stopPlayback, type Turn } from './turn.ts'
import {
  isClosing,
  maxTurnMs,
  playSentence,
  requestLlm,
  speak,
  stopAgentSpeech,
  voiceAgentInput,
  voiceAgentPlaybackEnded,
  voiceAgentSilence,
} from './voice-agent.ts'
import { floorOf, updateFloor, updateVoiceAgent } from './voice-agent-session.ts'
import {
  greetingContinues,
  greetingSaid,
  isOnVoicemail,
  leaveMessage,
  reachedVoicemail,
} from './voice-agent-voicemail.ts'

/** A reply of which less was played is withdrawn when the caller resumes. */
const barelyHeardMs = 700
/** Speech without words that is shorter may be a cough. */
const minUnclearMs = 1_000

export interface CallerSpeech {
  text: string
  startedAt?: number
  endedAt?: number
  /** The caller is still speaking. */
  continues?: boolean
}

/** The caller starts to speak. */
export function callerSpeaks(turn: Turn, voiceAgent: VoiceAgentSession, startedAt = turn.at) {
  if (isOnVoicemail(turn)) return greetingContinues(turn, voiceAgent)
  const { next, llm } = voiceAgent
  const floor = floorOf(voiceAgent)
  const resumes = canResume(floor, startedAt)
  if (isClosing(voiceAgent) && !resumes) return
  updateFloor(turn, { speakingSince: startedAt, startedAt: floor.startedAt ?? startedAt })
  if (next === null && !llm.isPending) return waitForWords(turn, floor.startedAt ?? startedAt)
  // The agent keeps speaking until the speech is long enough for an interruption.
  if (resumes && !floor.isFirm) hold(turn, voiceAgent, 'continues')
}

/** The speech is too long for a signal of a listener: the agent stops speaking. */
export function callerKeepsSpeaking(turn: Turn, voiceAgent: VoiceAgentSession) {
  if (isOnVoicemail(turn)) return
  const floor = floorOf(voiceAgent)
  if (isClosing(voiceAgent) || voiceAgent.next === null || floor.held !== null || floor.isFirm) return
  hold(turn, voiceAgent, 'interrupts')
}

/** The end of the last turn was a pause: the reply was not heard yet, or barely. */
const canResume = ({ last }: Floor, startedAt: number) =>
  last !== null && (last.repliedAt === null || startedAt - last.repliedAt < barelyHeardMs)

function waitForWords(turn: Turn, since: number) {
  startTimer(turn, 'voiceAgent', Math.max(1_000, since + maxTurnMs - turn.at))
}

/** Playback stops; it continues later unless the caller has something to say. */
function hold(turn: Turn, { next, llm }: VoiceAgentSession, held: NonNullable<Floor['held']>) {
  if (next !== null) stopPlayback(turn)
  else if (llm.isPending) {
    emit(turn, { kind: 'llm.cancel' })
    updateVoiceAgent(turn, { llm: { ...llm, isPending: false } })
  }
  updateFloor(turn, { held })
  waitForWords(turn, turn.at)
}

/** A false interruption: the agent continues where it stopped. */
function release(turn: Turn, voiceAgent: VoiceAgentSession) {
  const { playback, held } = floorOf(voiceAgent)
  const { next } = voiceAgent
  updateFloor(turn, { held: null, startedAt: null, text: '' })
  if (held === null) return
  if (next === null) return requestLlm(turn)
  const rest = playback ? restAfter(playback.text, playback.said ?? '') : ''
  if (rest !== '') playSentence(turn, rest, next, playback?.ask ?? null)
  else if (turn.call.voiceAgent) voiceAgentPlaybackEnded(turn, turn.call.voiceAgent)
}

/** Words of the caller; none: the speech was unclear. */
export function callerSaid(turn: Turn, voiceAgent: VoiceAgentSession, speech: CallerSpeech) {
  const floor = floorOf(voiceAgent)
  const { text, startedAt = floor.speakingSince ?? turn.at, endedAt = turn.at, continues = false } = speech
  if (isOnVoicemail(turn)) return greetingSaid(turn, voiceAgent, continues)
  if (reachedVoicemail(turn, voiceAgent, { text, startedAt, endedAt })) return
  if (isClosing(voiceAgent) && floor.held === null) return
  updateFloor(turn, { speakingSince: continues ? endedAt : null })
  const { plan } = voiceAgent
  const isSignal = text === '' || isBackchannel(text, plan.language)
  if (floor.held === 'continues' && floor.last) {
    if (text === '' || (isSignal && !expectsYesOrNo(plan, floor.last.talk))) return release(turn, voiceAgent)
    undo(turn, voiceAgent, floor.last)
    return listenOn(turn, text, { startedAt, endedAt, continues })
  }
  const over = floor.text === '' ? playbackAt(floor, startedAt) : undefined
  if (over && isSignal) {
    const isAnswer = over.ask !== null && wasHeard(over, startedAt) && expectsYesOrNo(plan, voiceAgent.talk)
    if (text === '' || !isAnswer) return signalled(turn, voiceAgent)
  }
  if (voiceAgent.next !== null || voiceAgent.llm.isPending) {
    if (floor.isFirm) return
    stopAgentSpeech(turn, voiceAgent)
  }
  if (text === '') return unclear(turn, endedAt - startedAt)
  if (over && !wasHeard(over, startedAt)) updateFloor(turn, { isUnheard: true })
  listenOn(turn, text, { startedAt, endedAt, continues })
}

/** The agent's speech that had not ended when the caller started to speak. */
const playbackAt = ({ playback }: Floor, startedAt: number) =>
  playback && (playback.endedAt === null || startedAt < playback.endedAt) ? playback : undefined

/** A signal of a listener over the agent's speech. */
function signalled(turn: Turn, voiceAgent: VoiceAgentSession) {
  if (floorOf(voiceAgent).held !== null) return release(turn, voiceAgent)
  updateFloor(turn, { startedAt: null })
  if (voiceAgent.next === null && !voiceAgent.llm.isPending)
    startTimer(turn, 'voiceAgent', voiceAgent.plan.idle.seconds * 1_000)
}

/** The conversation is again as before the last turn, which continues. */
function undo(turn: Turn, voiceAgent: VoiceAgentSession, last: NonNullable<Floor['last']>) {
  stopAgentSpeech(turn, voiceAgent)
  const { text, startedAt, isUnheard, talk, turns } = last
  updateVoiceAgent(turn, { talk, turns: voiceAgent.turns.slice(0, turns), failed: false })
  updateFloor(turn, { text, startedAt, isUnheard, last: null })
}

type Times = Required<Pick<CallerSpeech, 'startedAt' | 'endedAt' | 'continues'>>

/** Adds words to the turn, and waits for more. */
function listenOn(turn: Turn, words: string, { startedAt, endedAt, continues }: Times) {
  const { voiceAgent } = turn.call
  if (!voiceAgent) return
  const floor = floorOf(voiceAgent)
  const text = floor.text === '' ? words : `${withoutPeriod(floor.text)} ${words}`
  const since = floor.startedAt ?? startedAt
  updateFloor(turn, { text, startedAt: since })
  if (continues) return waitForWords(turn, since)
  const left = endedAt + endOfTurnMs(voiceAgent.plan, voiceAgent.talk, text, turn.at) - turn.at
  if (left > 0) return startTimer(turn, 'voiceAgent', left)
  if (turn.call.voiceAgent) endTurn(turn, turn.call.voiceAgent)
}

/** Speech recognition ends every piece with a period. */
const withoutPeriod = (text: string) => (text.endsWith('.') && !text.endsWith('..') ? `${text.slice(0, -1)},` : text)

function endTurn(turn: Turn, voiceAgent: VoiceAgentSession) {
  const { plan, talk, turns } = voiceAgent
  const floor = floorOf(voiceAgent)
  const { text, isUnheard } = floor
  const startedAt = floor.startedAt ?? turn.at
  updateFloor(turn, { text: '', startedAt: null, isUnheard: false })
  // "Okay" is no answer: the caller thinks.
  if (!isUnheard && isBackchannel(text, plan.language) && !expectsYesOrNo(plan, talk))
    return startTimer(turn, 'voiceAgent', plan.idle.seconds * 1_000)
  updateFloor(turn, { last: { text, startedAt, isUnheard, talk, turns: turns.length, repliedAt: null } })
  if (turn.call.voiceAgent)
    voiceAgentInput(turn, turn.call.voiceAgent, { kind: 'words', text, ...(isUnheard && { isHeard: false }) })
}

/** Speech without words. */
function unclear(turn: Turn, ms: number) {
  const { voiceAgent } = turn.call
  if (!voiceAgent) return
  const { plan, talk } = voiceAgent
  const floor = floorOf(voiceAgent)
  if (floor.text !== '') return startTimer(turn, 'voiceAgent', endOfTurnMs(plan, talk, floor.text, turn.at))
  updateFloor(turn, { startedAt: null })
  if (ms < minUnclearMs) return startTimer(turn, 'voiceAgent', plan.idle.seconds * 1_000)
  voiceAgentInput(turn, voiceAgent, { kind: 'words', text: '' })
}

export function voiceAgentTimeout(turn: Turn, voiceAgent: VoiceAgentSession) {
  if (isOnVoicemail(turn)) return leaveMessage(turn, voiceAgent)
  const { speakingSince, text, held } = floorOf(voiceAgent)
  if (speakingSince !== null) return cutOff(turn, voiceAgent)
  if (held !== null) return release(turn, voiceAgent)
  if (text !== '') return endTurn(turn, voiceAgent)
  voiceAgentSilence(turn, voiceAgent)
}

/** The caller does not stop talking: the agent replies to what it has understood so far. */
function cutOff(turn: Turn, voiceAgent: VoiceAgentSession) {
  const { plan, talk, turns } = voiceAgent
  const { text } = floorOf(voiceAgent)
  stopAgentSpeech(turn, voiceAgent)
  cancelTimers(turn, 'voiceAgent')
  updateFloor(turn, { text: '', startedAt: turn.at, isUnheard: false, last: null })
  if (text !== '') updateVoiceAgent(turn, { turns: [...turns, { by: 'caller', text, at: turn.at }] })
  if (plan.brain === 'flow' || text === '') speak(turn, cutIn(plan, talk, text, turn.at))
  else {
    requestLlm(turn)
    playSentence(turn, phrasesOf(plan.language).interrupt, { kind: 'more' })
  }
  updateFloor(turn, { isFirm: true })
}
