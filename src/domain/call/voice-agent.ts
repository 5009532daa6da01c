// An AI voice agent talks to the customer. The dialog (domain/ai-agent) decides what it says; this module decides
// when, and what happens to the call.
//
//   speaking ──► listening ──► speaking …      LLM mode: listening ──► LLM request ──► speaking, sentence by sentence
//      └─────────────┴── goodbye or escalation; every failure ends in an escalation
//
// Speech of the caller is handled in voice-agent-turns.ts, which decides when it is a turn.
import { withFetched } from '../ai-agent/context-request.ts'
import {
  type AgentReply,
  breakDown,
  builtInReply,
  type CallerInput,
  cutShort,
  type DialogState,
  givesUp,
  greet,
  type Next,
  oneKeyIsEnough,
  respond,
} from '../ai-agent/dialog.ts'
import { startedPlayback } from '../ai-agent/heard.ts'
import type { EscalationTarget } from '../ai-agent/plan.ts'
import { fromCutSentence } from '../ai-agent/sentences.ts'
import { spoken } from '../ai-agent/spoken.ts'
import type { Context } from '../ai-agent/variables.ts'
import { widgetAt } from '../flow/document.ts'
import type { TransferDestination } from './commands.ts'
import { transfer } from './commands-on-call.ts'
import type { SpeechService } from './events.ts'
import { finish } from './finish.ts'
import type { VoiceAgentSession } from './state.ts'
import { joinMainRoom } from './talking.ts'
import {
  answerCustomer,
  cancelTimers,
  emit,
  enterPhase,
  goTo,
  patch,
  patchRecord,
  play,
  publishCallEvent,
  startTimer,
  stopPlayback,
  type Turn,
  trace,
} from './turn.ts'
import {
  endVoiceAgent,
  floorOf,
  newVoiceAgentSession,
  publishVoiceAgent,
  summarizeVoiceAgent,
  suspendRecording,
  updateFloor,
  updateVoiceAgent,
  type VoiceAgentSetup,
} from './voice-agent-session.ts'

const allKeys = '0123456789*#'
const betweenKeysMs = 3_000
const maxKeys = 32
/** Maximum number of LLM requests per call. */
const maxLlmRequests = 40
/** A turn of the caller, pauses included. */
export const maxTurnMs = 45_000
/** Of a caller who has been cut off and still talks. */
const talksOnMs = 10_000

/** The widget's agent is available: the call is answered, unless it already was. */
export function voiceAgentAnswers(turn: Turn, ready: VoiceAgentSetup, node: string) {
  if (turn.call.record.answeredAt === null) {
    patchRecord(turn, { answeredAt: turn.at })
    trace(turn, { kind: 'answered', user_id: null })
    publishCallEvent(turn, 'answered')
  }
  startVoiceAgent(turn, ready, node)
}

export function startVoiceAgent(turn: Turn, ready: VoiceAgentSetup, node: string | null) {
  patch(turn, { voiceAgent: newVoiceAgentSession(turn, ready, node) })
  enterPhase(turn, { kind: 'voiceAgent' })
  trace(turn, { kind: 'ai_agent', node, agent_id: ready.plan.id, name: ready.plan.name })
  publishVoiceAgent(turn, 'started')
  startTimer(turn, 'voiceAgentLimit', ready.plan.maxSeconds * 1_000)
  answerCustomer(turn)
  joinMainRoom(turn)
  if (ready.plan.contextRequest) return requestContext(turn)
  listen(turn)
  speak(turn, greet(ready.plan))
}

/** The caller waits for at most the timeout of the request, which never fails. */
function requestContext(turn: Turn) {
  updateVoiceAgent(turn, { awaitsContext: true })
  const { voiceAgent } = turn.call
  if (voiceAgent) emit(turn, { kind: 'voiceAgent.fetchContext', voiceAgent })
}

export function voiceAgentContext(
  turn: Turn,
  { session, plan, awaitsContext }: VoiceAgentSession,
  fetched: { session: string; context: Context },
) {
  if (!awaitsContext || fetched.session !== session || !turn.call.voiceAgent) return
  const { awaitsContext: _awaited, ...voiceAgent } = turn.call.voiceAgent
  const ready = withFetched(plan, fetched.context)
  patch(turn, { voiceAgent: { ...voiceAgent, plan: ready } })
  listen(turn)
  speak(turn, greet(ready))
}

function listen(turn: Turn) {
  const { voiceAgent, customer } = turn.call
  if (!voiceAgent || customer.leg === null) return
  const { language } = voiceAgent.plan
  emit(turn, { kind: 'stt.start', leg: customer.leg, language, hangoverMs: voiceAgent.patienceMs })
}

