import { type Selectable, sql } from 'kysely'
import type { Db } from '../../../db/database.ts'
import { idsFromJson, jsonArray, jsonObject, jsonRows, lockRow, unindexed } from '../../../db/dialect.ts'
import { hotQuery } from '../../../db/hot-query.ts'
import type { JsonSubquery } from '../../../db/piece.ts'
import type { CompanyId, NumberTable } from '../../../db/tables.ts'
import type { Flow } from '../../../domain/flow/document.ts'
import { readFlow } from '../../../domain/flow/parse.ts'
import { ringTargets, withoutTarget } from '../../../domain/flow/references.ts'
import type { Window } from '../../../http/paging.ts'

export interface PhoneNumber {
  id: number
  companyId: CompanyId
  digits: string
  display: string
  name: string
  country: string
  timeZone: string
  language: string
  recording: boolean
  priority: number | null
  /** true: a flow number, drawn freely; false: a classic number of fixed shape. */
  flowEditor: boolean
  validated: boolean
  musicOnHold: string | null
  ringSimultaneousSeconds: number
  ringOneByOneSeconds: number
  /** Voicemails are sent to the users of the Number by e-mail. */
  voicemailEmails: boolean
  registrationStatus: string
  registrationUpdatedAt: number
  createdAt: number
  /** The live version. */
  flow: Flow
}

const columns = [
  'id',
  'company_id',
  'digits',
  'display',
  'name',
  'country',
  'time_zone',
  'language',
  'live_recording_activated',
  'priority',
  'flow_editor_enabled',
  'validated',
  'music_on_hold',
  'ring_simultaneous_seconds',
  'ring_one_by_one_seconds',
  'voicemail_email',
  'registration_status',
  'registration_updated_at',
  'created_at',
] as const

type Row = Selectable<Pick<NumberTable, (typeof columns)[number]>>

const toNumber = (row: Row, document: string): PhoneNumber => ({
  id: row.id,
  companyId: row.company_id,
  digits: row.digits,
  display: row.display,
  name: row.name,
  country: row.country,
  timeZone: row.time_zone,
  language: row.language,
  recording: row.live_recording_activated === 1,
  priority: row.priority,
  flowEditor: row.flow_editor_enabled === 1,
  validated: row.validated === 1,
  musicOnHold: row.music_on_hold,
  ringSimultaneousSeconds: row.ring_simultaneous_seconds,
  ringOneByOneSeconds: row.ring_one_by_one_seconds,
  voicemailEmails: row.voicemail_email === 1,
  registrationStatus: row.registration_status,
  registrationUpdatedAt: row.registration_updated_at,
  createdAt: row.created_at,
  flow: parsedFlow(document),
})

const knownFlows = new Map<string, Flow>()

/** A version never changes, and every call, User and event that names a Number asks for it. */
export function parsedFlow(document: string): Flow {
  const known = knownFlows.get(document)
  if (known) return known
  const flow = readFlow(document)
  if (knownFlows.size >= 1_000) knownFlows.clear()
  knownFlows.set(document, flow)
  return flow
}

export const withFlow = (db: Db, companyId: CompanyId) =>
  // Always asked for by digits, so the company is checked and not searched by.
  db
    .selectFrom('number')
    .innerJoin('flow_version', (join) =>
      join.onRef('flow_version.number_id', '=', 'number.id').onRef('flow_version.version', '=', 'number.flow_version'),
    )
    .where(unindexed('number.company_id'), '=', companyId)
    .select(columns.map((name) => `number.${name}` as const))
    .select('flow_version.document')

export async function findNumber(db: Db, companyId: CompanyId, id: number): Promise<PhoneNumber | undefined> {
  const [number] = await numbersById(db, companyId, [id])
  return number
}

/** Locked until the transaction ends: versions of a flow have no gap. */
export async function lockNumber(db: Db, companyId: CompanyId, id: number): Promise<PhoneNumber | undefined> {
  const mine = db.selectFrom('number').select('id').where('company_id', '=', companyId).where('id', '=', id)
  if (!(await lockRow(db, mine).executeTakeFirst())) return undefined
  return findNumber(db, companyId, id)
}

export async function numbersById(db: Db, companyId: CompanyId, ids: readonly number[]): Promise<PhoneNumber[]> {
  if (ids.length === 0) return []
  const [found] = await byIds(db, { companyId, ids: JSON.stringify([...new Set(ids)]) })
  return numbersAmong.read(found?.numbers ?? '[]')
}

const byIds = hotQuery((db, { companyId, ids }: { companyId: CompanyId; ids: string }) =>
  sql<{ numbers: string }>`select ${numbersAmong.value(db, companyId, ids)} as numbers`.compile(db),
)

