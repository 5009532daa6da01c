import type { Tx } from '../db/database.ts'
import type { CompanyId } from '../db/tables.ts'
import { ringTargets } from '../domain/flow/references.ts'
import { usersById } from '../features/accounts/users/store.ts'
import { insertComment, putTags } from '../features/calls/calls/notes-store.ts'
import { insertCall, updateCall } from '../features/calls/calls/store.ts'
import { findAgent } from '../features/voice-agents/agents/store.ts'
import { seededRandom } from '../lib/random.ts'
import { type MurmuredPart, mp3OfMurmur } from '../media/murmur.ts'
import { toUlaw8k } from '../media/to-ulaw.ts'
import type { Services } from '../services.ts'
import { planHistory } from './history.ts'
import { officeIn, teamsAndTags } from './office.ts'
import type { Cast, PastCall, PastLine, PastRing } from './past-call.ts'
import { planDays } from './past-days.ts'
import type { WrittenCall } from './past-events.ts'
import { guidesForResults, type ResultWriting, writeResults } from './past-results.ts'
import type { Office } from './scenarios/plan.ts'
import { customersByPhone, insertParties, insertPastSession, insertRings, insertStatuses } from './store.ts'
import type { TalkLine } from './texts/dialogue.ts'

interface History {
  /** In the order of their start. */
  calls: WrittenCall[]
  /** The files they need. */
  sounds: PastSound[]
}

/** Writes calls of the last thirty days without events; `others` are calls that were planned elsewhere. */
export async function writeHistory(
  tx: Tx,
  companyId: CompanyId,
  seed: number,
  at: number,
  others: readonly PastCall[] = [],
): Promise<History> {
  const office = await officeIn(tx, companyId, at)
  if (office.lines.length === 0) return { calls: [], sounds: [] }
  // A separate random sequence: changes here do not affect the rest of the demo data.
  const random = seededRandom(seed + 1_000_003)
  const planned = withoutDoubleRings(planHistory(await castOf(tx, companyId, office), at, random))
  const calls = [...planned, ...others].sort((a, b) => a.record.startedAt - b.record.startedAt)
  const guides = await guidesForResults(tx, companyId)
  const results: ResultWriting = { tx, companyId, guides, supervisorId: office.userIds[2] ?? null, random }
  const written: WrittenCall[] = []
  for (const call of calls) written.push({ id: await writeCall(results, call), call })
  await insertRings(
    tx,
    companyId,
    written.flatMap(({ id, call }) =>
      call.rings.map((ring) => ({ ...ring, callId: id, numberId: call.record.numberId })),
    ),
  )
  await insertParties(
    tx,
    companyId,
    written.flatMap(({ id, call }) => call.parties.map((party) => ({ ...party, callId: id }))),
  )
  await insertStatuses(tx, companyId, planDays(office.userIds, calls, at))
  return { calls: written, sounds: calls.flatMap((call) => soundOf(call) ?? []) }
}

/** A user is rung by one call at a time: of two rings that overlap, the one that was answered is kept. */
function withoutDoubleRings(calls: readonly PastCall[]): PastCall[] {
  const kept = new Set<PastRing>()
  const all = calls.flatMap(({ rings }) => rings)
  const [answered, others] = [all.filter(isAnswered), all.filter((ring) => !isAnswered(ring))]
  const ofUser = new Map<number, PastRing[]>()
  for (const ring of [...answered, ...others]) {
    const known = ofUser.get(ring.userId) ?? []
    if (known.some((one) => one.startedAt <= ring.endedAt && ring.startedAt <= one.endedAt)) continue
    kept.add(ring)
    ofUser.set(ring.userId, [...known, ring])
  }
  return calls.map((call) => ({ ...call, rings: call.rings.filter((ring) => kept.has(ring)) }))
}

const isAnswered = ({ outcome }: PastRing) => outcome === 'answered'

