import type { Tx } from '../db/database.ts'
import type { CompanyId } from '../db/tables.ts'
import { contractTag, type HeardLine } from '../domain/intelligence/transcript.ts'
import { hasFeature } from '../http/caller.ts'
import { enqueue } from '../jobs/queue.ts'
import type { Services } from '../services.ts'
import { findCall } from './calls/store.ts'
import { findCompany } from './companies/store.ts'
import { findHeard, insertHeard } from './intelligence/store.ts'
import { switchOf } from './intelligence-settings/store.ts'

/** What the line brought with a sound is kept where conversations are looked into, and nowhere else. */
export async function keepHeard(
  tx: Tx,
  companyId: CompanyId,
  callId: number,
  sound: 'recording' | 'voicemail',
  lines: readonly HeardLine[],
): Promise<void> {
  if (lines.length === 0) return
  const call = await findCall(tx, companyId, callId)
  if (!call || !hasFeature(await findCompany(tx, companyId), 'assist')) return
  const { enabled, language } = await switchOf(tx, companyId, call.numberId)
  if (!enabled) return
  await insertHeard(tx, companyId, callId, { sound, engine: 'script', language: contractTag(language), lines })
}

/** Once everything else about the call was told. */
export async function wantTranscript(services: Services, tx: Tx, companyId: CompanyId, callId: number): Promise<void> {
  if ((await findHeard(tx, companyId, callId)) === undefined) return
  await enqueue(tx, 'call.transcribe', { companyId, callId }, services.clock.now(), `transcribe:${callId}`)
}
