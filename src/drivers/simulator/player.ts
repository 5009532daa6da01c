import { heardPart, textOf } from '../../domain/ai-agent/spoken.ts'
import type { MediaId, PlayOptions } from '../../domain/voice.ts'
import type { Cancel } from '../../lib/clock.ts'
import type { Announcer } from './announcer.ts'
import { lengthMs, spokenMs } from './sounds.ts'
import type { Timers } from './timers.ts'

export interface Playing {
  readonly playId: string
  readonly bargeInOn: string
  /** Null when it loops. */
  readonly end: Cancel | null
  /** Speech of an AI voice agent, which the whole room receives. */
  readonly said: { text: string; speaker: string; startedAt: number } | null
}

export interface Ear {
  readonly id: string
  playing: Playing | null
}

type Cause = 'done' | 'stopped' | 'dtmf'

export interface Player {
  /** Stops what was playing. */
  play(ear: Ear, playId: string, media: readonly MediaId[], options: PlayOptions): void
  stop(ear: Ear, cause: Cause): void
  /** Without an event: the leg ends and reports that itself. */
  silence(ear: Ear): void
}

export function createPlayer(
  timers: Timers,
  now: () => number,
  announce: Announcer['announce'],
  ended: (ear: Ear) => void,
): Player {
  function stop(ear: Ear, cause: Cause): void {
    if (!ear.playing) return
    const { playId, said } = ear.playing
    if (said && cause !== 'done') said.text = heardPart(said.text, (now() - said.startedAt) / spokenMs(said.text))
    silence(ear)
    announce({ kind: 'play.ended', leg: ear.id, playId, cause, ...(said && { said: said.text }) })
    ended(ear)
  }

  function silence(ear: Ear): void {
    ear.playing?.end?.()
    ear.playing = null
  }

  return {
    play(ear, playId, media, { loop = false, bargeInOn = '', speaker }) {
      stop(ear, 'stopped')
      const end = loop ? null : timers.after(lengthMs(media), () => stop(ear, 'done'))
      const text = media.map(textOf).find((words) => words !== undefined)
      const said = text === undefined || speaker === undefined ? null : { text, speaker, startedAt: now() }
      ear.playing = { playId, bargeInOn, end, said }
    },
    stop,
    silence,
  }
}