async function castOf(tx: Tx, companyId: CompanyId, office: Office): Promise<Cast> {
  const { teams, tags } = await teamsAndTags(tx, companyId)
  const users = await usersById(tx, companyId, office.userIds)
  const customers = await customersByPhone(tx, companyId)
  const lines: PastLine[] = []
  for (const [index, line] of office.lines.entries()) {
    const start = line.flow.nodes[line.flow.start]
    const agent = start?.type === 'ai_agent' ? await findAgent(tx, companyId, start.agent_id) : undefined
    lines.push({
      ...line,
      teamId: ringTargets(line.flow).teams[0] ?? null,
      weight: weights[index] ?? 1,
      voiceAgent: agent ?? null,
    })
  }
  return {
    lines,
    phones: [...customers.keys()],
    customers,
    agents: new Map([...users.values()].map(({ id, firstName }) => [id, firstName])),
    teams,
    tags,
  }
}

/** Most calls arrive on the first two Numbers. */
const weights = [8, 5, 3, 3, 1]

/** Created after the rows are committed; a repeated run creates the same files. */
export interface PastSound {
  uuid: string
  kind: 'recording' | 'voicemail' | 'prompt'
  file: string
  /** URL of a prompt, for flows that play it. */
  url?: string
  ms: number
  lines: readonly Pick<TalkLine, 'by' | 'start' | 'end'>[]
}

/** Calls with a conversation have audio. */
function soundOf({ uuid, voicemailMs, record, talk }: PastCall): PastSound | undefined {
  const { answeredAt, endedAt } = record
  if (!talk || endedAt === null) return undefined
  const lines = talk.lines.map(({ by, start, end }) => ({ by, start, end }))
  const common = { uuid, file: `recordings/demo/${uuid}.mp3`, lines }
  if (voicemailMs !== null) return { ...common, kind: 'voicemail', ms: voicemailMs }
  const spoken = Math.ceil((talk.lines.at(-1)?.end ?? 0) + 1) * 1_000
  return { ...common, kind: 'recording', ms: Math.min(spoken, endedAt - (answeredAt ?? endedAt)) }
}

async function writeCall(results: ResultWriting, call: PastCall): Promise<number> {
  const { tx, companyId } = results
  const { record, uuid } = call
  const id = await insertCall(tx, companyId, { uuid, record })
  const sound = soundOf(call)
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
  if (call.session) await insertPastSession(tx, companyId, id, call.session)
  if (call.talk) await writeResults(results, id, call, call.talk)
  return id
}

const agentVoices = [112, 196]
const customerVoices = [132, 178]
const filesAtOnce = 8

export async function makeSounds(services: Services, sounds: readonly PastSound[]): Promise<void> {
  for (let i = 0; i < sounds.length; i += filesAtOnce) {
    await Promise.all(sounds.slice(i, i + filesAtOnce).map((sound) => makeSound(services, sound)))
  }
}

async function makeSound({ files, sounds }: Services, sound: PastSound): Promise<void> {
  const bytes = await murmured(sound)
  await files.put(sound.file, bytes)
  if (sound.url === undefined) return
  const prepared = await toUlaw8k(bytes)
  if ('ulaw' in prepared) await sounds.put(sound.url, prepared.ulaw)
}

/** One voice for each side, of which there are a few. */
function murmured({ kind, lines, ms, uuid }: PastSound): Promise<Buffer> {
  const place = Number.parseInt(uuid.slice(0, 2), 16)
  const voices = { agent: agentVoices[place % 2] ?? 112, customer: customerVoices[(place >> 1) % 2] ?? 132 }
  const parts: MurmuredPart[] = []
  let at = 0
  const until = (end: number, side: MurmuredPart['side'], voice: number | null) => {
    if (end > at) parts.push({ ms: end - at, side, voice })
    at = Math.max(at, end)
  }
  for (const { by, start, end } of lines) {
    const side = by === 'agent' ? 'left' : 'right'
    until(start * 1_000, side, null)
    until(end * 1_000, side, voices[by])
  }
  until(ms, 'left', null)
  return mp3OfMurmur(kind === 'recording' ? 2 : 1, parts)
}
