import { randomBytes } from 'node:crypto'
import { expect, test } from 'vitest'
import { type Kind, seeded } from '../cli/installation.ts'
import { api, type Env, hookswitch, production, running, serve } from '../cli/program.ts'
import { freshPostgresUrl } from '../kit/databases.ts'
import { isFullRun } from '../kit/depth.ts'
import { faultyProxy } from './faulty-proxy.ts'
import { companyAsShown } from './field-by-field.ts'

interface Key {
  api_id: string
  api_token: string
}

async function newInstallation(kind: Kind): Promise<{ env: Env; key: Key }> {
  const url = kind === 'postgres' ? await freshPostgresUrl() : undefined
  const HOOKSWITCH_KEY = randomBytes(32).toString('base64')
  const env = await production({ RATE_LIMIT_PER_MINUTE: '1000000', HOOKSWITCH_KEY, ...(url && { DATABASE_URL: url }) })
  const made = await hookswitch(
    ['company', 'create', '--name', 'Target', '--owner-email', 'o@target.test', '--json'],
    env,
  )
  return { env, key: made.json }
}

const importFrom = (url: string, { api_id, api_token }: Key) =>
  ['import', '--from', url, '--api-id', api_id, '--api-token', api_token, '--json'] as const

const kinds: Kind[] = isFullRun ? ['embedded', 'postgres'] : ['embedded']

test.each(kinds)('an importer that is killed 20 times imports the same as one that is not: %s', async (kind) => {
  const sourceEnv = await seeded('embedded')
  const source = await serve(sourceEnv)
  const made = await hookswitch(['keys', 'create', '--name', 'Import', '--json'], {
    DATA_DIR: sourceEnv.DATA_DIR ?? '',
  })
  const [whole, killed] = [await newInstallation(kind), await newInstallation(kind)]
  const plain = await faultyProxy(source.base, false)

  const uninterrupted = running([...importFrom(plain.url, made.json)], whole.env)
  expect(await uninterrupted.ended).toBe(0)

  const faulty = await faultyProxy(source.base)
  const words = [...importFrom(faulty.url, made.json)]
  const step = Math.floor(plain.requests() / 22)
  for (let kill = 1; kill <= 20; kill++) {
    const importer = running(words, killed.env)
    const killAt = faulty.requests() + step + kill
    faulty.onRequest = (n) => {
      if (n >= killAt) importer.signal('SIGKILL')
    }
    expect(await importer.ended).toBe(null)
  }
  faulty.onRequest = undefined
  const last = running(words, killed.env)
  expect(await last.ended).toBe(0)

  const [one, other] = [await serve(whole.env), await serve(killed.env)]
  const [expected, found] = await Promise.all([
    companyAsShown(api(one.base, whole.key)),
    companyAsShown(api(other.base, killed.key)),
  ])
  // The owners were created by the commands at different times, not by the import.
  const imported = (users: string[]) => users.filter((user) => !user.includes('o@target.test'))
  expect(imported(found.users)).toEqual(imported(expected.users))
  expect(found.teams).toEqual(expected.teams)
  expect(found.tags).toEqual(expected.tags)
  expect(found.contacts).toEqual(expected.contacts)
  expect(found.numbers).toEqual(expected.numbers)
  expect(found.calls).toEqual(expected.calls)
  expect(found.results).toEqual(expected.results)
  expect(found.messages).toEqual(expected.messages)
  expect(found.rawCalls).toHaveLength(expected.rawCalls.length)
  const counts = (text: string) =>
    JSON.parse(text).progress.map((kind: { kind: string; created: number; rejected: number }) => [
      kind.kind,
      kind.created,
      kind.rejected,
    ])
  expect(counts(last.stdout())).toEqual(counts(uninterrupted.stdout()))
  expect(Math.min(faulty.faults['429'], faulty.faults['500'], faulty.faults.lost, faulty.faults.cut)).toBeGreaterThan(0)
})