export function speak(turn: Turn, { say, ask, next, talk }: AgentReply) {
  if (!turn.call.voiceAgent) return
  updateVoiceAgent(turn, { talk })
  playSentence(turn, say, next, ask)
}

export function playSentence(turn: Turn, say: string, next: VoiceAgentSession['next'], ask: string | null = null) {
  const { voiceAgent } = turn.call
  if (!voiceAgent) return
  cancelTimers(turn, 'voiceAgent')
  play(turn, [spoken(say)], { bargeInOn: allKeys, speaker: voiceAgent.plan.id })
  const { sound } = turn.call
  updateVoiceAgent(turn, {
    next,
    keys: '',
    turns: [...voiceAgent.turns, { by: 'agent', text: say, at: turn.at, sound }],
  })
  const { last, playback } = floorOf(voiceAgent)
  updateFloor(turn, {
    held: null,
    playback: startedPlayback({ sound, text: say, ask, at: turn.at }, playback),
    last: last && { ...last, repliedAt: last.repliedAt ?? turn.at },
  })
}

/** Playback of the current sentence has ended. */
export function voiceAgentPlaybackEnded(turn: Turn, voiceAgent: VoiceAgentSession) {
  const { next, plan, llm } = voiceAgent
  const { playback, speakingSince, isFirm } = floorOf(voiceAgent)
  if (playback && playback.endedAt === null)
    updateFloor(turn, { isFirm: false, playback: { ...playback, endedAt: turn.at, said: playback.text } })
  switch (next?.kind) {
    case 'listen': {
      updateVoiceAgent(turn, { next: null })
      const waitMs = speakingSince === null ? plan.idle.seconds * 1_000 : isFirm ? talksOnMs : maxTurnMs
      return startTimer(turn, 'voiceAgent', waitMs)
    }
    case 'more':
      return continueSpeaking(turn, turn.call.voiceAgent ?? { ...voiceAgent, llm })
    case 'end':
      endVoiceAgent(turn, next.why)
      return finish(turn, 'normal_clearing')
    case 'escalate':
      return escalate(turn, next.why, next.target)
    case undefined:
      return
  }
}

/** Speaks the next sentence of the LLM response, or runs the step that follows the last one. */
function continueSpeaking(turn: Turn, voiceAgent: VoiceAgentSession) {
  const { llm } = voiceAgent
  const [sentence, ...queue] = llm.queue
  if (sentence !== undefined) {
    updateVoiceAgent(turn, { llm: { ...llm, queue } })
    return playSentence(turn, sentence, { kind: 'more' }, questionIn(sentence))
  }
  const { after } = llm
  updateVoiceAgent(turn, { next: null, llm: { ...llm, after: null } })
  if (after) voiceAgentPlaybackEnded(turn, { ...voiceAgent, next: after, llm: { ...llm, after: null } })
}

/** The goodbye and the escalation message are not interruptible. */
export const isClosing = ({ next, llm }: VoiceAgentSession) => [next, llm.after].some(isLast)
const isLast = (next: VoiceAgentSession['next']) => next?.kind === 'end' || next?.kind === 'escalate'

/** Stops the current playback and the pending LLM request. */
export function stopAgentSpeech(turn: Turn, voiceAgent: VoiceAgentSession) {
  const { next, llm } = voiceAgent
  // Playback that was held has stopped already.
  if (next !== null && floorOf(voiceAgent).held === null) stopPlayback(turn)
  if (llm.isPending) emit(turn, { kind: 'llm.cancel' })
  cancelTimers(turn, 'voiceAgent')
  updateVoiceAgent(turn, { next: null, llm: { ...llm, isPending: false, queue: [], after: null } })
  updateFloor(turn, { held: null, isFirm: false })
}

export function voiceAgentInput(turn: Turn, voiceAgent: VoiceAgentSession, input: CallerInput) {
  if (isClosing(voiceAgent)) return
  stopAgentSpeech(turn, voiceAgent)
  const text = input.kind === 'words' ? input.text : input.kind === 'keys' ? input.keys : ''
  if (text !== '') updateVoiceAgent(turn, { turns: [...voiceAgent.turns, { by: 'caller', text, at: turn.at }] })
  const { plan, talk } = voiceAgent
  const known =
    plan.brain === 'flow'
      ? respond(plan, talk, input, turn.at)
      : builtInReply(plan, talk, input, lastReplyIn(voiceAgent.turns))
  if (known) {
    if (text !== '') noteMisunderstanding(turn, talk, known.talk)
    return speak(turn, known)
  }
  if (voiceAgent.llm.requestId >= maxLlmRequests) return speak(turn, givesUp(voiceAgent.plan, voiceAgent.talk))
  requestLlm(turn)
}