/** By their ids. */
export const numbersAmong: JsonSubquery<PhoneNumber[]> = {
  value(db, companyId, ids) {
    const each = jsonArray(db, sql`${jsonObject(db, 'n', columns)}, f.document`)
    return sql`(select cast(${jsonRows(db, each, sql`n.id`)} as text)
      from number as n join flow_version as f on f.number_id = n.id and f.version = n.flow_version
      where n.id in ${idsFromJson(db, ids)} and +n.company_id = ${companyId})`
  },
  read(value) {
    const rows: [Row, string][] = JSON.parse(value)
    return rows.map(([row, document]) => toNumber(row, document))
  },
}

/** Numbers that were deleted, as they were then. */
export async function findPastNumbers(db: Db, companyId: CompanyId, ids: readonly number[]): Promise<PhoneNumber[]> {
  if (ids.length === 0) return []
  const rows = await pastByIds(db, { companyId, ids: JSON.stringify(ids) })
  return rows.map(({ data }) => {
    const [row, document]: [Row, string] = JSON.parse(data)
    return toNumber(row, document)
  })
}

const pastByIds = hotQuery((db, { companyId, ids }: { companyId: CompanyId; ids: string }) =>
  db
    .selectFrom('past_number')
    .select('data')
    .where(unindexed('company_id'), '=', companyId)
    .where('id', 'in', idsFromJson(db, ids))
    .compile(),
)

/** Names of the Numbers that were deleted. */
export async function pastNumberNames(db: Db, companyId: CompanyId): Promise<Map<number, string>> {
  const rows = await db.selectFrom('past_number').select(['id', 'data']).where('company_id', '=', companyId).execute()
  return new Map(
    rows.map(({ id, data }) => {
      const [row]: [Row, string] = JSON.parse(data)
      return [id, row.name]
    }),
  )
}

export async function pageOfNumbers(db: Db, companyId: CompanyId, window: Window, among?: readonly number[]) {
  let mine = db.selectFrom('number').where('company_id', '=', companyId)
  if (window.from !== undefined) mine = mine.where('created_at', '>=', window.from)
  if (window.to !== undefined) mine = mine.where('created_at', '<=', window.to)
  if (among) mine = mine.where('id', 'in', among.length > 0 ? [...among] : [0])
  const { total } = await mine.select(({ fn }) => fn.countAll<number>().as('total')).executeTakeFirstOrThrow()
  const ids = await mine
    .select('id')
    .orderBy('created_at', window.order)
    .orderBy('id', window.order)
    .limit(window.limit)
    .offset(window.offset)
    .execute()
  const byId = new Map(
    (
      await numbersById(
        db,
        companyId,
        ids.map(({ id }) => id),
      )
    ).map((number) => [number.id, number]),
  )
  return { numbers: ids.flatMap(({ id }) => byId.get(id) ?? []), total }
}

export type NumberChange = Partial<Omit<NumberTable, 'id' | 'company_id' | 'digits' | 'display' | 'created_at'>>

export async function updateNumber(db: Db, companyId: CompanyId, id: number, change: NumberChange): Promise<void> {
  if (Object.keys(change).length === 0) return
  await db.updateTable('number').set(change).where('company_id', '=', companyId).where('id', '=', id).execute()
}

/** A new immutable version becomes the live one. */
export async function publishFlow(
  db: Db,
  companyId: CompanyId,
  numberId: number,
  flow: Flow,
  version: number,
  at: number,
): Promise<void> {
  const document = JSON.stringify({ ...flow, version })
  await db
    .insertInto('flow_version')
    .values({ number_id: numberId, version, company_id: companyId, document, created_at: at })
    .execute()
  await updateNumber(db, companyId, numberId, { flow_version: version })
  await replaceTargets(db, companyId, numberId, flow)
}

async function replaceTargets(db: Db, companyId: CompanyId, numberId: number, flow: Flow): Promise<void> {
  await db.deleteFrom('number_target').where('company_id', '=', companyId).where('number_id', '=', numberId).execute()
  const { users, teams } = ringTargets(flow)
  const rows = [
    ...users.map((id) => ({ kind: 'user' as const, target_id: id })),
    ...teams.map((id) => ({ kind: 'team' as const, target_id: id })),
  ].map((target) => ({ ...target, number_id: numberId, company_id: companyId }))
  if (rows.length > 0) await db.insertInto('number_target').values(rows).execute()
}

