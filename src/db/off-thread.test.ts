import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import SqliteFile from 'libsql'
import { afterAll, expect, test } from 'vitest'
import { OffThreadReader } from './off-thread.ts'

const folder = mkdtempSync(path.join(tmpdir(), 'hookswitch-off-thread-'))
const file = path.join(folder, 'a.db')
const db = new SqliteFile(file)
db.exec('pragma journal_mode = wal')
db.exec('create table t (id integer primary key, name text)')
db.exec("insert into t (name) values ('ada'), ('bo')")
const reader = new OffThreadReader(file)
afterAll(async () => {
  await reader.close()
  db.close()
  rmSync(folder, { recursive: true, force: true })
})

test('other work goes on while a second thread reads', async () => {
  const steps = 3_000_000
  let turns = 0
  const counting = setInterval(() => turns++, 1)

  const [row] = await reader.all<{ n: number }>(
    'with recursive s(n) as (select 1 union all select n + 1 from s where n < ?) select count(*) as n from s',
    [steps],
  )
  clearInterval(counting)

  expect(row?.n).toBe(steps)
  expect(turns).toBeGreaterThan(3)
})

test('it sees what was committed before it was asked', async () => {
  db.exec("insert into t (name) values ('cleo')")

  expect(await reader.all('select name from t where id > ? order by id', [1])).toEqual([
    { name: 'bo' },
    { name: 'cleo' },
  ])
})

test('a wrong statement is an error of its own, a write is refused, and the next read works', async () => {
  await expect(reader.all('select missing from t', [])).rejects.toThrow('no such column')
  await expect(reader.all("insert into t (name) values ('x') returning id", [])).rejects.toThrow(/readonly/)

  expect(await reader.all('select count(*) as n from t', [])).toEqual([{ n: 3 }])
})
