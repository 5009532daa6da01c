import type { CallMachineEvent } from './events.ts'
import { finish } from './finish.ts'
import { emit, enterPhase, patch, type Turn } from './turn.ts'

// Recordings of the conversation and voicemail messages.

type On<K extends CallMachineEvent['kind']> = Extract<CallMachineEvent, { kind: K }>

export function recordStarted(turn: Turn, { what, recId }: On<'record.started'>) {
  const { phase, recording } = turn.call
  if (what === 'recording' && recording.kind !== 'off') {
    patch(turn, { recording: { ...recording, recId } })
    if (recording.kind === 'paused') emit(turn, { kind: 'record.pause', recId })
  } else if (phase.kind === 'widget' && phase.activity.kind === 'voicemail' && phase.activity.recId === null) {
    enterPhase(turn, { ...phase, activity: { kind: 'voicemail', recId } })
  } else {
    // The caller left the widget before the beep.
    emit(turn, { kind: 'record.stop', recId })
  }
}

/** The call continues without its recording; a voicemail that cannot be recorded ends it. */
export function recordFailed(turn: Turn, what: 'recording' | 'voicemail') {
  const { phase, recording } = turn.call
  if (what === 'recording') {
    if (recording.kind !== 'off' && recording.recId === null) patch(turn, { recording: { kind: 'off' } })
  } else if (phase.kind === 'widget' && phase.activity.kind === 'voicemail' && phase.activity.recId === null) {
    finish(turn, 'failure')
  }
}

export function recordEnded(turn: Turn, event: On<'record.ended'>) {
  const { phase, recording } = turn.call
  // The disk is full.
  if (recording.kind !== 'off' && recording.recId === event.recId) patch(turn, { recording: { kind: 'off' } })
  // Silence, or the maximum length of a message.
  const isMessage =
    phase.kind === 'widget' && phase.activity.kind === 'voicemail' && phase.activity.recId === event.recId
  saveRecording(turn, event)
  if (isMessage) finish(turn, 'normal_clearing')
}

const minRecordingMs = 1_000

export function saveRecording(turn: Turn, { what, file, ms }: On<'record.ended'>) {
  const length = what === 'voicemail' && ms < minRecordingMs ? 0 : ms
  emit(turn, { kind: 'recording.save', what, file, ms: length })
}
