import type { CallState } from '../domain/call/state.ts'
import { type Language, type LiveTranscriber, languages } from '../domain/intelligence/engines.ts'
import type { Speaker } from '../domain/intelligence/transcript.ts'
import type { LegId } from '../domain/voice.ts'
import { languageFollowed, storeUtterance } from '../features/intelligence/realtime/actions.ts'
import type { Services } from '../services.ts'
import type { ActiveCall } from './active-call.ts'

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

interface Notes {
  /** Undefined: not enabled. */
  language: Promise<string | undefined>
  transcribers: Map<LegId, Promise<void>>
  close: Set<() => void>
  /** Recorded intervals, so far. */
  recorded: { from: number; until: number | null }[]
  /** When the customer was on hold or the recording paused: speech during that time is not transcribed. */
  offRecord: { from: number; until: number | null }[]
  /** Written in the order in which they were spoken. */
  writing: Promise<void>
  isLost: boolean
}

/** Silence that ends an utterance. */
const hangoverMs = 600

export function createRealtimeTranscription(services: Services): RealtimeTranscription {
  const { ai, clock, log } = services
  const all = new WeakMap<ActiveCall, Notes>()
  const running = new Set<Promise<void>>()

  const isFollowed = ({ callId, phase, record }: CallState) =>
    callId !== null && record.answeredAt !== null && ['talking', 'voiceAgent', 'forwarded'].includes(phase.kind)

  function notesOf(live: ActiveCall): Notes | undefined {
    const known = all.get(live)
    if (known || !isFollowed(live.state)) return known
    const { companyId, record } = live.state
    const language = languageFollowed(services, companyId, record.numberId).catch((error) => {
      log.warn(
        { event: 'transcription.settings_unreadable', callId: live.state.callId, error },
        'could not read the transcription settings',
      )
      return undefined
    })
    const made: Notes = {
      language,
      transcribers: new Map(),
      close: new Set(),
      recorded: [],
      offRecord: [],
      writing: Promise.resolve(),
      isLost: false,
    }
    all.set(live, made)
    return made
  }

  function track(work: Promise<void>): void {
    const done = work
      .catch((error) => log.warn({ event: 'transcription.failed', error }, 'real-time transcription failed'))
      .finally(() => running.delete(done))
    running.add(done)
  }

  function noteRecording({ recorded, offRecord }: Notes, { phase, recording }: CallState): void {
    note(recorded, recording.status === 'on' && recording.recId !== null)
    note(offRecord, recording.status === 'paused' || (phase.kind === 'talking' && phase.held))
  }

  function note(stretches: Notes['recorded'], isOn: boolean): void {
    const last = stretches.at(-1)
    if (isOn && last?.until !== null) stretches.push({ from: clock.now(), until: null })
    if (!isOn && last?.until === null) last.until = clock.now()
  }

  async function listenTo(live: ActiveCall, notes: Notes, leg: LegId): Promise<void> {
    const { driver } = live
    const language = await notes.language
    if (language === undefined || notes.isLost || !driver.openTap) return
    let since: number | null = null
    const transcriber: LiveTranscriber | undefined = await ai.listen(live.state.companyId, {
      language: languageOf(language),
      hangoverMs,
      onUtterance: ({ startMs, endMs, text }) =>
        write(live, notes, speakerOn(live.state, leg), {
          text,
          at: Math.round((since ?? clock.now()) + startMs),
          ms: Math.round(endMs - startMs),
        }),
      onLost(why) {
        log.warn({ event: 'transcription.stopped', callId: live.state.callId, why }, 'real-time transcription stopped')
        giveUp(notes)
      },
    })
    if (!transcriber) return
    const end = () =>
      transcriber.end().catch((error) => log.debug({ event: 'stt.flush_failed', error }, 'last transcript was lost'))
    const { tapId } = await driver.openTap(leg, {
      onSamples(samples) {
        // Chunks arrive when they are complete.
        since ??= clock.now() - samples.length / 8
        transcriber.write(samples)
      },
      onEnd(cause) {
        if (cause === 'overrun') giveUp(notes)
        track(end().then(() => {}))
      },
    })
    const close = () => {
      notes.close.delete(close)
      track(
        Promise.resolve(driver.closeTap?.(tapId))
          .then(end)
          .then(() => {}),
      )
    }
    notes.close.add(close)
    if (notes.isLost) close()
  }

  /** A transcriber that cannot keep up is stopped. */
  function giveUp(notes: Notes): void {
    notes.isLost = true
    for (const close of notes.close) close()
  }

  function write(live: ActiveCall, notes: Notes, speaker: Speaker | undefined, { text, at, ms }: Said): void {
    const { companyId, callId, agents, supervisors, record } = live.state
    const words = text.trim()
    if (callId === null || !speaker || words === '') return
    if (notes.offRecord.some(({ from, until }) => at >= from && (until === null || at < until))) return
    const start = offsetOf(notes, at, record.answeredAt ?? at) / 1_000
    const utterance = { start, end: start + ms / 1_000, text: words, speaker, at, ms }
    const userIds = [...agents, ...supervisors].map(({ userId }) => userId)
    const engine = live.driver.openTap && !('voiceAgentId' in speaker) ? 'ear' : 'script'
    notes.writing = notes.writing
      .then(async () => {
        const language = await notes.language
        if (language === undefined) return
        await storeUtterance(services, companyId, callId, { language, engine, utterance, userIds })
      })
      .catch((error) => log.warn({ event: 'transcription.not_saved', callId, error }, 'utterance could not be saved'))
    track(notes.writing)
  }

  return {
    follow(live) {
      const notes = notesOf(live)
      if (!notes) return
      noteRecording(notes, live.state)
      if (live.state.phase.kind === 'done') {
        for (const close of notes.close) close()
        return
      }
      if (!live.driver.openTap || notes.isLost) return
      for (const leg of legsOf(live.state)) {
        if (notes.transcribers.has(leg)) continue
        const open = listenTo(live, notes, leg)
        notes.transcribers.set(leg, open)
        track(open)
      }
    },
    said(live, by, line) {
      const notes = notesOf(live)
      if (!notes) return
      const speaker: Speaker | undefined =
        'leg' in by ? speakerOn(live.state, by.leg) : { side: 'internal', voiceAgentId: by.voiceAgentId }
      write(live, notes, speaker, line)
    },
    async settle() {
      const wasBusy = running.size > 0
      await Promise.all(running)
      return wasBusy
    },
  }
}

