import { spawn } from 'node:child_process'
import { once } from 'node:events'
import path from 'node:path'
import SqliteFile from 'libsql'
import { expect, onTestFinished, test } from 'vitest'
import { temporaryFolder } from '../../test/kit/databases.ts'
import { migrated, onBothStores } from '../../test/kit/stores.ts'
import { openEmbedded } from './embedded.ts'
import { DatabaseInUse } from './errors.ts'

/** A second process that opens the store; resolves with its first line of output. */
async function holdInChild(folder: string) {
  const script = `import { openEmbedded } from ${JSON.stringify(path.resolve('src/db/embedded.ts'))}
    openEmbedded(process.argv[1]).then(() => { console.log('open'); setInterval(() => {}, 1000) },
      (error) => { console.log(error.constructor.name); process.exit(0) })`
  const args = ['--import', 'tsx', '--input-type=module', '-e', script, folder]
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] })
  onTestFinished(() => void child.kill('SIGKILL'))
  const [said] = await once(child.stdout, 'data')
  return { said: String(said).trim(), child }
}

test('a store that another process holds is refused, until that process was killed', async () => {
  const folder = await temporaryFolder()
  const { said, child } = await holdInChild(folder)

  const refused = openEmbedded(folder)

  expect(said).toBe('open')
  await expect(refused).rejects.toThrow(DatabaseInUse)
  child.kill('SIGKILL')
  await once(child, 'exit')
  await (await openEmbedded(folder)).close()
})

test('a store that is open here is refused to another process', async () => {
  const folder = await temporaryFolder()
  const mine = await openEmbedded(folder)

  const { said } = await holdInChild(folder)

  expect(said).toBe('DatabaseInUse')
  await mine.close()
})

onBothStores('a copy', (empty) => {
  test('holds everything committed, and nothing of a transaction that is still open', async () => {
    const database = await migrated(await empty())
    if (!database.copyTo) return expect(database.shared).toBe(true)
    const target = path.join(await temporaryFolder(), 'copy.db')
    const { db, copyTo } = database
    await db.insertInto('setting').values({ key: 'committed', value: '1' }).execute()

    await db.transaction().execute(async (tx) => {
      await tx.insertInto('setting').values({ key: 'open', value: '1' }).execute()
      await copyTo(target)
    })

    const copy = new SqliteFile(target)
    expect(copy.prepare('select key from setting').all()).toMatchObject([{ key: 'committed' }])
    copy.close()
  })
})
