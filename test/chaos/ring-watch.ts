import { sql } from 'kysely'
import type { Db } from '../../src/db/database.ts'

// Several processes have several clocks, so times of rings cannot be compared between them. On PostgreSQL a trigger notes
// each ring that begins while another one of the same agent has not ended.

export async function watchRings(db: Db): Promise<void> {
  await sql`create table double_ring (user_id bigint not null, first bigint not null, second bigint not null)`.execute(
    db,
  )
  await sql`create function note_double_ring() returns trigger language plpgsql as $$
    begin
      insert into double_ring (user_id, first, second)
      select new.user_id, r.id, new.id from ring_attempt r
      where r.user_id = new.user_id and r.ended_at is null and r.id <> new.id;
      return null;
    end $$`.execute(db)
  await sql`create trigger double_ring after insert on ring_attempt for each row execute function note_double_ring()`.execute(
    db,
  )
}

export async function doubleRings(db: Db): Promise<string[]> {
  const { rows } = await sql<{ user_id: number; first: number; second: number }>`select * from double_ring`.execute(db)
  return rows.map(
    ({ user_id, first, second }) => `user ${user_id} was rung twice at once: rings ${first} and ${second}`,
  )
}
