import path from 'node:path'
import SqliteFile from 'libsql'
import { temporaryFolder } from '../servers.ts'

/** What the disk allows: transactions of one row of 3 kB per second, each waited for as the product waits. */
export function durableCommits(count: number): number {
  const db = new SqliteFile(path.join(temporaryFolder(), 'commits.db'))
  for (const pragma of ['journal_mode = wal', 'synchronous = full']) db.exec(`pragma ${pragma}`)
  db.exec('create table row (id integer primary key, data text not null)')
  const insert = db.prepare<unknown[]>('insert into row (data) values (?)')
  const data = 'x'.repeat(3_000)
  const started = performance.now()
  for (let n = 0; n < count; n++) {
    db.exec('begin immediate')
    insert.run([data])
    db.exec('commit')
  }
  const seconds = (performance.now() - started) / 1_000
  db.close()
  return count / seconds
}
