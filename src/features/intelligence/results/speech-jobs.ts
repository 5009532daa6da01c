import type { Db, Tx } from '../../../db/database.ts'
import type { CompanyId } from '../../../db/tables.ts'
import { type Language, languages, type SttEngine } from '../../../domain/intelligence/engines.ts'
import { contractTag, type HeardLine } from '../../../domain/intelligence/transcript.ts'
import { enqueue, isWaiting } from '../../../jobs/queue.ts'
import type { Services } from '../../../services.ts'
import { mayUse } from '../../accounts/index.ts'
import { findCall } from '../../calls/index.ts'
import { type Switch, switchOf } from '../settings/store.ts'
import { findSpeechLines, insertSpeechLines } from './store.ts'

type Sound = 'recording' | 'voicemail'

/** What the line brought with a sound is kept where conversations are looked into, and nowhere else. */
export async function storeScriptedLines(
  services: Services,
  tx: Tx,
  companyId: CompanyId,
  callId: number,
  sound: Sound,
  lines: readonly HeardLine[],
): Promise<void> {
  if (lines.length === 0) return
  const on = await activeSwitch(services, tx, companyId, callId)
  if (!on) return
  await insertSpeechLines(tx, companyId, callId, { sound, engine: 'script', language: contractTag(on.language), lines })
}

/** The switch of the call's Number when it is on, and the company has what it switches. */
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

/** Of real people: somebody listens to it, later. False when nobody will, and the source is of no more use. */
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
  await enqueue(tx, 'call.listen', { ...request, tries: 0 }, services.clock.now(), speechToTextKey(callId, kind))
  return true
}

/** Undefined: nobody said, so the engine finds out. */
export function languageOf(tag: string | null): Language | undefined {
  return languages.find((language) => language === tag?.split('-', 1)[0])
}

/** Who speaks one language takes it for granted. */
export const supportsLanguage = (engine: SttEngine, language: Language | undefined) =>
  engine.languages === 'any' || language === undefined || engine.languages.includes(language)

/** Once everything else about the call was told, and as soon as nobody listens to it any more. */
export async function scheduleTranscript(
  services: Services,
  tx: Tx,
  companyId: CompanyId,
  callId: number,
): Promise<void> {
  for (const sound of ['recording', 'voicemail'] as const)
    if (await isWaiting(tx, speechToTextKey(callId, sound))) return
  if ((await findSpeechLines(tx, companyId, callId)) === undefined) return
  await enqueue(tx, 'call.transcribe', { companyId, callId }, services.clock.now(), `transcribe:${callId}`)
}
