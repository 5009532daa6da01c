import { sentencesIn } from '../domain/ai-agent/sentences.ts'
import type { DriverCommand } from '../domain/call/events.ts'
import type { Language, TtsEngine } from '../domain/intelligence/engines.ts'
import type { SpeechPlayback } from '../domain/voice.ts'
import { abortable } from '../lib/abortable.ts'
import { type Clock, second } from '../lib/clock.ts'
import type { Services } from '../services.ts'
import type { ActiveCall } from './active-call.ts'

// Text-to-speech for AI voice agents on real lines: sentence by sentence, played while it is synthesized.

type Play = Extract<DriverCommand, { kind: 'play' }>

interface Options {
  services: Pick<Services, 'ai' | 'clock' | 'log'>
  failed(live: ActiveCall): void
}

export interface VoiceAgentTts {
  /** Resolves with the playback id once playback has started; the remaining audio is streamed in the background. */
  say(live: ActiveCall, command: Play, text: string, playId?: string): Promise<string | undefined>
  /** Playback has ended. */
  stop(playId: string): void
}

/** Timeout for each chunk of audio. */
const chunkTimeoutMs = 10 * second

export function createVoiceAgentTts({ services: { ai, clock, log }, failed }: Options): VoiceAgentTts {
  const speaking = new Map<string, AbortController>()

  async function begin(
    { state, driver }: ActiveCall,
    { leg, bargeInOn, speaker = '' }: Play,
    playId: string | undefined,
  ): Promise<[SpeechPlayback, TtsEngine]> {
    const tts = await ai.tts(state.companyId)
    if (!tts || !driver.speak) throw new Error('no speech synthesis is configured')
    const options = { speaker, ...(bargeInOn !== undefined && { bargeInOn }), ...(playId !== undefined && { playId }) }
    return [await driver.speak(leg, options), tts]
  }

  function report(live: ActiveCall, error: unknown): void {
    if (isGone(error)) return
    log.warn({ event: 'voice_agent.tts_failed', callId: live.state.callId, error }, 'text-to-speech failed')
    failed(live)
  }

  return {
    async say(live, command, text, named) {
      try {
        const [playback, tts] = await begin(live, command, named)
        const { playId } = playback
        const control = new AbortController()
        speaking.set(playId, control)
        feed(clock, playback, tts, text, voiceOf(live), control)
          .catch((error) => {
            if (error !== playbackEnded) report(live, error)
          })
          .finally(() => speaking.delete(playId))
        return playId
      } catch (error) {
        report(live, error)
        return undefined
      }
    },
    stop(playId) {
      speaking.get(playId)?.abort(playbackEnded)
      speaking.delete(playId)
    },
  }
}

const playbackEnded = Symbol('playback ended')

async function feed(
  clock: Clock,
  playback: SpeechPlayback,
  tts: TtsEngine,
  text: string,
  how: VoiceOptions,
  control: AbortController,
): Promise<void> {
  const { signal } = control
  const startTimeout = () =>
    clock.machineAfter(chunkTimeoutMs, () => control.abort(new Error('text-to-speech timed out')))
  for (const sentence of sentencesIn(text)) {
    let nextText: string | undefined = sentence
    let cancel = startTimeout()
    try {
      const pieces = tts.speak(sentence, { ...how, signal })[Symbol.asyncIterator]()
      for await (const samples of abortable(pieces, signal)) {
        cancel()
        if (!(await playback.write(samples, nextText))) return
        nextText = undefined
        cancel = startTimeout()
      }
    } finally {
      cancel()
    }
    if (nextText !== undefined) throw new Error('text-to-speech returned no audio')
  }
  await playback.end()
}

interface VoiceOptions {
  language: Language
  voice?: string
}

function voiceOf({ state: { voiceAgent } }: ActiveCall): VoiceOptions {
  const { language = 'en', voice = null } = voiceAgent?.plan ?? {}
  return { language, ...(voice !== null && { voice }) }
}

/** The caller hung up during playback, or another process has the call. */
const isGone = (error: unknown) =>
  error instanceof Error && ['LegGone', 'MediaGone', 'LineNodeGone'].includes(error.name)
