import { mkdirSync, renameSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import type { RecordOptions } from '../../domain/voice.ts'
import { type Cancel, type Clock, second } from '../../lib/clock.ts'
import type { Log } from '../../lib/log.ts'
import type { EventQueue } from './event-queue.ts'
import { simulatedBeepMs } from './sounds.ts'
import { type AudibleVoice, type RecordingScript, startTake, type Take } from './take.ts'
import type { CountedTimers } from './timers.ts'

/** A leg or a room. Its recordings end with it. */
export interface RecordingSource {
  readonly recordings: Set<SimulatedRecording>
  voices(): AudibleVoice[]
}

export interface SimulatedRecording {
  readonly id: string
  readonly source: RecordingSource
  readonly options: RecordOptions
  /** Null until the beep is over. */
  take: Take | null
  paused: boolean
  beep: Cancel | null
  limit: Cancel | null
  silence: Cancel | null
}

export interface SimulatedRecorder {
  /** `started` is called when the recording starts, which is after the beep. */
  start(id: string, source: RecordingSource, options: RecordOptions, started: () => void): void
  pause(id: string): void
  resume(id: string): void
  stop(id: string): void
  stopAllOf(source: RecordingSource): void
  /** The set of voices of the source has changed. */
  voicesChanged(source: RecordingSource): void
}

interface Wiring {
  clock: Clock
  log: Log
  timers: CountedTimers
  emit: EventQueue['emit']
  folder: string
}

export function createRecorder({ clock, log, timers, emit, folder }: Wiring): SimulatedRecorder {
  const recordings = new Map<string, SimulatedRecording>()

  function begin(recording: SimulatedRecording): void {
    recording.beep = null
    recording.take = startTake(recording.options.channels, clock.now())
    if (recording.paused) recording.take.pause(clock.now())
    else attend(recording)
  }

  function attend(recording: SimulatedRecording): void {
    const { take, paused, options, source } = recording
    if (!take || paused) return
    const voices = source.voices()
    take.setVoices(clock.now(), voices)
    if (options.maxSec !== undefined) {
      const restMs = options.maxSec * second - take.lengthMs(clock.now())
      recording.limit ??= timers.after(restMs, () => stop(recording))
    }
    if (voices.length > 0) cancelSilence(recording)
    else if (options.silenceStopSec !== undefined) {
      recording.silence ??= timers.after(options.silenceStopSec * second, () => stop(recording))
    }
  }

  function cancelSilence(recording: SimulatedRecording): void {
    recording.silence?.()
    recording.silence = null
  }

  function suspend(recording: SimulatedRecording): void {
    cancelSilence(recording)
    recording.limit?.()
    recording.limit = null
  }

  function stop(recording: SimulatedRecording): void {
    if (!recordings.delete(recording.id)) return
    recording.source.recordings.delete(recording)
    suspend(recording)
    recording.beep?.()
    const file = path.join(folder, `${recording.id}.score`)
    const take = recording.take ?? startTake(recording.options.channels, clock.now())
    const script = take.finish(clock.now())
    // Trailing silence is not part of a message; a message of silence alone is empty.
    if (recording.options.silenceStopSec !== undefined) dropSilenceAtEnd(script)
    keep(file, script)
    const ms = script.parts.reduce((sum, part) => sum + part.ms, 0)
    emit({ kind: 'record.ended', recId: recording.id, file, seconds: ms / second })
  }

  function dropSilenceAtEnd({ parts }: RecordingScript): void {
    const last = parts.at(-1)
    if (last && last.left === null && last.right === null) parts.pop()
  }

  // Written synchronously, because advancing the clock would overtake an asynchronous write. The file has a few lines.
  function keep(file: string, script: RecordingScript): void {
    try {
      mkdirSync(folder, { recursive: true })
      writeFileSync(`${file}.part`, JSON.stringify(script))
      renameSync(`${file}.part`, file)
    } catch (error) {
      log.error({ event: 'recording.write_failed', error, file }, 'simulated recording could not be written')
    }
  }

  return {
    start(id, source, options, started) {
      const recording: SimulatedRecording = {
        id,
        source,
        options,
        take: null,
        paused: false,
        beep: null,
        limit: null,
        silence: null,
      }
      recordings.set(id, recording)
      source.recordings.add(recording)
      const start = () => {
        begin(recording)
        started()
      }
      if (options.beep) recording.beep = timers.after(simulatedBeepMs, start)
      else start()
    },
    pause(id) {
      const recording = recordings.get(id)
      if (!recording || recording.paused) return
      recording.paused = true
      recording.take?.pause(clock.now())
      suspend(recording)
    },
    resume(id) {
      const recording = recordings.get(id)
      if (!recording?.paused) return
      recording.paused = false
      recording.take?.resume(clock.now())
      attend(recording)
    },
    stop(id) {
      const recording = recordings.get(id)
      if (recording) stop(recording)
    },
    stopAllOf(source) {
      for (const recording of source.recordings) stop(recording)
    },
    voicesChanged(source) {
      for (const recording of source.recordings) attend(recording)
    },
  }
}
