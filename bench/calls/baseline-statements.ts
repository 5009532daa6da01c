import type SqliteFile from 'libsql'
import type { AvailabilityStatus, AwayReason } from '../../src/domain/availability.ts'
import { day } from '../../src/lib/clock.ts'

type File = InstanceType<typeof SqliteFile>
export type Id = number | null

export type CallRow = [
  ...[id: number, uuid: string, direction: string, status: string, missed: string | null],
  ...[startedAt: number, answeredAt: Id, endedAt: Id, voicemail: string | null, recording: string | null],
  ...[external: string, display: string, userId: Id, archived: number, assignedTo: Id, transferredBy: Id],
  ...[transferredTo: Id, transferredOut: number, numberId: number, teams: string, parties: string],
  tags: [id: number, name: string, by: Id, at: number, color: string][],
  comments: [id: number, content: string, by: Id, at: number][],
]

export interface UserRow {
  id: number
  email: string
  first_name: string
  last_name: string
  language: string
  time_zone: string
  wrap_up_time: number
  extension: string
  availability_status: AvailabilityStatus
  reason: AwayReason | null
  default_number_id: Id
  working_hours: string | null
  confirmed_at: Id
  created_at: number
  sessions: number
}

export interface NumberRow {
  id: number
  name: string
  display: string
  country: string
  time_zone: string
  live_recording_activated: number
  priority: Id
  music_on_hold: string | null
  created_at: number
  document: string
}

export interface TeamRow {
  id: number
  name: string
  created_at: number
}

export interface ContactRow {
  digits: string
  id: number
  first_name: string | null
  last_name: string | null
  company_name: string | null
}

/** Prepared once; a page of calls comes with its total in one statement, and each kind of thing they name in one more. */
export function statements(db: File, companyId: number) {
  const notes = (columns: string, table: string, order: string) => `(
    select json_group_array(json_array(${columns}) order by ${order}) from ${table} where m.call_id = c.id)`
  const page = db.prepare<unknown[]>(
    `select
       (select count(*) from call where company_id = ${companyId} and started_at >= ?1 and started_at < ?2)
         + (select coalesce(sum(n), 0) from call_count where company_id = ${companyId} and day >= ?2 / ${day}) as total,
       json_group_array(
         json_array(c.id, c.uuid, c.direction, c.status, c.missed_call_reason, c.started_at, c.answered_at, c.ended_at,
           c.voicemail, c.recording, c.external, c.external_display, c.user_id, c.archived, c.assigned_to,
           c.transferred_by, c.transferred_to, c.transferred_out, c.number_id, c.team_ids, c.participants,
           ${notes('t.id, t.name, m.tagged_by, m.tagged_at, t.color', 'call_tag as m join tag as t on t.id = m.tag_id', 'm.tagged_at, t.id')},
           ${notes('m.id, m.content, m.posted_by, m.posted_at', 'call_comment as m', 'm.id')})
         order by c.started_at, c.id) as calls
     from (select id from call where company_id = ${companyId} and started_at >= ?1
       order by started_at, id limit 20 offset ?3) as page join call as c on c.id = page.id`,
  )
  const rows = <T>(sql: string) => {
    const statement = db.prepare<unknown[]>(sql)
    return (values: readonly unknown[]): T[] => {
      if (values.length === 0) return []
      const { found } = statement.get([JSON.stringify([...new Set(values)])]) as { found: string }
      return JSON.parse(found)
    }
  }
  const object = (columns: string) =>
    `json_object(${columns
      .split(/\s+/)
      .map((column) => `'${column.slice(column.indexOf('.') + 1)}', ${column}`)
      .join(', ')})`
  const given = '(select value from json_each(?))'

  return {
    page(since: number, offset: number): { total: number; calls: CallRow[] } {
      const nextDay = Math.ceil(since / day) * day
      const { total, calls } = page.get([since, nextDay, offset]) as { total: number; calls: string }
      return { total, calls: JSON.parse(calls) }
    },
    users: rows<UserRow>(
      `select json_group_array(${object(`id email first_name last_name language time_zone wrap_up_time extension
         availability_status reason default_number_id working_hours confirmed_at created_at sessions`)}) as found
       from "user" where id in ${given} and deleted_at is null`,
    ),
    numbers: rows<NumberRow>(
      `select json_group_array(${object(`n.id n.name n.display n.country n.time_zone n.live_recording_activated n.priority
         n.music_on_hold n.created_at f.document`)}) as found
       from number as n join flow_version as f on f.number_id = n.id and f.version = n.flow_version
       where n.id in ${given}`,
    ),
    teams: rows<TeamRow>(
      `select json_group_array(${object('id name created_at')}) as found from team where id in ${given}`,
    ),
    contacts: rows<ContactRow>(
      `select json_group_array(${object('p.digits c.id c.first_name c.last_name c.company_name')} order by c.id desc)
         as found
       from contact_phone as p join contact as c on c.id = p.contact_id
       where p.company_id = ${companyId} and p.digits in ${given}`,
    ),
  }
}
