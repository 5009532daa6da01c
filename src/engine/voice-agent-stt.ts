import { interruptsAfterMs } from '../domain/ai-agent/end-of-turn.ts'
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
  listen(live: ActiveCall, command: Extract<DriverCommand, { kind: 'stt.start' }>): Promise<void>
  stop(live: ActiveCall, leg: LegId): Promise<void>
}

interface Listening {
  tapId: string
  transcriber: LiveTranscriber
  /** Length of the audio so far. */
  writtenMs: number
}

/** Shorter sounds may be a click or a breath. */
const speaksAfterMs = 200
const samplesPerMs = 8
/** Half a second of silence. */
const warmUpSamples = 4_000
const warmUpText = 'opening hours'

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
    /** The time of a position in the audio. */
    const timeOf = (ms: number) => Math.round(clock.now() - Math.max(0, (now()?.writtenMs ?? ms) - ms))
    return ai.listen(live.state.companyId, {
      language,
      hangoverMs,
      speaksAfterMs,
      persistsAfterMs: interruptsAfterMs,
      onSpeechStart(startMs) {
        if (now()) notify(live, { kind: 'leg.speechStarted', leg, startedAt: timeOf(startMs) })
      },
      onSpeechPersists() {
        if (now()) notify(live, { kind: 'leg.speechContinued', leg })
      },
      onUtterance({ text, startMs, endMs, continues }) {
        const startedAt = timeOf(startMs)
        forwardUtterance(live, { leg }, { text, at: startedAt, ms: Math.round(endMs - startMs) })
        if (!now()) return
        const times = { startedAt, endedAt: timeOf(endMs), ...(continues && { continues }) }
        notify(live, { kind: 'leg.utterance', leg, text: text.trim(), ...times })
      },
      onUnclear({ startMs, endMs }) {
        if (now())
          notify(live, { kind: 'leg.utterance', leg, text: '', startedAt: timeOf(startMs), endedAt: timeOf(endMs) })
      },
      onLost(why) {
        if (!now()) return
        log.warn({ event: 'voice_agent.stt_lost', callId: live.state.callId, why }, 'speech-to-text stopped')
        notify(live, { kind: 'voiceAgent.failed', service: 'stt' })
      },
    })
  }

  function onSamples(leg: LegId, samples: Int16Array): void {
    const one = listening.get(leg)
    if (!one) return
    one.writtenMs += samples.length / samplesPerMs
    one.transcriber.write(samples)
  }

  /** Embedded models are loaded during the greeting, not when the caller speaks for the first time. */
  async function warmUp({ state }: ActiveCall, language: Language): Promise<void> {
    if (language === 'en' && state.voiceAgent?.plan.hasDocuments) await ai.embed([warmUpText], { urgent: true })
    const stt = await ai.stt(state.companyId)
    if (!stt?.id.startsWith('embedded')) return
    const sound = { samples: new Int16Array(warmUpSamples), rate: 8_000 } as const
    await stt.transcribe(sound, { language, signal: new AbortController().signal, urgent: true })
  }

  return {
    async listen(live, command) {
      const { leg } = command
      const { driver } = live
      if (!driver.openTap || listening.has(leg)) return
      const transcriber = await transcriberFor(live, leg, command)
      if (!transcriber) return notify(live, { kind: 'voiceAgent.failed', service: 'stt' })
      const one: Listening = { tapId: '', transcriber, writtenMs: 0 }
      listening.set(leg, one)
      warmUp(live, command.language).catch((error) =>
        log.debug({ event: 'stt.warm_up_failed', error }, 'embedded models were not preloaded'),
      )
      const { tapId } = await driver.openTap(leg, {
        onSamples: (samples) => onSamples(leg, samples),
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
        .end()
        .catch((error) => log.debug({ event: 'stt.flush_failed', error }, 'last transcript was lost'))
      await live.driver.closeTap?.(one.tapId)
    },
  }
}