/** Numbers whose live flow rings this user or team, in the order in which they are locked. */
export async function numbersRinging(db: Db, companyId: CompanyId, target: { type: 'user' | 'team'; id: number }) {
  const rows = await db
    .selectFrom('number_target')
    .select('number_id')
    .where('company_id', '=', companyId)
    .where('kind', '=', target.type)
    .where('target_id', '=', target.id)
    .orderBy('number_id')
    .execute()
  return rows.map(({ number_id }) => number_id)
}

interface Link {
  numberId: number
  userId: number
}

/** Who is linked to what: the explicit list, users named in ring-to widgets, members of teams named there. */
export async function links(
  db: Db,
  companyId: CompanyId,
  of: { numbers: readonly number[] } | { users: readonly number[] },
): Promise<Link[]> {
  const ids = 'numbers' in of ? [...of.numbers] : [...of.users]
  if (ids.length === 0) return []
  const byNumber = 'numbers' in of
  const explicit = await db
    .selectFrom('number_user')
    .select(['number_id as numberId', 'user_id as userId'])
    .where('company_id', '=', companyId)
    .where(byNumber ? 'number_id' : 'user_id', 'in', ids)
    .execute()
  const named = await db
    .selectFrom('number_target')
    .select(['number_id as numberId', 'target_id as userId'])
    .where('company_id', '=', companyId)
    .where('kind', '=', 'user')
    .where(byNumber ? 'number_id' : 'target_id', 'in', ids)
    .execute()
  const members = await db
    .selectFrom('number_target')
    .innerJoin('team_member', 'team_member.team_id', 'number_target.target_id')
    .select(['number_target.number_id as numberId', 'team_member.user_id as userId'])
    .where('number_target.company_id', '=', companyId)
    .where('number_target.kind', '=', 'team')
    .where(byNumber ? 'number_target.number_id' : 'team_member.user_id', 'in', ids)
    .execute()
  return [...explicit, ...named, ...members]
}

/** Ids on the other side of the links, each once and in order. */
export async function linkedUserIds(db: Db, companyId: CompanyId, numberIds: readonly number[]) {
  return grouped(await links(db, companyId, { numbers: numberIds }), ({ numberId, userId }) => [numberId, userId])
}

export async function linkedNumberIds(db: Db, companyId: CompanyId, userIds: readonly number[]) {
  return grouped(await links(db, companyId, { users: userIds }), ({ numberId, userId }) => [userId, numberId])
}

function grouped(all: Link[], sides: (link: Link) => [key: number, value: number]): Map<number, number[]> {
  const sets = new Map<number, Set<number>>()
  for (const link of all) {
    const [key, value] = sides(link)
    sets.set(key, (sets.get(key) ?? new Set()).add(value))
  }
  return new Map([...sets].map(([key, values]) => [key, [...values].sort((a, b) => a - b)]))
}

/** A user or team that is deleted leaves the ring-to widgets of live flows; each change is a new version. */
export async function removeTarget(
  db: Db,
  companyId: CompanyId,
  target: { type: 'user' | 'team'; id: number },
  at: number,
): Promise<void> {
  for (const numberId of await numbersRinging(db, companyId, target)) {
    const number = await lockNumber(db, companyId, numberId)
    const flow = number && withoutTarget(number.flow, target)
    if (flow) await publishFlow(db, companyId, numberId, flow, number.flow.version + 1, at)
  }
}

export async function findNumberByDigits(db: Db, companyId: CompanyId, digits: string) {
  const row = await withFlow(db, companyId).where('number.digits', '=', digits).executeTakeFirst()
  return row && toNumber(row, row.document)
}

export async function ownsDigits(db: Db, companyId: CompanyId, digits: string): Promise<boolean> {
  const row = await db
    .selectFrom('number')
    .select('id')
    .where('company_id', '=', companyId)
    .where('digits', '=', digits)
    .executeTakeFirst()
  return row !== undefined
}

/** Of its oldest Number. */
export async function homeCountry(db: Db, companyId: CompanyId): Promise<string | null> {
  const row = await db
    .selectFrom('number')
    .select('country')
    .where('company_id', '=', companyId)
    .orderBy('id')
    .executeTakeFirst()
  return row?.country ?? null
}

export async function ownCountries(db: Db, companyId: CompanyId): Promise<string[]> {
  const rows = await db.selectFrom('number').select('country').distinct().where('company_id', '=', companyId).execute()
  return rows.map(({ country }) => country)
}

/** An outside party dials digits and knows no company. */
export async function numberByDigits(
  db: Db,
  digits: string,
): Promise<{ id: number; companyId: CompanyId } | undefined> {
  const [row] = await dialled(db, { digits })
  return row && { id: row.id, companyId: row.company_id }
}

const dialled = hotQuery((db, v: { digits: string }) =>
  db.selectFrom('number').select(['id', 'company_id']).where('digits', '=', v.digits).compile(),
)
