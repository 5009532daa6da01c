import type { SpeechPlayback } from '../domain/voice.ts'
import type { EmbeddedDriver } from '../drivers/embedded.ts'
import type { Log } from '../lib/log.ts'
import { decode, encode } from '../media/g711.ts'
import type { Controls } from './requests.ts'
import type { Session } from './sessions.ts'

/** Audio between engine processes and legs: taps for speech-to-text, and synthesized speech. It ends with the process. */
export interface Streams extends Pick<Controls, 'openTap' | 'speak' | 'writeSpeech' | 'endSpeech'> {
  endAll(session: Session): void
}

interface Options {
  driver: Pick<EmbeddedDriver, 'openTap' | 'closeTap' | 'speak'>
  log: Log
}

/** A reader this far behind loses audio: it is of no use later. */
const maxBufferedBytes = 256 * 1024

export function createStreams({ driver, log }: Options): Streams {
  const speeches = new Map<string, { speech: SpeechPlayback; session: Session }>()
  const taps = new Map<string, Session>()
  const goneAlready = (error: unknown) =>
    log.debug({ event: 'line_node.stream_not_ended', error }, 'the leg of a stream was gone already')

  return {
    async openTap(session, leg) {
      if (!driver.openTap) throw new Error('no audio taps')
      const tap = { id: '' }
      const opened = await driver.openTap(leg, {
        onSamples(samples) {
          if (session.buffered() > maxBufferedBytes) return
          session.send({ kind: 'tap', tapId: tap.id, ulaw: encode('PCMU', samples).toString('base64') })
        },
        onEnd(cause) {
          taps.delete(tap.id)
          session.send({ kind: 'tapEnded', tapId: tap.id, cause })
        },
      })
      tap.id = opened.tapId
      taps.set(tap.id, session)
      return opened
    },
    async speak(session, leg, how) {
      if (!driver.speak) throw new Error('no synthesized speech')
      const speech = await driver.speak(leg, how)
      speeches.set(speech.playId, { speech, session })
      return { playId: speech.playId }
    },
    async writeSpeech(_session, playId, ulaw, text) {
      const samples = decode('PCMU', Buffer.from(ulaw, 'base64'))
      const isAccepted = (await speeches.get(playId)?.speech.write(samples, text)) ?? false
      if (!isAccepted) speeches.delete(playId)
      return isAccepted
    },
    async endSpeech(_session, playId) {
      await speeches.get(playId)?.speech.end()
      speeches.delete(playId)
      return null
    },
    endAll(gone) {
      for (const [playId, { speech, session }] of speeches) {
        if (session !== gone) continue
        speeches.delete(playId)
        speech.lose?.().catch(goneAlready)
      }
      for (const [tapId, session] of taps) {
        if (session !== gone) continue
        taps.delete(tapId)
        driver.closeTap?.(tapId).catch(goneAlready)
      }
    },
  }
}
