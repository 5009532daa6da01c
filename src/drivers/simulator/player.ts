import { playedPart, spokenMs, textOf } from '../../domain/ai-agent/spoken.ts'
import type { MediaId, PlayOptions } from '../../domain/voice.ts'
import type { Cancel } from '../../lib/clock.ts'
import type { EventQueue } from './event-queue.ts'
import { lengthMs } from './sounds.ts'
import type { CountedTimers } from './timers.ts'

export interface SimulatedPlayback {
  readonly playId: string
  readonly bargeInOn: string
  /** Null when it loops. */
  readonly end: Cancel | null
  /** Speech of an AI voice agent, which the whole room receives. */
  readonly said: { text: string; speaker: string; startedAt: number } | null
}

export interface PlaybackTarget {
  readonly id: string
  playing: SimulatedPlayback | null
}

type Cause = 'done' | 'stopped' | 'dtmf'

export interface SimulatedPlayer {
  /** Stops what was playing. */
  play(target: PlaybackTarget, playId: string, media: readonly MediaId[], options: PlayOptions): void
  stop(target: PlaybackTarget, cause: Cause): void
  /** Without an event: the leg ends and reports that itself. */
  silence(target: PlaybackTarget): void
}

export function createPlayer(
  timers: CountedTimers,
  now: () => number,
  emit: EventQueue['emit'],
  ended: (target: PlaybackTarget, cause: Cause) => void,
): SimulatedPlayer {
  function stop(target: PlaybackTarget, cause: Cause): void {
    if (!target.playing) return
    const { playId, said } = target.playing
    if (said && cause !== 'done') said.text = playedPart(said.text, (now() - said.startedAt) / spokenMs(said.text))
    silence(target)
    emit({ kind: 'play.ended', leg: target.id, playId, cause, ...(said && { said: said.text }) })
    ended(target, cause)
  }

  function silence(target: PlaybackTarget): void {
    target.playing?.end?.()
    target.playing = null
  }

  return {
    play(target, playId, media, { loop = false, bargeInOn = '', speaker }) {
      stop(target, 'stopped')
      const end = loop ? null : timers.after(lengthMs(media), () => stop(target, 'done'))
      const text = media.map(textOf).find((words) => words !== undefined)
      const said = text === undefined || speaker === undefined ? null : { text, speaker, startedAt: now() }
      target.playing = { playId, bargeInOn, end, said }
    },
    stop,
    silence,
  }
}
