import { randomUUID } from 'node:crypto'
import type { CallAudioKind } from '../../src/features/calls/calls/store.ts'
import { signedUrl } from '../../src/features/calls/recordings/links.ts'
import { mintShortUrls } from '../../src/features/calls/recordings/store.ts'
import { mp3OfScriptedRecording } from '../../src/media/scripted-recording.ts'
import type { TestApp, TestCompany } from './app.ts'

// Recorded calls, and the URLs of their audio.

let next = 0

/** A completed call on its own Number, with three seconds of audio of each kind. */
export async function recordedCall(
  { app, db, clock }: TestApp,
  company: TestCompany,
  { startedAt = clock.now() - 60_000, sounds = ['recording'] as readonly CallAudioKind[] } = {},
) {
  const digits = `+3318000${String(++next).padStart(4, '0')}`
  const made = await company.own('POST', '/v1/numbers', { digits, name: 'Front <b>desk</b>' })
  const mp3 = await mp3OfScriptedRecording({ channels: 2, parts: [{ ms: 3_000, left: 440, right: 620 }] })
  const { id } = await db
    .insertInto('call')
    .values({
      company_id: company.id,
      uuid: randomUUID(),
      direction: 'inbound',
      number_id: made.json.number.id,
      external: '+14155550100',
      external_display: '+1 415-555-0100',
      external_digits: '14155550100',
      status: 'done',
      started_at: startedAt,
      answered_at: startedAt + 5_000,
      ended_at: startedAt + 8_000,
      user_id: company.ownerId,
      transferred_out: 0,
      team_ids: '[]',
      participants: '[]',
      ivr_options: '[]',
      archived: 0,
      told: 'all',
    })
    .returning('id')
    .executeTakeFirstOrThrow()
  const files: Partial<Record<CallAudioKind, string>> = {}
  for (const kind of sounds) {
    const file = `recordings/${company.id}/${id}-${kind.slice(0, 1)}0ff.mp3`
    await app.services.files.put(file, mp3)
    const change =
      kind === 'recording' ? { recording: file, recording_ms: 3_000 } : { voicemail: file, voicemail_ms: 3_000 }
    await db.updateTable('call').set(change).where('id', '=', id).execute()
    files[kind] = file
  }
  /** Signed now, or at another time. */
  const link = (kind: CallAudioKind = 'recording', at = clock.now()) =>
    signedUrl(app.services.vault, app.services.links, {
      companyId: company.id,
      callId: id,
      kind,
      file: files[kind] ?? '',
      at,
    })
  return { id, mp3, files, link }
}

export async function shortLinkTo(
  { app, db, clock }: TestApp,
  company: TestCompany,
  callId: number,
  kind: CallAudioKind = 'recording',
  at = clock.now(),
): Promise<string> {
  const minted = await mintShortUrls(db, company.id, app.services.links, [{ callId, kind }], at)
  const url = minted.get(`${callId}:${kind}`)
  if (!url) throw new Error('a short URL was asked for')
  return url
}

export interface Heard {
  status: number
  headers: Headers
  bytes: Buffer
}

/** As a media player requests it: without credentials. */
export async function listen(url: string, init: RequestInit = {}): Promise<Heard> {
  const response = await fetch(url, { redirect: 'manual', ...init })
  return { status: response.status, headers: response.headers, bytes: Buffer.from(await response.arrayBuffer()) }
}
