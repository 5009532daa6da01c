import { isRefused } from '../domain/call/recording-notice.ts'
import type { Speaker } from '../domain/intelligence/transcript.ts'
import type { LegId } from '../domain/voice.ts'
import { languageFollowed, storeUtterance } from '../features/intelligence/realtime/actions.ts'
import { createSuggester } from '../features/intelligence/suggestions/suggest.ts'
import type { Services } from '../services.ts'
import type { ActiveCall } from './active-call.ts'
import { createBackgroundTasks } from './background-tasks.ts'
import { transcribeLeg } from './leg-transcription.ts'
import {
  isOffRecord,
  isTranscribable,
  legsToTranscribe,
  recordingOffsetOf,
  speakerOn,
  type TranscribedCall,
  transcribedCall,
} from './transcribed-call.ts'

// Real-time transcription of active calls, where the company has enabled it: scripted text and speech of AI voice
// agents verbatim, speech of real parties through one live transcriber each.

export interface RealtimeTranscription {
  /** Called after every step: starts transcription for the parties now on the call. */
  follow(live: ActiveCall): void
  /** Speech with known text. */
  said(live: ActiveCall, by: { leg: LegId } | { voiceAgentId: string }, line: Said): void
  settle(): Promise<boolean>
}

export interface Said {
  text: string
  at: number
  ms: number
}

export function createRealtimeTranscription(services: Services): RealtimeTranscription {
  const { log } = services
  const calls = new WeakMap<ActiveCall, TranscribedCall>()
  const tasks = createBackgroundTasks(log)
  const suggester = createSuggester(services)
  const track = (work: Promise<unknown>) => tasks.run(work, 'transcription.failed', 'real-time transcription failed')

  function callOf(live: ActiveCall): TranscribedCall | undefined {
    const known = calls.get(live)
    if (known || !isTranscribable(live.state)) return known
    const { companyId, callId, record } = live.state
    const language = languageFollowed(services, companyId, record.numberId).catch((error) => {
      const event = 'transcription.settings_unreadable'
      log.warn({ event, callId, error }, 'could not read the transcription settings')
      return undefined
    })
    const call = transcribedCall(language)
    calls.set(live, call)
    return call
  }

  function save(live: ActiveCall, call: TranscribedCall, speaker: Speaker | undefined, { text, at, ms }: Said): void {
    const { companyId, callId, agents, supervisors, record, recordingConsent } = live.state
    if (isRefused(recordingConsent)) return
    const words = text.trim()
    if (callId === null || !speaker || words === '' || isOffRecord(live.intervals, at)) return
    const start = recordingOffsetOf(live.intervals, at, record.answeredAt ?? at) / 1_000
    const utterance = { start, end: start + ms / 1_000, text: words, speaker, at, ms }
    const userIds = [...agents, ...supervisors].map(({ userId }) => userId)
    // Stored values: `ear` is speech-to-text, `script` is the text of the driver or of an AI voice agent.
    const engine = live.driver.openTap && !('voiceAgentId' in speaker) ? 'ear' : 'script'
    call.saving = call.saving
      .then(async () => {
        const language = await call.language
        if (language === undefined) return
        await storeUtterance(services, companyId, callId, { language, engine, utterance, userIds })
        if (speaker.side !== 'external') return
        const before = call.customerSaid
        call.customerSaid = words
        const talking = agents.map(({ userId }) => userId)
        suggester.onUtterance(companyId, callId, { text: words, before, at, language, userIds: talking })
      })
      .catch((error) => log.warn({ event: 'transcription.not_saved', callId, error }, 'utterance could not be saved'))
    track(call.saving)
  }

  return {
    follow(live) {
      const call = callOf(live)
      if (!call) return
      // Also where a party who has refused was added later.
      if (live.state.phase.kind === 'done' || isRefused(live.state.recordingConsent)) {
        for (const close of call.close) close()
        return
      }
      if (!live.driver.openTap || call.isLost) return
      for (const leg of legsToTranscribe(live.state)) {
        if (call.legs.has(leg)) continue
        call.legs.add(leg)
        const onUtterance = (said: Said) => save(live, call, speakerOn(live.state, leg), said)
        track(transcribeLeg({ services, live, call, leg, onUtterance, track }))
      }
    },
    said(live, by, line) {
      const call = callOf(live)
      if (!call) return
      const speaker: Speaker | undefined =
        'leg' in by ? speakerOn(live.state, by.leg) : { side: 'internal', voiceAgentId: by.voiceAgentId }
      save(live, call, speaker, line)
    },
    async settle() {
      const wasBusy = await tasks.settle()
      return (await suggester.settle()) || wasBusy
    },
  }
}