/** Marks the last turn of the caller if it was not understood. */
function noteMisunderstanding(turn: Turn, before: DialogState, after: DialogState) {
  const { turns = [] } = turn.call.voiceAgent ?? {}
  const last = turns.findLastIndex(({ by }) => by === 'caller')
  if (after.misunderstood <= before.misunderstood || last < 0) return
  updateVoiceAgent(turn, { turns: turns.map((one, at) => (at === last ? { ...one, misunderstood: true } : one)) })
}

/** What the agent has said since the caller's last turn. */
const lastReplyIn = (turns: VoiceAgentSession['turns']) =>
  turns
    .slice(turns.findLastIndex(({ by }) => by === 'caller') + 1)
    .map(({ text }) => text)
    .join(' ')

export function requestLlm(turn: Turn, turns = turn.call.voiceAgent?.turns ?? [], requestedAt = turn.at) {
  const { voiceAgent } = turn.call
  if (!voiceAgent) return
  const requestId = voiceAgent.llm.requestId + 1
  const llm = { requestId, requestedAt, isPending: true, queue: [], after: null }
  updateVoiceAgent(turn, { llm })
  emit(turn, { kind: 'llm.request', requestId, voiceAgent: { ...voiceAgent, llm, turns } })
}

/**
 * Another process continues the session: it listens again, and repeats a pending LLM request from the beginning of the
 * response. Playback that was cut is reported separately.
 */
export function resumeVoiceAgent(turn: Turn, voiceAgent: VoiceAgentSession) {
  const { llm, next, keys, plan } = voiceAgent
  if (voiceAgent.endedAt !== null) return
  if (voiceAgent.awaitsContext) return requestContext(turn)
  listen(turn)
  if (llm.isPending) {
    const { requestedAt = turn.at } = llm
    if (next !== null) stopPlayback(turn)
    updateVoiceAgent(turn, { next: null })
    const turns = voiceAgent.turns.filter(({ by, at }) => by === 'caller' || at < requestedAt)
    requestLlm(turn, turns, requestedAt)
  }
  // What the caller has said meanwhile is lost: after the idle time the agent asks again.
  else if ((next === null || floorOf(voiceAgent).held !== null) && keys === '')
    startTimer(turn, 'voiceAgent', plan.idle.seconds * 1_000)
}

/** A sentence of an LLM response that is still streaming. */
export function llmSentence(
  turn: Turn,
  voiceAgent: VoiceAgentSession,
  { requestId, text }: { requestId: number; text: string },
) {
  const { llm } = voiceAgent
  if (!llm.isPending || requestId !== llm.requestId) return
  if (voiceAgent.next !== null) return updateVoiceAgent(turn, { llm: { ...llm, queue: [...llm.queue, text] } })
  playSentence(turn, text, { kind: 'more' }, questionIn(text))
}

const questionIn = (sentence: string) => (sentence.endsWith('?') ? sentence : null)

type Thought = { requestId: number; talk: DialogState; after: Next }

export function llmDone(turn: Turn, voiceAgent: VoiceAgentSession, { requestId, talk, after }: Thought) {
  const { llm } = voiceAgent
  if (!llm.isPending || requestId !== llm.requestId) return
  noteMisunderstanding(turn, voiceAgent.talk, talk)
  updateVoiceAgent(turn, { talk, llm: { ...llm, isPending: false, after } })
  if (voiceAgent.next === null && turn.call.voiceAgent) continueSpeaking(turn, turn.call.voiceAgent)
}

/** Speaks the error message and escalates; without speech synthesis, escalates silently. */
export function voiceAgentFailed(
  turn: Turn,
  voiceAgent: VoiceAgentSession,
  { service, requestId }: { service: SpeechService; requestId?: number },
) {
  if (service === 'llm' && (!voiceAgent.llm.isPending || requestId !== voiceAgent.llm.requestId)) return
  if (isClosing(voiceAgent)) return service === 'tts' ? skip(turn, voiceAgent) : undefined
  stopAgentSpeech(turn, voiceAgent)
  updateVoiceAgent(turn, { failed: true })
  speak(turn, breakDown(voiceAgent.plan, voiceAgent.talk))
}

