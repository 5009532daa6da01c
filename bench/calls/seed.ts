import path from 'node:path'
import SqliteFile from 'libsql'
import { day, minute, second } from '../../src/lib/clock.ts'
import { describeNumber } from '../../src/lib/phone-format.ts'
import { type Random, seededRandom } from '../../src/lib/random.ts'

type File = InstanceType<typeof SqliteFile>

/** What a search finds only few of. */
export interface Rare {
  phone: string
  tagId: number
}

const span = 150 * day
/** The outside party calls about so often. */
const callsOfStranger = 12
const callsWithRareTag = 50
const together = 50_000

/** Calls of the demo company, evenly over five months, with what an office makes of them. No server may run meanwhile. */
export async function seedCalls(dataDir: string, count: number): Promise<Rare> {
  const db = new SqliteFile(path.join(dataDir, 'hookswitch.db'))
  for (const pragma of ['journal_mode = wal', 'synchronous = off', 'cache_size = -512000']) db.exec(`pragma ${pragma}`)
  const cast = await castOf(db)
  const write = writer(db, cast, count)
  const random = seededRandom(1)
  const begin = Date.now() - span
  for (let from = 0; from < count; from += together) {
    db.exec('begin')
    for (let i = from; i < Math.min(from + together, count); i++) {
      const startedAt = begin + Math.floor(((i + random.next()) / count) * (span - day))
      write(i, startedAt, random)
    }
    db.exec('commit')
  }
  countByDay(db, cast.companyId, cast.lastId)
  db.exec('pragma wal_checkpoint(truncate)')
  db.close()
  return { phone: strangerAt(7).phone, tagId: cast.rareTag }
}

interface Party {
  phone: string
  display: string
}

interface Cast {
  companyId: number
  users: number[]
  numbers: number[]
  teams: number[]
  tags: number[]
  rareTag: number
  contacts: Party[]
  /** Of the calls that are there already. */
  lastId: number
}

async function castOf(db: File): Promise<Cast> {
  const [{ companyId } = { companyId: 0 }] = rowsOf<{ companyId: number }>(
    db,
    "select id as companyId from company where name = 'Demo Company'",
  )
  const ids = (table: string) =>
    rowsOf<{ id: number }>(db, `select id from "${table}" where company_id = ${companyId} order by id`).map(
      ({ id }) => id,
    )
  const tags = ids('tag')
  const made = db
    .prepare<unknown[]>(`insert into tag (company_id, name, color, description, created_at) values (?, ?, ?, ?, ?)`)
    .run([companyId, 'Rare', '#000000', null, Date.now()])
  const phones = rowsOf<{ digits: string }>(
    db,
    `select distinct digits from contact_phone where company_id = ${companyId} order by digits`,
  )
  return {
    companyId,
    users: ids('user'),
    numbers: ids('number'),
    teams: ids('team'),
    tags,
    rareTag: Number(made.lastInsertRowid),
    contacts: await Promise.all(phones.map(async ({ digits }) => partyOf(`+${digits}`))),
    lastId: Math.max(0, ...ids('call')),
  }
}

const rowsOf = <T>(db: File, sql: string) => db.prepare<unknown[]>(sql).all([]) as T[]

const partyOf = async (phone: string): Promise<Party> => ({ phone, display: (await describeNumber(phone)).display })

function strangerAt(n: number): Party {
  const digits = String(100_000 + n)
  return { phone: `+33199${digits}`, display: `+33 1 99 ${digits.replace(/(..)(..)(..)/, '$1 $2 $3')}` }
}

function writer(db: File, cast: Cast, count: number) {
  const { companyId, users, numbers, teams, tags, contacts } = cast
  const strangers = Math.ceil((0.6 * count) / callsOfStranger)
  const rareEvery = Math.ceil(count / callsWithRareTag)
  const insertCall = db.prepare<unknown[]>(
    `insert into call (id, company_id, uuid, direction, number_id, external, external_display, external_digits, status,
       missed_call_reason, hangup_cause, started_at, answered_at, ended_at, user_id, assigned_to, transferred_by,
       transferred_to, transferred_out, team_ids, participants, ivr_options, archived, recording, recording_ms, told)
     values (?, ${companyId}, ?, ?, ?, ?, ?, ?, 'done', ?, 'normal_clearing', ?, ?, ?, ?, ?, ?, ?, 0, ?, ?, '[]', ?, ?, ?,
       'all')`,
  )
  const insertTag = db.prepare<unknown[]>(
    `insert into call_tag (call_id, tag_id, company_id, started_at, tagged_by, tagged_at)
     values (?, ?, ${companyId}, ?, ?, ?)`,
  )
  const insertComment = db.prepare<unknown[]>(
    `insert into call_comment (call_id, company_id, content, posted_by, posted_at)
     values (?, ${companyId}, 'Will call again tomorrow', ?, ?)`,
  )

  return (i: number, startedAt: number, random: Random) => {
    const id = cast.lastId + 1 + i
    const isOutbound = random.next() < 0.3
    const isAnswered = random.next() < 0.75
    const answeredAt = isAnswered ? startedAt + random.integer(3, 25) * second : null
    const endedAt = (answeredAt ?? startedAt) + random.integer(10, 600) * second
    const { phone, display } =
      random.next() < 0.4 ? random.pick(contacts) : strangerAt(random.integer(0, strangers - 1))
    const first = isOutbound || isAnswered ? random.pick(users) : null
    const next = first !== null && random.next() < 0.07 ? random.pick(users) : null
    const userId = next ?? first
    const uuid = uuidOf(random)
    const recording = isAnswered && random.next() < 0.3 ? `recordings/bench/${uuid}.mp3` : null
    insertCall.run([
      ...[id, uuid, isOutbound ? 'outbound' : 'inbound', random.pick(numbers), phone, display, phone.slice(1)],
      ...[isOutbound || isAnswered ? null : 'agents_did_not_answer', startedAt, answeredAt, endedAt],
      ...[userId, next, next === null ? null : first, next, isOutbound ? '[]' : `[${random.pick(teams)}]`],
      ...[partiesOf(phone, first, next), random.next() < 0.5 ? 1 : 0, recording, recording && endedAt - startedAt],
    ])
    const notedAt = endedAt + minute
    if (random.next() < 0.3) insertTag.run([id, random.pick(tags), startedAt, userId, notedAt])
    if (i % rareEvery === 0) insertTag.run([id, cast.rareTag, startedAt, userId, notedAt])
    if (random.next() < 0.15) insertComment.run([id, userId, notedAt])
  }
}

function partiesOf(phone: string, first: number | null, next: number | null): string {
  const people = [first, next].filter((userId) => userId !== null)
  return JSON.stringify([{ kind: 'external', phone }, ...people.map((userId) => ({ kind: 'user', userId }))])
}

function uuidOf(random: Random): string {
  const word = () => random.integer(0, 0xffff_ffff).toString(16).padStart(8, '0')
  const [a, b, c, d] = [word(), word(), word(), word()]
  return `${a}-${b.slice(4)}-4${b.slice(1, 4)}-a${c.slice(5)}-${c.slice(0, 4)}${d}`
}

function countByDay(db: File, companyId: number, after: number): void {
  db.prepare<unknown[]>(
    `insert into call_count as c (company_id, day, direction, n)
     select company_id, started_at / ${day}, direction, count(*) from call where company_id = ? and id > ? group by 2, 3
     on conflict (company_id, day, direction) do update set n = c.n + excluded.n`,
  ).run([companyId, after])
}
