import type { Db, Tx } from '../../../db/database.ts'
import type { CompanyId } from '../../../db/tables.ts'
import { type Language, languageOf, type SttEngine } from '../../../domain/intelligence/engines.ts'
import { contractTag, type RecognizedLine } from '../../../domain/intelligence/transcript.ts'
import { enqueue, isWaiting } from '../../../jobs/queue.ts'
import type { Services } from '../../../services.ts'
import { mayUse } from '../../accounts/index.ts'
import { type CallAudioKind, findCall } from '../../calls/index.ts'
import { type IntelligenceSettings, settingsForNumber } from '../settings/store.ts'
import { findSpeechLines, insertSpeechLines } from './store.ts'

/** Stores the scripted lines of a synthetic call, if conversation intelligence is enabled for its Number. */
export async function storeScriptedLines(
  services: Services,
  tx: Tx,
  companyId: CompanyId,
  callId: number,
  sound: CallAudioKind,
  lines: readonly RecognizedLine[],
): Promise<void> {
  if (lines.length === 0) return
  const settings = await activeSettings(services, tx, companyId, callId)
  if (!settings) return
  await insertSpeechLines(tx, companyId, callId, {
    sound,
    engine: 'script',
    language: contractTag(settings.language),
    lines,
  })
}

/** Settings of the call's Number, if enabled and included in the plan. */
export async function activeSettings(
  services: Services,
  db: Db,
  companyId: CompanyId,
  callId: number,
): Promise<IntelligenceSettings | undefined> {
  const call = await findCall(db, companyId, callId)
  if (!call || !(await mayUse(services, db, companyId, 'assist'))) return undefined
  const settings = await settingsForNumber(db, companyId, call.numberId)
  return settings.enabled ? settings : undefined
}

/** The prefix is stored: jobs of the previous release are found by it. */
export const speechToTextKey = (callId: number, sound: CallAudioKind) => `listen:${callId}:${sound}`

/** Queues speech-to-text for recorded audio. False if none will run, so that the source can be deleted. */
export async function scheduleSpeechToText(
  services: Services,
  tx: Tx,
  engine: SttEngine | undefined,
  request: { companyId: CompanyId; callId: number; kind: CallAudioKind; source: string },
): Promise<boolean> {
  const { companyId, callId, kind } = request
  if (!engine) return false
  const settings = await activeSettings(services, tx, companyId, callId)
  if (!settings || !supportsLanguage(engine, languageOf(settings.language))) return false
  await enqueue(
    tx,
    'call.speech_to_text',
    { ...request, tries: 0 },
    services.clock.now(),
    speechToTextKey(callId, kind),
  )
  return true
}

/** An undefined language is detected by the engine. */
export const supportsLanguage = (engine: SttEngine, language: Language | undefined) =>
  engine.languages === 'any' || language === undefined || engine.languages.includes(language)

/** The prefix is stored: the key replaces a pending job of the previous release. */
export const transcriptKey = (callId: number) => `transcribe:${callId}`

/** Queues the transcript once all other events of the call are published and no speech-to-text job is left. */
export async function scheduleTranscript(
  services: Services,
  tx: Tx,
  companyId: CompanyId,
  callId: number,
): Promise<void> {
  for (const sound of ['recording', 'voicemail'] as const)
    if (await isWaiting(tx, speechToTextKey(callId, sound))) return
  if ((await findSpeechLines(tx, companyId, callId)) === undefined) return
  await enqueue(tx, 'call.build_transcript', { companyId, callId }, services.clock.now(), transcriptKey(callId))
}
