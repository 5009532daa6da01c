import { randomUUID } from 'node:crypto'
import type { Db } from '../../../db/database.ts'
import { unindexed } from '../../../db/dialect.ts'
import type { CompanyId } from '../../../db/tables.ts'
import type { RecordingConsent } from '../../../domain/call/state.ts'
import { isAlive } from '../../../http/signed-links.ts'
import { hour } from '../../../lib/clock.ts'
import type { Links } from '../../../services.ts'
import type { CallAudioKind } from '../calls/store.ts'

const shortLifeMs = 3 * hour

interface WantedSound {
  callId: number
  kind: CallAudioKind
}

/** New short URLs, valid for three hours, by `callId:kind`. */
export async function mintShortUrls(
  db: Db,
  companyId: CompanyId,
  links: Links,
  wanted: readonly WantedSound[],
  at: number,
): Promise<Map<string, string>> {
  if (wanted.length === 0) return new Map()
  const rows = wanted.map(({ callId, kind }) => ({
    id: randomUUID(),
    company_id: companyId,
    call_id: callId,
    kind,
    expires_at: at + shortLifeMs,
  }))
  await db.insertInto('short_url').values(rows).execute()
  return new Map(rows.map(({ id, call_id, kind }) => [`${call_id}:${kind}`, `${links.short}/v1/${id}`]))
}

/** The call of a short URL; undefined if it is unknown or has expired. */
export async function findShortUrl(db: Db, id: string, now: number) {
  const row = await db
    .selectFrom('short_url')
    .select(['company_id', 'call_id', 'kind', 'expires_at'])
    .where('id', '=', id)
    .executeTakeFirst()
  if (!row || !isAlive(now, row.expires_at - shortLifeMs, shortLifeMs)) return undefined
  return { companyId: row.company_id, callId: row.call_id, kind: row.kind }
}

/** Deletes the short URLs of a deleted file. */
export async function forgetShortUrls(
  db: Db,
  companyId: CompanyId,
  callId: number,
  kind: CallAudioKind,
): Promise<void> {
  await db
    .deleteFrom('short_url')
    .where('company_id', '=', companyId)
    .where('call_id', '=', callId)
    .where('kind', '=', kind)
    .execute()
}

/** Returns the number of deleted URLs. */
export async function deleteExpiredShortUrls(db: Db, now: number, limit: number): Promise<number> {
  const over = db.selectFrom('short_url').select('id').where('expires_at', '<', now).limit(limit)
  const { numDeletedRows } = await db.deleteFrom('short_url').where('id', 'in', over).executeTakeFirst()
  return Number(numDeletedRows)
}

/** A call as its recording page shows it. */
export interface RecordedCall {
  callId: number
  direction: 'inbound' | 'outbound'
  /** The external party in display format. */
  external: string
  startedAt: number
  /** Null if the number was removed. */
  number: { name: string; display: string; timeZone: string } | null
  agent: string | null
  audio: Record<CallAudioKind, RecordedAudio | null>
}

export interface RecordedAudio {
  file: string
  ms: number
}

/** Undefined for a call that started before `since`. */
export async function findRecordedCall(
  db: Db,
  companyId: CompanyId,
  callId: number,
  since: number,
): Promise<RecordedCall | undefined> {
  const row = await db
    .selectFrom('call')
    .leftJoin('number', 'number.id', 'call.number_id')
    .leftJoin('user', 'user.id', 'call.user_id')
    .select(['call.id', 'call.direction', 'call.external_display', 'call.started_at'])
    .select(['call.recording', 'call.recording_ms', 'call.voicemail', 'call.voicemail_ms'])
    .select(['number.name', 'number.display', 'number.time_zone', 'user.first_name', 'user.last_name'])
    .where('call.company_id', '=', companyId)
    .where('call.id', '=', callId)
    .where('call.started_at', '>=', since)
    .executeTakeFirst()
  if (!row) return undefined
  const agent = [row.first_name, row.last_name].filter(Boolean).join(' ')
  return {
    callId: row.id,
    direction: row.direction,
    external: row.external_display,
    startedAt: row.started_at,
    number: numberOf(row),
    agent: agent || null,
    audio: {
      recording: soundOf(row.recording, row.recording_ms),
      voicemail: soundOf(row.voicemail, row.voicemail_ms),
    },
  }
}

function numberOf({ name, display, time_zone }: { [K in 'name' | 'display' | 'time_zone']: string | null }) {
  if (name === null || display === null || time_zone === null) return null
  return { name, display, timeZone: time_zone }
}

const soundOf = (file: string | null, ms: number | null): RecordedAudio | null =>
  file === null ? null : { file, ms: ms ?? 0 }

export interface NewCallAudio extends RecordedAudio {
  kind: CallAudioKind
}

/** False if the call does not exist or already has a file. */
export async function attachAudio(
  db: Db,
  companyId: CompanyId,
  callId: number,
  { kind, file, ms }: NewCallAudio,
): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('call')
    .set(kind === 'recording' ? { recording: file, recording_ms: ms } : { voicemail: file, voicemail_ms: ms })
    .where('company_id', '=', companyId)
    .where('id', '=', callId)
    .where(kind, 'is', null)
    .executeTakeFirst()
  return numUpdatedRows > 0n
}

export async function setRecordingConsent(
  db: Db,
  companyId: CompanyId,
  callId: number,
  result: RecordingConsent,
): Promise<void> {
  await db
    .updateTable('call')
    .set({ recording_consent: result })
    .where('id', '=', callId)
    .where(unindexed('company_id'), '=', companyId)
    .execute()
}

/** Null: no announcement was due. */
export async function recordingConsentOf(
  db: Db,
  companyId: CompanyId,
  callId: number,
): Promise<RecordingConsent | null> {
  const row = await db
    .selectFrom('call')
    .select('recording_consent')
    .where('id', '=', callId)
    .where(unindexed('company_id'), '=', companyId)
    .executeTakeFirst()
  return row?.recording_consent ?? null
}
