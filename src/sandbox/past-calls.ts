import type { Tx } from '../db/database.ts'
import type { CompanyId } from '../db/tables.ts'
import { ringTargets } from '../domain/flow/references.ts'
import { insertComment, putTags } from '../features/calls/calls/notes-store.ts'
import { insertCall, updateCall } from '../features/calls/calls/store.ts'
import { seededRandom } from '../lib/random.ts'
import { mp3OfScriptedRecording } from '../media/scripted-recording.ts'
import type { Services } from '../services.ts'
import { type PastCall, planHistory } from './history.ts'
import { officeIn } from './office.ts'
import { planDays } from './past-days.ts'
import { contactPhoneNumbers, insertParties, insertRings, insertStatuses } from './store.ts'

const newest = 8

/** Writes calls of the last thirty days without events. Returns the files they need. */
export async function writeHistory(tx: Tx, companyId: CompanyId, seed: number, at: number): Promise<PastSound[]> {
  const office = await officeIn(tx, companyId, at)
  const lines = office.lines.map((line) => ({ ...line, teamId: ringTargets(line.flow).teams[0] ?? null }))
  if (lines.length === 0) return []
  const phones = await contactPhoneNumbers(tx, companyId)
  // A separate random sequence: changes here do not affect the rest of the demo data.
  const calls = planHistory({ lines, phones, tagIds: office.tagIds }, at, seededRandom(seed + 1_000_003))
  const recorded = new Set(office.lines.filter(({ recording }) => recording).map(({ id }) => id))
  const sounds = soundsOf(calls, recorded)
  for (const call of calls)
    await writeCall(
      tx,
      companyId,
      call,
      sounds.find(({ uuid }) => uuid === call.uuid),
    )
  await insertStatuses(tx, companyId, planDays(office.userIds, calls, at))
  return sounds
}

/** Created before the rows are committed; a repeated run creates the same files. */
export interface PastSound {
  uuid: string
  kind: 'recording' | 'voicemail'
  file: string
  ms: number
}

/** Only the newest calls have audio. */
function soundsOf(calls: readonly PastCall[], recorded: ReadonlySet<number>): PastSound[] {
  return calls
    .flatMap(({ uuid, voicemailMs, record }): PastSound[] => {
      const { answeredAt, endedAt, numberId } = record
      const file = `recordings/demo/${uuid}.mp3`
      if (voicemailMs !== null) return [{ uuid, kind: 'voicemail', file, ms: voicemailMs }]
      if (answeredAt === null || endedAt === null || !recorded.has(numberId)) return []
      return [{ uuid, kind: 'recording', file, ms: endedAt - answeredAt }]
    })
    .slice(-newest)
}

async function writeCall(tx: Tx, companyId: CompanyId, call: PastCall, sound: PastSound | undefined): Promise<void> {
  const { record, uuid } = call
  const id = await insertCall(tx, companyId, { uuid, record })
  await updateCall(tx, companyId, id, {
    told: 'all',
    archived: call.archived ? 1 : 0,
    ...(sound?.kind === 'recording' && { recording: sound.file, recording_ms: sound.ms }),
    ...(sound?.kind === 'voicemail' && { voicemail: sound.file, voicemail_ms: sound.ms }),
  })
  const at = record.endedAt ?? record.startedAt
  if (call.tags.length > 0) {
    await putTags(tx, companyId, { id }, call.tags, { by: record.userId, at })
  }
  for (const comment of call.comments) await insertComment(tx, companyId, id, comment)
  await insertRings(tx, companyId, { callId: id, numberId: record.numberId }, call.rings)
  await insertParties(tx, companyId, id, call.parties)
}

export async function makeSounds({ files }: Services, sounds: readonly PastSound[]): Promise<void> {
  for (const { file, ms, kind } of sounds) {
    const half = Math.floor(ms / 2)
    const parts =
      kind === 'voicemail'
        ? [{ ms, left: null, right: 620 }]
        : [
            { ms: half, left: 440, right: null },
            { ms: ms - half, left: null, right: 620 },
          ]
    await files.put(file, await mp3OfScriptedRecording({ channels: kind === 'voicemail' ? 1 : 2, parts }))
  }
}
