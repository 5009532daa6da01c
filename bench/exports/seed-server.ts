import pg from 'pg'
import { type PostgresServer, startPostgres } from '../../test/kit/postgres.ts'
import { print } from '../kit.ts'
import { startProduct } from '../servers.ts'

/** A throw-away PostgreSQL with the demo company and so many calls over five months; undefined where there is none. */
export async function seedServer(folder: string, many: number): Promise<PostgresServer | undefined> {
  const server = await startPostgres()
  if (!server) return undefined
  await (await startProduct(folder, { env: { DATABASE_URL: server.url } })).stop()
  const started = performance.now()
  const client = new pg.Client({ connectionString: server.url })
  await client.connect()
  await client.query(
    `insert into call (company_id, uuid, direction, number_id, external, external_display, external_digits, status,
       missed_call_reason, hangup_cause, started_at, answered_at, ended_at, user_id, transferred_out, team_ids,
       participants, ivr_options, archived, told)
     select 1, gen_random_uuid()::text, case when i % 10 < 3 then 'outbound' else 'inbound' end,
       (select min(id) from number where company_id = 1) + i % 3, '+33199' || 100000 + i % 50000, '',
       '33199' || 100000 + i % 50000, 'done', case when i % 10 >= 3 and i % 4 = 0 then 'agents_did_not_answer' end,
       'normal_clearing', at, case when i % 4 > 0 then at + 3000 + i % 20000 end, at + 30000 + i % 600000,
       case when i % 4 > 0 or i % 10 < 3 then (select min(id) from "user" where company_id = 1) + i % 8 end, 0,
       '[' || (select min(id) from team where company_id = 1) || ']', '[]', '[]', 0, 'all'
     from (select i::bigint, ($1::bigint - 150 * 86400000::bigint + i * 149 * 86400000::bigint / $2::bigint) as at
       from generate_series(1, $2::bigint) as i) as calls`,
    [Date.now(), many],
  )
  await client.query(
    `insert into call_tag (call_id, tag_id, company_id, started_at, tagged_by, tagged_at)
     select id, (select min(id) from tag where company_id = 1), 1, started_at, null, started_at from call where id % 10 < 3
     on conflict do nothing`,
  )
  await client.query('analyze')
  await client.end()
  print(`PostgreSQL: ${many} calls seeded in ${((performance.now() - started) / 1_000).toFixed(1)} s`)
  return server
}