/** The legs to transcribe; while an AI voice agent talks to the customer, its own speech-to-text is used. */
function legsOf({ phase, customer, agents, guests }: CallState): LegId[] {
  const others = [...agents, ...guests].flatMap(({ leg }) => (leg === null ? [] : [leg]))
  const own = customer.leg === null ? [] : [customer.leg]
  if (phase.kind === 'talking') return [...own, ...others]
  if (phase.kind === 'forwarded' && phase.joined) return [...own, ...(phase.leg === null ? [] : [phase.leg])]
  return []
}

function speakerOn({ phase, customer, agents, guests, record }: CallState, leg: LegId): Speaker | undefined {
  if (leg === customer.leg) return { side: 'external', phone: record.external }
  const agent = agents.find((one) => one.leg === leg)
  if (agent) return { side: 'internal', userId: agent.userId }
  const guest = guests.find((one) => one.leg === leg)
  if (guest) return { side: 'external', phone: guest.phone }
  return phase.kind === 'forwarded' && phase.leg === leg ? { side: 'external', phone: phase.phone } : undefined
}

/** Offset in the recording; without one, since the answer. */
function offsetOf({ recorded }: Notes, at: number, answeredAt: number): number {
  if (recorded.length === 0) return Math.max(0, at - answeredAt)
  return recorded.reduce((sum, { from, until }) => sum + Math.max(0, Math.min(at, until ?? at) - from), 0)
}

const languageOf = (tag: string): Language => languages.find((language) => language === tag.split('-', 1)[0]) ?? 'en'
