import { transaction } from '../../../db/database.ts'
import { languageOf } from '../../../domain/intelligence/engines.ts'
import { contractTag, type RecognizedLine } from '../../../domain/intelligence/transcript.ts'
import { type RecordingTimeline, spanOf, timeOf } from '../../../domain/speech/timeline.ts'
import type { JobPayloads } from '../../../jobs/payloads.ts'
import { cancelJob, enqueue } from '../../../jobs/queue.ts'
import { second } from '../../../lib/clock.ts'
import type { Services } from '../../../services.ts'
import { lockCall } from '../../calls/index.ts'
import { deleteSource, readRaw } from './raw-audio.ts'
import { activeSettings, scheduleTranscript, speechToTextKey, supportsLanguage } from './speech-jobs.ts'
import { appendSpeechLines, holdsOn } from './speech-to-text-store.ts'
import { findSpeechLines, type SpeechLines } from './store.ts'
import { type SpokenSegment, transcribeChannels } from './transcribe-channels.ts'

const maxTries = 5
const firstRetryDelayMs = 30 * second

type SpeechToTextPayload = JobPayloads['call.speech_to_text']

/**
 * Job: converts recorded speech to lines. Runs outside of any transaction; the source is deleted once the lines are stored,
 * and an interrupted run is repeated.
 */
export function speechToTextJob(services: Services) {
  const { db, log, clock } = services
  return async (payload: SpeechToTextPayload, isStopped: () => boolean): Promise<void> => {
    const { companyId, callId, kind, source, tries } = payload
    if (payload.understood) return deleteSource(source)
    const key = speechToTextKey(callId, kind)
    let recognized: SpeechLines | undefined
    try {
      recognized = await transcribeRecording(services, payload, isStopped)
    } catch (error) {
      if (isStopped()) throw error
      log.warn({ event: 'stt.recording_failed', callId, kind, tries, error }, 'speech-to-text of a recording failed')
      const due = clock.now() + firstRetryDelayMs * 2 ** tries
      if (tries + 1 < maxTries) return enqueue(db, 'call.speech_to_text', { ...payload, tries: tries + 1 }, due, key)
    }
    await transaction(db, async (tx) => {
      const call = await lockCall(tx, companyId, callId)
      // The recording may have been deleted in the meantime.
      if (call && recognized && call[kind] !== null) await appendSpeechLines(tx, companyId, callId, recognized)
      await cancelJob(tx, key)
      await enqueue(tx, 'call.speech_to_text', { ...payload, understood: true }, clock.now())
      if (call?.publishedEvents === 'all') await scheduleTranscript(services, tx, companyId, callId)
    })
  }
}

/** Undefined if there is nothing to store. */
async function transcribeRecording(
  services: Services,
  payload: SpeechToTextPayload,
  isStopped: () => boolean,
): Promise<SpeechLines | undefined> {
  const { db, ai } = services
  const { companyId, callId, kind, source } = payload
  const engine = await ai.stt(companyId)
  const settings = await activeSettings(services, db, companyId, callId)
  const raw =
    engine && settings && supportsLanguage(engine, languageOf(settings.language)) ? await readRaw(source) : undefined
  if (!engine || !settings || !raw) return undefined
  const timeline = raw.sidecar
  const known = (await findSpeechLines(db, companyId, callId)) ?? []
  const holds = (await holdsOn(db, companyId, callId)).map(({ from, until }) =>
    spanOf(timeline, from, until ?? Number.POSITIVE_INFINITY),
  )
  const names = channelSides(kind, raw.sides.length)
  const sides = names.map((side, index) => ({
    samples: raw.sides[index] ?? new Int16Array(0),
    cuts: [...holds, ...known.filter((line) => line.side === side)],
  }))
  const run = { ai, engine, throwIfStopped: () => throwIfStopped(isStopped) }
  const { language, sides: said } = await transcribeChannels(run, sides, languageOf(settings.language))
  const lines = linesFromSegments(said, names, timeline)
  if (lines.length === 0) return undefined
  return { sound: kind, engine: engine.id, language: contractTag(settings.language ?? language), lines }
}

/** Left channel: the company; right channel: the external party. A voicemail has the external party only. */
export const channelSides = (kind: 'recording' | 'voicemail', channels: number): RecognizedLine['side'][] =>
  kind === 'voicemail' || channels === 1 ? ['right'] : ['left', 'right']

export function linesFromSegments(
  said: readonly (readonly SpokenSegment[])[],
  names: readonly RecognizedLine['side'][],
  timeline: RecordingTimeline,
): RecognizedLine[] {
  return said.flatMap((parts, index) =>
    parts.map(({ startMs, endMs, text, words }) => ({
      side: names[index] ?? 'right',
      text,
      startMs,
      endMs,
      at: timeOf(timeline, startMs),
      phone: null,
      ...(words && { words }),
    })),
  )
}

export function throwIfStopped(isStopped: () => boolean): void {
  if (isStopped()) throw new Error('the process is shutting down')
}
