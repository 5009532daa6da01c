import type { Db, Tx } from '../../../db/database.ts'
import type { CompanyId } from '../../../db/tables.ts'
import { type Language, languages, type SttEngine } from '../../../domain/intelligence/engines.ts'
import { contractTag, type RecognizedLine } from '../../../domain/intelligence/transcript.ts'
import { enqueue, isWaiting } from '../../../jobs/queue.ts'
import type { Services } from '../../../services.ts'
import { mayUse } from '../../accounts/index.ts'
import { findCall } from '../../calls/index.ts'
import { type Switch, switchOf } from '../settings/store.ts'
import { findSpeechLines, insertSpeechLines } from './store.ts'

type Sound = 'recording' | 'voicemail'

/** Stores the scripted lines of a synthetic call, if conversation intelligence is enabled for its Number. */
export async function storeScriptedLines(
  services: Services,
  tx: Tx,
  companyId: CompanyId,
  callId: number,
  sound: Sound,
  lines: readonly RecognizedLine[],
): Promise<void> {
  if (lines.length === 0) return
  const on = await activeSwitch(services, tx, companyId, callId)
  if (!on) return
  await insertSpeechLines(tx, companyId, callId, { sound, engine: 'script', language: contractTag(on.language), lines })
}

/** Settings of the call's Number, if enabled and included in the plan. */
export async function activeSwitch(
  services: Services,
  db: Db,
  companyId: CompanyId,
  callId: number,
): Promise<Switch | undefined> {
  const call = await findCall(db, companyId, callId)
  if (!call || !(await mayUse(services, db, companyId, 'assist'))) return undefined
  const on = await switchOf(db, companyId, call.numberId)
  return on.enabled ? on : undefined
}

export const speechToTextKey = (callId: number, sound: Sound) => `listen:${callId}:${sound}`

/** Queues speech-to-text for recorded audio. False if none will run, so that the source can be deleted. */
export async function scheduleSpeechToText(
  services: Services,
  tx: Tx,
  engine: SttEngine | undefined,
  request: { companyId: CompanyId; callId: number; kind: Sound; source: string },
): Promise<boolean> {
  const { companyId, callId, kind } = request
  if (!engine) return false
  const on = await activeSwitch(services, tx, companyId, callId)
  if (!on || !supportsLanguage(engine, languageOf(on.language))) return false
  await enqueue(
    tx,
    'call.speech_to_text',
    { ...request, tries: 0 },
    services.clock.now(),
    speechToTextKey(callId, kind),
  )
  return true
}

/** Undefined: not set, the engine detects the language. */
export function languageOf(tag: string | null): Language | undefined {
  return languages.find((language) => language === tag?.split('-', 1)[0])
}

/** An undefined language is detected by the engine. */
export const supportsLanguage = (engine: SttEngine, language: Language | undefined) =>
  engine.languages === 'any' || language === undefined || engine.languages.includes(language)

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
  await enqueue(tx, 'call.build_transcript', { companyId, callId }, services.clock.now(), `transcribe:${callId}`)
}
