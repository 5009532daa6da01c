import type { CallInput, DriverCommand } from '../domain/call/events.ts'
import type { Language, LiveTranscriber } from '../domain/intelligence/engines.ts'
import type { LegId } from '../domain/voice.ts'
import type { Services } from '../services.ts'
import type { ActiveCall } from './active-call.ts'

// Speech-to-text for AI voice agents on real lines: a tap on the leg and a live transcriber.

interface Options {
  services: Pick<Services, 'ai' | 'clock' | 'log'>
  notify(live: ActiveCall, input: CallInput): void
  /** Also forwarded to the real-time transcription. */
  forwardUtterance: UtteranceHandler
}

export type UtteranceHandler = (
  live: ActiveCall,
  by: { leg: LegId },
  said: { text: string; at: number; ms: number },
) => void

export interface VoiceAgentStt {
  /** Called again with another `hangoverMs`, a new transcriber replaces the previous one. */
  listen(live: ActiveCall, command: Extract<DriverCommand, { kind: 'stt.start' }>): Promise<void>
  stop(live: ActiveCall, leg: LegId): Promise<void>
}

interface Listening {
  tapId: string
  transcriber: LiveTranscriber | null
  hangoverMs: number
  /** Speech has started, and no transcript of it has arrived. */
  isOpen: boolean
  /** Consecutive chunks of 100 ms of near silence. */
  quiet: number
}

/** Barge-in threshold: shorter sounds may be a cough. */
const speaksAfterMs = 300
/** About -46 dBFS. */
const quietAmplitude = 160
/** After this, no transcript is expected any more: it was noise. */
const maxQuietChunks = 60
/** Half a second of silence. */
const warmUpSamples = 4_000

export function createVoiceAgentStt({
  services: { ai, clock, log },
  notify,
  forwardUtterance,
}: Options): VoiceAgentStt {
  const listening = new Map<LegId, Listening>()

  function transcriberFor(
    live: ActiveCall,
    leg: LegId,
    { language, hangoverMs }: Extract<DriverCommand, { kind: 'stt.start' }>,
  ) {
    const now = () => listening.get(leg)
    const since = clock.now()
    return ai.listen(live.state.companyId, {
      language,
      hangoverMs,
      speaksAfterMs,
      onSpeechStart() {
        const one = now()
        if (!one) return
        one.isOpen = true
        notify(live, { kind: 'leg.speechStarted', leg })
      },
      onUtterance({ text, startMs, endMs }) {
        forwardUtterance(live, { leg }, { text, at: Math.round(since + startMs), ms: Math.round(endMs - startMs) })
        const one = now()
        if (!one) return
        one.isOpen = false
        if (text.trim() !== '') notify(live, { kind: 'leg.utterance', leg, text: text.trim() })
      },
      onLost(why) {
        if (!now()) return
        log.warn({ event: 'voice_agent.stt_lost', callId: live.state.callId, why }, 'speech-to-text stopped')
        notify(live, { kind: 'voiceAgent.failed', service: 'stt' })
      },
    })
  }

  function onSamples(live: ActiveCall, leg: LegId, samples: Int16Array): void {
    const one = listening.get(leg)
    if (!one) return
    one.transcriber?.write(samples)
    one.quiet = isQuiet(samples) ? one.quiet + 1 : 0
    if (!one.isOpen || one.quiet < maxQuietChunks) return
    one.isOpen = false
    notify(live, { kind: 'leg.utterance', leg, text: '' })
  }

  /** Embedded models are loaded during the greeting, not when the caller speaks for the first time. */
  async function warmUp(companyId: number, language: Language): Promise<void> {
    const stt = await ai.stt(companyId)
    if (!stt?.id.startsWith('embedded')) return
    const sound = { samples: new Int16Array(warmUpSamples), rate: 8_000 } as const
    await stt.transcribe(sound, { language, signal: new AbortController().signal, urgent: true })
  }

  return {
    async listen(live, command) {
      const { leg, hangoverMs } = command
      const { driver } = live
      if (!driver.openTap) return
      const known = listening.get(leg)
      if (known?.hangoverMs === hangoverMs) return
      const transcriber = await transcriberFor(live, leg, command)
      if (!transcriber) {
        if (!known) notify(live, { kind: 'voiceAgent.failed', service: 'stt' })
        return
      }
      if (known) {
        known.transcriber
          ?.end()
          .catch((error) => log.debug({ event: 'stt.flush_failed', error }, 'last transcript was lost'))
        Object.assign(known, { transcriber, hangoverMs, isOpen: false })
        return
      }
      const one: Listening = { tapId: '', transcriber, hangoverMs, isOpen: false, quiet: 0 }
      listening.set(leg, one)
      warmUp(live.state.companyId, command.language).catch((error) =>
        log.debug({ event: 'stt.warm_up_failed', error }, 'speech-to-text model was not preloaded'),
      )
      const { tapId } = await driver.openTap(leg, {
        onSamples: (samples) => onSamples(live, leg, samples),
        onEnd(cause) {
          listening.delete(leg)
          if (cause === 'overrun') notify(live, { kind: 'voiceAgent.failed', service: 'stt' })
        },
      })
      one.tapId = tapId
    },
    async stop(live, leg) {
      const one = listening.get(leg)
      if (!one) return
      listening.delete(leg)
      one.transcriber
        ?.end()
        .catch((error) => log.debug({ event: 'stt.flush_failed', error }, 'last transcript was lost'))
      await live.driver.closeTap?.(one.tapId)
    },
  }
}

function isQuiet(samples: Int16Array): boolean {
  let power = 0
  for (const sample of samples) power += sample * sample
  return power < quietAmplitude * quietAmplitude * samples.length
}
