import { type CallFromSource, callFromSource, isCallOver } from '../../../domain/import/calls.ts'
import { isImportProblem, nestedId, sourceText } from '../../../domain/import/values.ts'
import { hashOf } from '../../../lib/secrets.ts'
import { insertCall, insertComment, insertPastParty, isUuidTaken, putTags, updateCall } from '../../calls/index.ts'
import { insertImported } from '../runs/objects-store.ts'
import type { Importing, KindImport, PreparedAudio, PreparedRow, RowWriting } from './importing.ts'
import { pastNumberOfCall } from './numbers.ts'

export const importCalls: KindImport = {
  kind: 'calls',
  list: { path: '/v1/calls', root: 'calls', timeField: 'started_at', query: 'fetch_call_timeline=true' },
  async prepare(importing, row, sourceId) {
    const prepared: PreparedRow = { toCheck: [] }
    if (!isCallOver(row)) return prepared
    for (const kind of ['recording', 'voicemail'] as const) {
      const url = sourceText(row[kind])
      if (url === null) continue
      const audio = await downloadAudio(importing, `${kind}:${sourceId}`, url, durationOf(row))
      if (audio) prepared[kind] = audio
      else prepared.toCheck.push(`the ${kind} could not be downloaded`)
    }
    return prepared
  },
  async write(writing) {
    const { row, known, prepared } = writing
    if (known !== undefined) return { outcome: 'existing', ownId: known }
    if (!isCallOver(row)) return { outcome: 'skipped' }
    const numberId = await numberOfCall(writing)
    if (numberId === undefined) return { problem: 'the Number of the call is unknown' }
    const call = callFromSource(row, writing.ids, numberId)
    if (isImportProblem(call)) return call
    const id = await writeCall(writing, call)
    for (const reason of prepared?.toCheck ?? []) writing.toCheck(reason)
    const hasAudio = call.recordingUrl !== null || call.voicemailUrl !== null
    return { outcome: 'created', ownId: String(id), pending: hasAudio || call.record.answeredAt !== null }
  },
}

const durationOf = ({ duration }: { duration?: unknown }) => (typeof duration === 'number' ? duration * 1_000 : 0)

/** The key depends on the source only: a repeated download replaces the file. */
async function downloadAudio(
  { services, companyId, source }: Importing,
  name: string,
  url: string,
  ms: number,
): Promise<PreparedAudio | undefined> {
  const bytes = await source.download(url)
  if (!bytes || bytes.length === 0) return undefined
  const file = `recordings/imported/${companyId}-${hashOf(`${source.url} ${name}`).slice(0, 40)}.mp3`
  await services.files.put(file, bytes)
  return { file, ms }
}

/** A Number that the source has deleted is stored as past calls show it, once. */
async function numberOfCall(writing: RowWriting): Promise<number | undefined> {
  const { tx, companyId, row, source, ids } = writing
  const sourceNumber = nestedId(row.number)
  if (sourceNumber === undefined) return undefined
  const known = ids.numbers.get(sourceNumber)
  if (known !== undefined) return known
  const id = await pastNumberOfCall(writing)
  if (id === undefined) return undefined
  await insertImported(tx, companyId, source.url, { kind: 'numbers', sourceId: sourceNumber, ownId: String(id) })
  writing.learnNumber(sourceNumber, id)
  return id
}

async function writeCall(writing: RowWriting, call: CallFromSource): Promise<number> {
  const { tx, companyId, source, sourceId, prepared } = writing
  const { record } = call
  const uuid =
    call.uuid !== null && !(await isUuidTaken(tx, call.uuid))
      ? call.uuid
      : derivedUuid(`${companyId} ${source.url} ${sourceId}`)
  const id = await insertCall(tx, companyId, { uuid, record })
  await updateCall(tx, companyId, id, {
    told: 'all',
    archived: call.archived ? 1 : 0,
    ...(prepared?.recording && { recording: prepared.recording.file, recording_ms: prepared.recording.ms }),
    ...(prepared?.voicemail && { voicemail: prepared.voicemail.file, voicemail_ms: prepared.voicemail.ms }),
  })
  for (const comment of call.comments) await insertComment(tx, companyId, id, comment)
  for (const tag of call.tags) await putTags(tx, companyId, { id }, [tag.id], tag)
  const { userId, answeredAt, endedAt, direction } = record
  if (userId !== null && answeredAt !== null && endedAt !== null) {
    const way = direction === 'inbound' ? 'taken' : 'made'
    await insertPastParty(tx, companyId, id, { userId, way, joinedAt: answeredAt, leftAt: endedAt })
  }
  return id
}

/** The same for each attempt to import the call. */
function derivedUuid(text: string): string {
  const hex = hashOf(text)
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20, 32)}`
}
