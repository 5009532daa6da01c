// The recording announcement: the customer hears that the call is recorded, and may object or has to agree. It is played
// before an agent is rung, or after the answer where the customer was called; recording starts only afterwards.
//
//   playing ──► listening for a key (opt_out, consent) ──► settled: the call continues with `then`
import type { Widget } from '../flow/document.ts'
import type { LegId } from '../voice.ts'
import { noSound } from './progress.ts'
import type { CallPhase, CallState, RecordingConsent, RecordingNotice } from './state.ts'
import { cancelTimers, emit, enterPhase, patch, play, startTimer, stopPlayback, type Turn, trace } from './turn.ts'

export type NoticePhase = Extract<CallPhase, { kind: 'notice' }>

/** How long a key is awaited after the announcement. */
const optOutMs = 3_000
const consentMs = 6_000

const strictness: Record<RecordingNotice['mode'], number> = { announce: 1, opt_out: 2, consent: 3 }

/** The notice that applies to the call, if it is recorded at all. */
function noticeOf({ number, record }: CallState): RecordingNotice | undefined {
  const notice = number?.recording ? number.recordingNotice : undefined
  return record.direction === 'outbound' && !notice?.outbound ? undefined : notice
}

export const isRefused = (consent: RecordingConsent | undefined): boolean =>
  consent !== undefined && consent !== 'announced' && consent !== 'consented'

/** Whether the call may be recorded as far as the customer is concerned. */
export function mayRecord(call: CallState): boolean {
  if (isRefused(call.recordingConsent)) return false
  const notice = noticeOf(call)
  return !notice || isGiven(call, notice)
}

/** A call that moves to another Number may need a stricter one. */
const isGiven = ({ noticeGiven }: CallState, { mode }: RecordingNotice) =>
  noticeGiven !== undefined && strictness[noticeGiven] >= strictness[mode]

/** Widgets that lead to a recorded conversation. */
export const leadsToConversation = ({ type }: Widget): boolean => type === 'ring_to' || type === 'ai_agent'

/** True: the notice is played, and the call continues with `then` afterwards. */
export function startNotice(turn: Turn, then: NoticePhase['then']): boolean {
  const { call } = turn
  const notice = noticeOf(call)
  if (!notice || call.customer.leg === null || call.recording.kind !== 'off') return false
  if (isRefused(call.recordingConsent) || isGiven(call, notice)) return false
  const { mode, key, media } = notice
  if (media === null) {
    // Without an announcement there is no recording; the call itself does not depend on it.
    settle(turn, mode, 'failed')
    return false
  }
  stopPlayback(turn)
  separate(turn, call.customer.leg)
  enterPhase(turn, { kind: 'notice', mode, key, then })
  play(turn, [media], mode === 'announce' ? {} : { bargeInOn: key })
  for (const { userId, leg } of turn.call.agents) {
    if (leg !== null) playToAgent(turn, leg, media)
    emit(turn, { kind: 'show', userId, state: 'recording_notice' })
  }
  return true
}

/** The agents hear when the conversation can start. */
const playToAgent = (turn: Turn, leg: LegId, media: string) =>
  emit(turn, { kind: 'play', leg, sound: noSound, media: [media], loop: false })

/** An agent whose audio connects during the announcement hears it, too. */
export function noticeForAgent(turn: Turn, leg: LegId) {
  const media = noticeOf(turn.call)?.media ?? null
  if (turn.call.phase.kind === 'notice' && media !== null) playToAgent(turn, leg, media)
}

/** Early media has connected the parties: the customer waits alone in the other room until the conversation starts. */
function separate(turn: Turn, leg: LegId) {
  const { phase } = turn.call
  if (phase.kind === 'dialling' && phase.progress === 'early') emit(turn, { kind: 'join', room: 'consultation', leg })
}

/** The announcement has ended; undefined: a key is awaited. */
export function noticePlayed(turn: Turn, { mode }: NoticePhase, isFailed: boolean): RecordingConsent | undefined {
  if (isFailed) return 'failed'
  if (mode === 'announce') return 'announced'
  startTimer(turn, 'notice', mode === 'consent' ? consentMs : optOutMs)
  return undefined
}

/** Undefined: the key has no meaning. */
export function noticeKey({ mode, key }: NoticePhase, pressed: string): RecordingConsent | undefined {
  if (mode === 'consent') return pressed === key ? 'consented' : 'declined'
  return mode === 'opt_out' && pressed === key ? 'declined' : undefined
}

export const noticeTimedOut = ({ mode }: NoticePhase): RecordingConsent =>
  mode === 'consent' ? 'no_response' : 'announced'

/** Stores the result and ends the playback. The caller continues the call. */
export function settleNotice(turn: Turn, { mode }: NoticePhase, result: RecordingConsent) {
  cancelTimers(turn, 'notice')
  stopPlayback(turn)
  for (const { leg } of turn.call.agents) if (leg !== null) emit(turn, { kind: 'play.stop', leg })
  settle(turn, mode, result)
}

function settle(turn: Turn, mode: RecordingNotice['mode'], result: RecordingConsent) {
  patch(turn, { recordingConsent: result, noticeGiven: mode })
  trace(turn, { kind: 'recording_notice', mode, result })
  emit(turn, { kind: 'recording.consent', result })
}

/** The opt-out key also works while the caller waits for an agent. True when the key was used. */
export function optsOutLater(turn: Turn, pressed: string): boolean {
  const { recordingConsent, noticeGiven, recording } = turn.call
  const notice = noticeOf(turn.call)
  if (noticeGiven !== 'opt_out' || recordingConsent !== 'announced' || recording.kind !== 'off') return false
  if (pressed !== notice?.key) return false
  settle(turn, 'opt_out', 'declined')
  return true
}

/** A party that refused joins the call: its recording ends. */
export function refuseRecording(turn: Turn) {
  const { recording, noticeGiven } = turn.call
  if (recording.kind !== 'off' && recording.recId !== null) emit(turn, { kind: 'record.stop', recId: recording.recId })
  patch(turn, { recording: { kind: 'off' } })
  settle(turn, noticeGiven ?? 'announce', 'declined')
}