function skip(turn: Turn, voiceAgent: VoiceAgentSession) {
  stopPlayback(turn)
  voiceAgentPlaybackEnded(turn, isLast(voiceAgent.next) ? voiceAgent : { ...voiceAgent, next: voiceAgent.llm.after })
}

/** The transcript keeps only the part that was played. */
export function voiceAgentPlaybackCut(
  turn: Turn,
  voiceAgent: VoiceAgentSession,
  { sound, said }: { sound: number; said: string },
) {
  const { turns } = voiceAgent
  const { playback } = floorOf(voiceAgent)
  if (playback?.sound === sound) updateFloor(turn, { playback: { ...playback, endedAt: turn.at, said } })
  if (!turns.some((one) => one.sound === sound)) return
  const played = turns.map((one) => (one.sound === sound ? { ...one, text: said } : one))
  updateVoiceAgent(turn, { turns: played.filter(({ text }) => text !== '') })
}

/** The rest is spoken again, from the sentence that was cut. */
export function voiceAgentPlaybackLost(
  turn: Turn,
  voiceAgent: VoiceAgentSession,
  lost: { sound: number; said: string },
) {
  const { turns, next } = voiceAgent
  const cut = turns.find(({ sound }) => sound === lost.sound)
  voiceAgentPlaybackCut(turn, voiceAgent, lost)
  if (!cut || next === null || lost.sound !== turn.call.sound) return
  playSentence(turn, fromCutSentence(cut.text, lost.said), next)
}

/** Keys are collected until the input is complete, `#` is pressed or the timeout expires; `*` clears them. */
export function voiceAgentKey(turn: Turn, voiceAgent: VoiceAgentSession, key: string) {
  if (isClosing(voiceAgent) || voiceAgent.awaitsContext) return
  stopAgentSpeech(turn, voiceAgent)
  updateFloor(turn, { text: '', startedAt: null, speakingSince: null, last: null })
  const keys = key === '*' ? '' : voiceAgent.keys + key
  const isEnough =
    key === '#' || keys.length >= maxKeys || (key !== '*' && oneKeyIsEnough(voiceAgent.plan, voiceAgent.talk))
  if (isEnough && turn.call.voiceAgent)
    return voiceAgentInput(turn, turn.call.voiceAgent, keysInput(keys.replace('#', '')))
  updateVoiceAgent(turn, { keys })
  startTimer(turn, 'voiceAgent', betweenKeysMs)
}

const keysInput = (keys: string): CallerInput => (keys === '' ? { kind: 'silence' } : { kind: 'keys', keys })

/** The silence timeout expired. */
export const voiceAgentSilence = (turn: Turn, voiceAgent: VoiceAgentSession) =>
  voiceAgentInput(turn, voiceAgent, keysInput(voiceAgent.keys))

export function voiceAgentLimitReached(turn: Turn, voiceAgent: VoiceAgentSession) {
  if (isClosing(voiceAgent)) return
  stopAgentSpeech(turn, voiceAgent)
  speak(turn, cutShort(voiceAgent.plan, voiceAgent.talk))
}

function escalate(turn: Turn, reason: string, chosen?: EscalationTarget) {
  const { voiceAgent, number } = turn.call
  if (!voiceAgent) return
  const target = chosen ?? voiceAgent.plan.escalation.target
  const widget = number && voiceAgent.node !== null ? widgetAt(number.flow, voiceAgent.node) : undefined
  const branch = widget?.type === 'ai_agent' ? widget.branches.escalated : undefined
  if (target.type === 'branch' && branch === undefined) {
    // A call that the agent placed has no flow to continue with.
    endVoiceAgent(turn, 'disconnected')
    return finish(turn, 'normal_clearing')
  }
  const destination = target.type === 'branch' ? branch : target.type === 'external' ? target.number : target.id
  updateVoiceAgent(turn, { escalation: { reason, target: { type: target.type, destination: String(destination) } } })
  trace(turn, { kind: 'escalated', reason, to: target.type, destination: String(destination) })
  publishVoiceAgent(turn, 'escalated')
  endVoiceAgent(turn, 'escalated')
  summarizeVoiceAgent(turn)
  suspendRecording(turn)
  patch(turn, { escalated: true })
  if (target.type === 'branch') return goTo(turn, branch)
  const to: TransferDestination =
    target.type === 'external' ? { type: 'number', number: target.number } : { type: target.type, id: target.id }
  const firstUserId = target.type === 'team' ? (voiceAgent.firstOfTeams?.[target.id] ?? voiceAgent.firstUserId) : null
  transfer(turn, { kind: 'transfer', by: null, to, firstUserId }, 'ai_agent')
}
