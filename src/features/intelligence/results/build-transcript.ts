import { type Tx, transaction } from '../../../db/database.ts'
import type { CompanyId } from '../../../db/tables.ts'
import { languageOf } from '../../../domain/intelligence/engines.ts'
import { contractTag, utterancesOf } from '../../../domain/intelligence/transcript.ts'
import { callOutputs, type JobPayloads } from '../../../jobs/payloads.ts'
import { enqueue } from '../../../jobs/queue.ts'
import { readMp3Sides } from '../../../media/read-mp3.ts'
import type { Services } from '../../../services.ts'
import { type Call, type CallAudioKind, findCall, lockCall } from '../../calls/index.ts'
import { publish } from '../../publishing/index.ts'
import { activeSettings, supportsLanguage } from './speech-jobs.ts'
import { channelSides, linesFromSegments, throwIfStopped } from './speech-to-text.ts'
import { engineOfTranscript, replaceTranscript } from './speech-to-text-store.ts'
import { findSpeechLines, findTranscript, presencesOn, writeTranscript } from './store.ts'
import { transcribeChannels } from './transcribe-channels.ts'

type TranscriptPayload = JobPayloads['call.build_transcript']

/** Job: builds the transcript from the recognized lines and queues all analyses. */
export function transcriptJob(services: Services) {
  return async (payload: TranscriptPayload, isStopped: () => boolean) =>
    payload.again ? regenerateTranscript(services, payload, isStopped) : buildTranscript(services, payload)
}

const buildTranscript = (services: Services, payload: TranscriptPayload) =>
  transaction(services.db, async (tx) => {
    const { companyId, callId } = payload
    const call = await lockCall(tx, companyId, callId)
    const lines = call && (await findSpeechLines(tx, companyId, callId))
    if (!call || !lines) return
    const utterances = utterancesOf(lines, await presencesOn(tx, companyId, callId), call.external)
    await writeTranscript(tx, companyId, callId, utterances, services.clock.now())
    await publishTranscript(services, tx, companyId, call)
    await scheduleAnalyses(services, tx, payload)
  })

async function publishTranscript(services: Services, tx: Tx, companyId: CompanyId, call: Call): Promise<void> {
  const transcript = await findTranscript(tx, companyId, call.id)
  if (!transcript) return
  await publish(services, tx, companyId, [{ kind: 'insight', event: 'transcription.created', call, transcript }])
}

async function scheduleAnalyses(
  { clock }: Services,
  tx: Tx,
  { companyId, callId, again }: TranscriptPayload,
): Promise<void> {
  for (const output of callOutputs) {
    const payload = { companyId, callId, output, ...(again && { again }) }
    await enqueue(tx, 'call.analyse', payload, clock.now(), `analyse:${callId}:${output}`)
  }
}

/**
 * Transcribes the stored mp3, because the raw audio is deleted by then. Lines of AI agents are kept. The event is published
 * only if the call had no transcript before.
 */
async function regenerateTranscript(services: Services, payload: TranscriptPayload, isStopped: () => boolean) {
  const { db } = services
  const { companyId, callId } = payload
  const made = await transcribeStoredRecording(services, companyId, callId, isStopped)
  await transaction(db, async (tx) => {
    const call = await lockCall(tx, companyId, callId)
    if (!call || call[made?.sound ?? 'recording'] === null) return
    const before = await findTranscript(tx, companyId, callId)
    if (made) {
      const { sound, engine, language, lines } = made
      const recognized = utterancesOf(lines, await presencesOn(tx, companyId, callId), call.external)
      const known = before?.utterances.filter(({ speaker }) => 'voiceAgentId' in speaker) ?? []
      const utterances = [...known, ...recognized].toSorted((a, b) => a.start - b.start)
      await replaceTranscript(tx, companyId, callId, { sound, engine, language }, utterances, services.clock.now())
      if (!before) await publishTranscript(services, tx, companyId, call)
    }
    if (made || before) await scheduleAnalyses(services, tx, payload)
  })
}
const maxSeconds = 4 * 3_600

/** Undefined if the recording cannot be transcribed. */
async function transcribeStoredRecording(
  services: Services,
  companyId: CompanyId,
  callId: number,
  isStopped: () => boolean,
) {
  const { db, ai, log } = services
  const engine = await ai.stt(companyId)
  const call = await findCall(db, companyId, callId)
  const settings = await activeSettings(services, db, companyId, callId)
  if (!engine || !call || !settings || !supportsLanguage(engine, languageOf(settings.language))) return undefined
  if ((await engineOfTranscript(db, companyId, callId)) === 'script') return undefined
  const before = await findTranscript(db, companyId, callId)
  const sound: CallAudioKind = before?.sound ?? (call.recording === null ? 'voicemail' : 'recording')
  const file = call[sound]
  if (file === null) return undefined
  const read = await readMp3Sides(await bytesOf(services, file), maxSeconds)
  if ('problem' in read) {
    log.warn({ event: 'stt.recording_unreadable', callId, problem: read.problem }, 'could not decode a recording')
    return undefined
  }
  const names = channelSides(sound, sound === 'voicemail' ? 1 : 2)
  const known = before?.utterances.filter(({ speaker }) => 'voiceAgentId' in speaker) ?? []
  const cuts = known.map(({ start, end }) => ({ startMs: start * 1_000, endMs: end * 1_000 }))
  const sides = names.map((side, index) => ({
    samples: read[index] ?? new Int16Array(0),
    cuts: side === 'left' ? cuts : [],
  }))
  const run = { ai, engine, throwIfStopped: () => throwIfStopped(isStopped) }
  const { language, sides: said } = await transcribeChannels(run, sides, languageOf(settings.language))
  // The mp3 has no record of recording pauses: after a pause, speakers are looked up slightly too early.
  const timeline = { startedAt: call.answeredAt ?? call.startedAt, pauses: [] }
  const lines = linesFromSegments(said, names, timeline)
  if (lines.length === 0) return undefined
  return { sound, engine: engine.id, language: contractTag(settings.language ?? language), lines }
}

async function bytesOf({ files }: Services, file: string): Promise<Buffer> {
  const parts: Buffer[] = []
  for await (const part of files.read(file)) parts.push(part)
  return Buffer.concat(parts)
}
