import type { Db } from '../../src/db/database.ts'
import type { Received } from '../kit/receiver.ts'

// Checks an office after all calls have ended. Every problem is a sentence.

export interface Findings {
  calls: number
  answered: number
  rings: number
  statuses: number
  problems: string[]
}

interface PublishedEvent {
  name: string
  callId: number
}

export interface Scope {
  /** Calls after this one: a demo company comes with a history without events. */
  after?: number
  /** Whose times can be compared: several processes have several clocks. */
  compare?: 'all rings' | 'nothing'
}

export async function auditOffice(
  db: Db,
  companyId: number,
  { after = 0, compare = 'all rings' }: Scope = {},
): Promise<Findings> {
  const problems: string[] = []
  const calls = await db
    .selectFrom('call')
    .selectAll()
    .where('company_id', '=', companyId)
    .where('id', '>', after)
    .orderBy('id')
    .execute()
  const events = await callEvents(db, companyId)
  for (const call of calls) {
    const words = events.filter(({ callId }) => callId === call.id).map(({ name }) => name)
    problems.push(...problemsOfWords(words).map((problem) => `call ${call.id}: ${problem} (${words.join(' ')})`))
    if (call.status !== 'done') problems.push(`call ${call.id} is left in ${call.status}`)
    if (call.ended_at === null || call.ended_at < call.started_at) problems.push(`call ${call.id} has no right end`)
    if (call.answered_at !== null && call.missed_call_reason !== null)
      problems.push(`call ${call.id}: answered and missed`)
    const isMissed = call.direction === 'inbound' && call.answered_at === null
    if (isMissed && call.missed_call_reason === null) problems.push(`call ${call.id} was missed without a reason`)
  }
  problems.push(...(await leftovers(db)))
  const rings = await db.selectFrom('ring_attempt').selectAll().where('company_id', '=', companyId).execute()
  problems.push(...problemsOfRings(rings), ...(compare === 'nothing' ? [] : rivalRings(rings)))
  const statuses = await problemsOfStatuses(db, companyId)
  problems.push(...statuses.problems)
  const answered = calls.filter(({ answered_at }) => answered_at !== null).length
  return { calls: calls.length, answered, rings: rings.length, statuses: statuses.seen, problems }
}

async function callEvents(db: Db, companyId: number): Promise<PublishedEvent[]> {
  const rows = await db
    .selectFrom('event')
    .select(['name', 'resource_key'])
    .where('company_id', '=', companyId)
    .where('name', 'like', 'call.%')
    .orderBy('row_id')
    .execute()
  return rows.map(({ name, resource_key }) => ({
    name: name.replace('call.', ''),
    callId: Number(resource_key.split(':')[1]),
  }))
}

const afterHangup = new Set([
  ...['ended', 'commented', 'tagged', 'untagged', 'archived', 'unarchived', 'assigned'],
  ...['voicemail_left', 'comm_assets_generated'],
])

/** Checks the events of one call, in order. */
export function problemsOfWords(words: readonly string[]): string[] {
  const problems: string[] = []
  const times = (word: string) => words.filter((one) => one === word).length
  for (const word of ['created', 'hungup', 'ended']) {
    if (times(word) !== 1) problems.push(`${word} was published ${times(word)} times`)
  }
  for (const word of ['answered', 'voicemail_left', 'comm_assets_generated']) {
    if (times(word) > 1) problems.push(`${word} was published ${times(word)} times`)
  }
  if (words[0] !== 'created') problems.push('created was not published first')
  const hungUp = words.indexOf('hungup')
  if (words.indexOf('ended') < hungUp) problems.push('ended was published before hungup')
  const late = words.slice(hungUp + 1).find((word) => !afterHangup.has(word))
  if (late !== undefined) problems.push(`${late} was published after hungup`)
  return problems
}

