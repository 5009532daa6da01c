import type { LegId } from '../domain/voice.ts'
import { type Handlers, type NodeContext, participantOf } from './context.ts'
import { Player, Sounds } from './player.ts'
import type { Participant } from './rooms.ts'
import { SpeechVoice } from './voice.ts'

export function stopPlayer(participant: Participant, cause: 'stopped' | 'dtmf'): void {
  const { player } = participant
  participant.player = null
  player?.end(cause)
}

export type PlaybackHandlers = Pick<Handlers, 'play' | 'stopPlay' | 'speak' | 'feed' | 'endSpeech'>

/** Playback on legs: audio files, and speech that is synthesized while it is played. */
export function createPlayback(context: NodeContext): PlaybackHandlers {
  const { participants, emit } = context
  const sounds = new Sounds()

  function voiceOn(leg: LegId, playId: string): SpeechVoice | undefined {
    const player = participants.get(leg)?.player
    return player instanceof SpeechVoice && player.playId === playId ? player : undefined
  }

  return {
    async play({ leg, playId, files, loop, bargeInOn }) {
      participantOf(context, leg)
      const loaded = await Promise.all(files.map((file) => sounds.load(file)))
      const participant = participantOf(context, leg)
      for (const [index, file] of files.entries()) if (!loaded[index]) emit({ kind: 'play.missing', leg, file })
      stopPlayer(participant, 'stopped')
      participant.player = new Player(
        loaded.filter((sound) => sound !== undefined),
        { loop, bargeInOn, ended: (cause) => emit({ kind: 'play.ended', leg, playId, cause }) },
      )
      return null
    },
    async stopPlay({ leg }) {
      const participant = participants.get(leg)
      if (participant) stopPlayer(participant, 'stopped')
      return null
    },
    async speak({ leg, playId, speaker, bargeInOn }) {
      const participant = participantOf(context, leg)
      stopPlayer(participant, 'stopped')
      const voice = new SpeechVoice(playId, speaker, {
        bargeInOn,
        ended: (cause) => emit({ kind: 'play.ended', leg, playId, cause, said: voice.said }),
      })
      participant.player = voice
      return null
    },
    async feed({ leg, playId, ulaw, text }) {
      return { isAccepted: voiceOn(leg, playId)?.feed(Buffer.from(ulaw, 'base64'), text) ?? false }
    },
    async endSpeech({ leg, playId, isLost }) {
      voiceOn(leg, playId)?.complete(isLost)
      return null
    },
  }
}
