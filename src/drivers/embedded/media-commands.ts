import type { VoiceDriver } from '../../domain/voice.ts'
import { encode } from '../../media/g711.ts'
import type { Taps } from '../taps.ts'
import type { DriverContext } from './context.ts'
import type { SoundFiles } from './sound-files.ts'

export type MediaCommands = Pick<
  Required<VoiceDriver>,
  | 'createRoom'
  | 'closeRoom'
  | 'join'
  | 'leave'
  | 'setMuted'
  | 'play'
  | 'stopPlay'
  | 'openTap'
  | 'closeTap'
  | 'speak'
  | 'sendDtmf'
>

/** Commands on the media of legs: rooms, playback, audio taps and DTMF. */
export function createMediaCommands(context: DriverContext, sounds: SoundFiles, taps: Taps): MediaCommands {
  const { media, mediaStart, legs, newId } = context
  return {
    async createRoom({ room = newId('room') } = {}) {
      await mediaStart.ensure()
      await media.request('createRoom', { room })
      return room
    },
    async closeRoom(room) {
      await media.request('closeRoom', { room })
    },
    async join(room, leg, options = {}) {
      legs.living(leg)
      await media.request('join', { room, leg, options })
    },
    async leave(leg) {
      if (legs.has(leg)) await media.request('leave', { leg })
    },
    async setMuted(leg, muted) {
      legs.living(leg)
      await media.request('mute', { leg, muted })
    },
    async play(leg, names, { loop = false, bargeInOn = '', playId = newId('play') } = {}) {
      const target = legs.living(leg)
      if (target.lastPlayId === playId) return { playId }
      target.lastPlayId = playId
      const wanted = await sounds.filesOf([names].flat())
      // Hold music that is not there yet: an empty loop would end at once and be restarted forever.
      const files = wanted.length === 0 && loop ? await sounds.filesOf(['waiting']) : wanted
      await media.request('play', { leg, playId, files, loop, bargeInOn })
      return { playId }
    },
    async stopPlay(leg) {
      legs.living(leg)
      await media.request('stopPlay', { leg })
    },
    async openTap(leg, listener) {
      legs.living(leg)
      return taps.open(leg, listener)
    },
    closeTap: (tapId) => taps.close(tapId),
    async speak(leg, { speaker, bargeInOn = '', playId = newId('play') }) {
      const target = legs.living(leg)
      if (target.lastPlayId === playId) return { playId, write: async () => false, end: async () => {} }
      target.lastPlayId = playId
      await media.request('speak', { leg, playId, speaker, bargeInOn })
      const end = async (isLost: boolean) => void (await media.request('endSpeech', { leg, playId, isLost }))
      return {
        playId,
        async write(samples, text) {
          const ulaw = encode('PCMU', samples).toString('base64')
          return (await media.request('feed', { leg, playId, ulaw, ...(text !== undefined && { text }) })).isAccepted
        },
        end: () => end(false),
        lose: () => end(true),
      }
    },
    async sendDtmf(leg, digits) {
      legs.living(leg)
      await media.request('sendDigits', { leg, digits })
    },
  }
}