async function leftovers(db: Db): Promise<string[]> {
  const waiting = await db.selectFrom('callback_request').select('id').where('state', '=', 'waiting').execute()
  const allowed = new Set(waiting.map(({ id }) => id))
  const live = await db.selectFrom('live_call').select('key').execute()
  const parties = await db.selectFrom('live_party').select(['key', 'user_id']).execute()
  const kept = await db.selectFrom('ring_reservation').select(['key', 'user_id']).execute()
  const places = await db.selectFrom('queue_place').select('key').execute()
  const busy = await db.selectFrom('user').select(['id', 'in_call']).where('in_call', '!=', 0).execute()
  return [
    ...live.map(({ key }) => `${key} is still live`),
    ...parties.map(({ key, user_id }) => `user ${user_id} is still on ${key}`),
    ...kept.map(({ key, user_id }) => `user ${user_id} is still reserved for ${key}`),
    ...places.filter(({ key }) => !allowed.has(key)).map(({ key }) => `${key} still stands in the queue`),
    ...busy.map(({ id, in_call }) => `user ${id} is still on ${in_call} calls`),
  ]
}

interface Ring {
  id: number
  user_id: number
  call_id: number | null
  started_at: number
  ended_at: number | null
  outcome: string | null
}

const problemsOfRings = (rings: readonly Ring[]): string[] =>
  rings
    .filter(({ ended_at, outcome }) => ended_at === null || outcome === null)
    .map(({ id, call_id }) => `ring ${id} of call ${call_id} has no outcome`)

function rivalRings(rings: readonly Ring[]): string[] {
  const problems: string[] = []
  for (const ring of rings) {
    const { id, user_id, started_at, ended_at } = ring
    const rival = rings.find(
      (other) =>
        other.id > id &&
        other.user_id === user_id &&
        other.started_at < (ended_at ?? Number.POSITIVE_INFINITY) &&
        started_at < (other.ended_at ?? Number.POSITIVE_INFINITY),
    )
    if (rival) problems.push(`user ${user_id} was rung twice at once: ${span(ring)}, ${span(rival)}`)
  }
  return problems
}

const span = ({ call_id, started_at, ended_at, outcome }: Ring) =>
  `by call ${call_id} from ${started_at} to ${ended_at} (${outcome})`

async function problemsOfStatuses(db: Db, companyId: number): Promise<{ seen: number; problems: string[] }> {
  const problems: string[] = []
  const rows = await db
    .selectFrom('user_status')
    .select(['user_id', 'at', 'granular'])
    .where('company_id', '=', companyId)
    .orderBy('id')
    .execute()
  const last = new Map<number, { at: number; granular: string }>()
  for (const { user_id, at, granular } of rows) {
    const before = last.get(user_id)
    if (before?.granular === granular) problems.push(`user ${user_id} became ${granular} twice`)
    if (before && before.at > at) problems.push(`the states of user ${user_id} are out of order`)
    last.set(user_id, { at, granular })
  }
  for (const { id, granular } of await db.selectFrom('user').select(['id', 'granular']).execute()) {
    const known = last.get(id)
    if (known && known.granular !== granular)
      problems.push(`user ${id} is ${granular}, but was noted as ${known.granular}`)
  }
  return { seen: rows.length, problems }
}

/** Per call, requests come in the order in which the events were written. */
export async function problemsOfDelivery(db: Db, companyId: number, got: readonly Received[]): Promise<string[]> {
  const events = await callEvents(db, companyId)
  const published = new Map<number, string[]>()
  for (const { callId, name } of events) published.set(callId, [...(published.get(callId) ?? []), name])
  const arrived = new Map<number, string[]>()
  for (const { body } of got) {
    if (body.resource !== 'call') continue
    const name = String(body.event).replace('call.', '')
    arrived.set(body.data.id, [...(arrived.get(body.data.id) ?? []), name])
  }
  return [...published].flatMap(([callId, names]) => {
    const came = arrived.get(callId) ?? []
    return came.join(' ') === names.join(' ') ? [] : [`call ${callId}: ${came.join(' ')} came for ${names.join(' ')}`]
  })
}
