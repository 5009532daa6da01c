import { randomBytes } from 'node:crypto'
import { existsSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { describe, expect, inject, test } from 'vitest'
import { exitStatusOf } from '../../src/cli/failure.ts'

import { emptyStore, inData, type Kind, newFile, seeded, withApp } from './installation.ts'
import { type Env, hookswitch } from './program.ts'

const someKey = () => randomBytes(32).toString('base64')

/** The exit code and the text with which a start ends. */
const startOf = (env: Env) =>
  withApp(env, async () => ({ exitCode: 0, message: 'started' })).catch((error: unknown) => exitStatusOf(error))

for (const kind of ['embedded', 'postgres'] as Kind[]) {
  describe.skipIf(kind === 'postgres' && inject('postgres') === null)(`the installation key (${kind})`, () => {
    test('a start without the key of an existing database is refused, and makes no new key', async () => {
      const env = await seeded(kind)
      renameSync(inData(env, 'keys'), inData(env, 'keys.away'))

      const refused = await startOf(env)
      const madeKey = existsSync(inData(env, 'keys/installation.key'))
      renameSync(inData(env, 'keys.away'), inData(env, 'keys'))
      const again = await startOf(env)

      expect(refused.exitCode).toBe(78)
      expect(refused.message).toMatch(/installation key is missing: \S+installation\.key does not exist/)
      expect(refused.message).toMatch(/set HOOKSWITCH_KEY to the original key/)
      expect(madeKey).toBe(false)
      expect(again.exitCode).toBe(0)
    })

    test('a start with another key is refused, from a file and from HOOKSWITCH_KEY', async () => {
      const env = await seeded(kind)
      const fromSetting = await startOf({ ...env, HOOKSWITCH_KEY: someKey() })
      writeFileSync(inData(env, 'keys/installation.key'), someKey())

      const fromFile = await startOf(env)

      expect([fromSetting.exitCode, fromFile.exitCode]).toEqual([78, 78])
      expect(fromSetting.message).toMatch(/key is wrong: HOOKSWITCH_KEY has the fingerprint [0-9a-f]{16}/)
      expect(fromFile.message).toMatch(/key is wrong: \S+installation\.key has the fingerprint [0-9a-f]{16}/)
    })

    test('a database of an earlier release, without a fingerprint, is checked by what it has encrypted', async () => {
      const env = await seeded(kind)
      await withApp(env, async ({ services: { db, vault } }) => {
        await db.deleteFrom('setting').where('key', '=', 'installation_key_fingerprint').execute()
        const { id } = await db.selectFrom('company').select('id').limit(1).executeTakeFirstOrThrow()
        const mail = {
          company_id: id,
          recipient: 'a@example.test',
          subject: 's',
          text_sealed: vault.seal('t'),
          user_id: null,
          sent_at: null,
          error: null,
        }
        await db
          .insertInto('mail')
          .values({ ...mail, created_at: 1 })
          .execute()
      })

      const wrong = await startOf({ ...env, HOOKSWITCH_KEY: someKey() })
      const right = await startOf(env)
      const rightAgain = await startOf(env)

      expect([wrong.exitCode, right.exitCode, rightAgain.exitCode]).toEqual([78, 0, 0])
    })
  })
}

test('of two processes that start on an empty database with different keys one is refused', async () => {
  const env = await emptyStore('embedded')
  const first = await startOf({ ...env, HOOKSWITCH_KEY: someKey() })

  const second = await startOf({ ...env, HOOKSWITCH_KEY: someKey() })

  expect([first.exitCode, second.exitCode]).toEqual([0, 78])
  expect(second.message).toContain('All processes of an installation need the same key')
})

test('a backup names the key of its database, whichever key file is beside it, and a restore requires that key', async () => {
  const env = await seeded('embedded')
  const key = inData(env, 'keys/installation.key')
  renameSync(key, `${key}.original`)
  writeFileSync(key, someKey())
  const file = await newFile()
  const fresh = await emptyStore('embedded')

  const made = await hookswitch(['backup', file], env)
  const restored = await hookswitch(['restore', file], fresh)

  expect(made.code).toBe(0)
  expect(restored.code).toBe(78)
  expect(restored.stderr).toContain('installation key')
})

test('the program itself ends with 78 and one line', async () => {
  const env = await seeded('embedded')
  rmSync(inData(env, 'keys'), { recursive: true })

  const ran = await hookswitch(['start'], env)

  expect(ran.code).toBe(78)
  expect(ran.stderr).toMatch(/^hookswitch: The installation key is missing: .*\n$/)
})
