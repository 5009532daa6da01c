import { once } from 'node:events'
import { createWriteStream } from 'node:fs'
import path from 'node:path'
import SqliteFile from 'libsql'
import pg from 'pg'
import { temporaryFolder } from '../servers.ts'

// The simplest implementation: one SELECT, and a loop that writes each row as a line.

const columns = (
  tags: string,
) => `c.id, c.direction, c.started_at, c.answered_at, c.ended_at, c.number_id, n.name as number,
  c.external_digits, c.user_id, u.first_name || ' ' || u.last_name as person, c.team_ids, c.missed_call_reason, c.voicemail,
  (select ${tags} from call_tag m join tag t on t.id = m.tag_id where m.call_id = c.id) as tags, c.ivr_options`
const from = `from call c left join number n on n.id = c.number_id left join "user" u on u.id = c.user_id`

type Row = Record<string, string | number | null>

export async function plainExport(folder: string): Promise<{ rows: number; seconds: number }> {
  const db = new SqliteFile(path.join(folder, 'hookswitch.db'))
  const sql = `select ${columns("group_concat(t.name, '; ')")} ${from} where c.company_id = 1 order by c.started_at, c.id`
  const rows = db.prepare<unknown[]>(sql).iterate([]) as Iterable<Row>
  const measured = await written(rows)
  db.close()
  return measured
}

const batch = 5_000

export async function plainExportOfServer(url: string): Promise<{ rows: number; seconds: number }> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  async function* rows(): AsyncGenerator<Row> {
    await client.query('begin')
    await client.query(
      `declare c cursor for select ${columns("string_agg(t.name, '; ')")} ${from}
       where c.company_id = 1 order by c.started_at, c.id`,
    )
    for (;;) {
      const { rows } = await client.query(`fetch ${batch} from c`)
      yield* rows
      if (rows.length < batch) return
    }
  }
  const measured = await written(rows())
  await client.end()
  return measured
}

async function written(rows: Iterable<Row> | AsyncIterable<Row>): Promise<{ rows: number; seconds: number }> {
  const started = performance.now()
  const file = createWriteStream(path.join(temporaryFolder(), 'plain.csv'))
  let n = 0
  let held = ''
  for await (const row of rows) {
    held += lineOf(row)
    n++
    if (held.length < 262_144) continue
    if (!file.write(held)) await once(file, 'drain')
    held = ''
  }
  file.end(held)
  await once(file, 'finish')
  return { rows: n, seconds: (performance.now() - started) / 1_000 }
}

function lineOf(row: Row): string {
  const [started, answered, ended] = [Number(row.started_at), numberOrNull(row.answered_at), numberOrNull(row.ended_at)]
  const cells = [
    ...[
      row.id,
      row.direction,
      time(started),
      time(answered),
      time(ended),
      ended && Math.floor((ended - started) / 1_000),
    ],
    ...[row.number_id, quoted(row.number), row.external_digits, row.user_id, quoted(row.person), quoted(row.team_ids)],
    ...[answered !== null, row.missed_call_reason, row.voicemail !== null, quoted(row.tags)],
    ...[
      answered && Math.floor((answered - started) / 1_000),
      answered && ended && Math.floor((ended - answered) / 1_000),
    ],
    ...[quoted(row.ivr_options), '', ''],
  ]
  return `${cells.map((cell) => cell ?? '').join(',')}\r\n`
}

const numberOrNull = (value: unknown) => (value === null || value === undefined ? null : Number(value))
const time = (at: number | null) => (at === null ? '' : new Date(at).toISOString())
const quoted = (cell: unknown) =>
  /[",\r\n]/.test(String(cell ?? '')) ? `"${String(cell).replaceAll('"', '""')}"` : cell
