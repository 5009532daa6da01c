import { beep } from '../media/call-sounds.ts'
import { type Handlers, type NodeContext, participantOf, roomOf } from './context.ts'
import { stopPlayer } from './playback.ts'
import { Player } from './player.ts'
import type { NodeRequests } from './protocol.ts'
import { Recorder } from './recorder.ts'

/** Recordings of rooms and legs, from the beep to the complete file. */
export interface MediaRecordings {
  handlers: Pick<Handlers, 'record' | 'pauseRecord' | 'resumeRecord' | 'stopRecord'>
  /** Completes a recording in the background. */
  finish(recId: string): void
  /** Resolves when the files of all recordings are complete. */
  finishAll(): Promise<void>
}

export function createMediaRecordings(context: NodeContext): MediaRecordings {
  const { options, clock, participants, rooms, emit } = context
  const recordings = new Map<string, { recorder: Recorder; target: Set<Recorder> | null }>()
  const finishing = new Set<Promise<void>>()
  const beeping = new Map<string, () => void>()

  function begin({ recId, target, options: how }: NodeRequests['record']['params']): void {
    const recorders = 'room' in target ? rooms.get(target.room)?.recorders : participants.get(target.leg)?.recorders
    const recorder = new Recorder(recId, options.recordingsFolder, how, clock.machineNow)
    recordings.set(recId, { recorder, target: recorders ?? null })
    recorders?.add(recorder)
  }

  function finish(recId: string): void {
    beeping.get(recId)?.()
    const recording = recordings.get(recId)
    if (!recording) return
    recordings.delete(recId)
    const { recorder, target } = recording
    target?.delete(recorder)
    const done = recorder.finish().then(({ file, seconds }) => {
      if (recorder.failure) emit({ kind: 'record.failed', recId, message: recorder.failure.message })
      // A recording with gaps is discarded: it would pass for a complete one.
      emit({ kind: 'record.ended', recId, file, seconds: recorder.failure ? 0 : seconds })
      finishing.delete(done)
    })
    finishing.add(done)
  }

  return {
    handlers: {
      async record(request) {
        const { recId, target, options: how } = request
        const listeners =
          'room' in target ? [...roomOf(context, target.room).participants] : [participantOf(context, target.leg)]
        if (!how.beep || listeners.length === 0) {
          begin(request)
          return null
        }
        // The recording starts when the first participant's beep has ended or was interrupted.
        const start = () => {
          if (beeping.delete(recId)) begin(request)
        }
        beeping.set(recId, start)
        for (const participant of listeners) {
          stopPlayer(participant, 'stopped')
          participant.player = new Player([beep()], { ended: start })
        }
        return null
      },
      async pauseRecord({ recId }) {
        recordings.get(recId)?.recorder.pause()
        return null
      },
      async resumeRecord({ recId }) {
        recordings.get(recId)?.recorder.resume()
        return null
      },
      async stopRecord({ recId }) {
        finish(recId)
        return null
      },
    },
    finish,
    async finishAll() {
      for (const recId of [...recordings.keys()]) finish(recId)
      await Promise.all(finishing)
    },
  }
}
