import { expect, inject, onTestFinished, test } from 'vitest'
import { seededRandom } from '../../src/lib/random.ts'
import type { Kind } from '../cli/installation.ts'
import { temporaryFolder } from '../kit/databases.ts'
import { seed, times } from '../kit/depth.ts'
import { createFleet, type Fleet } from './fleet.ts'
import { placeOf } from './place.ts'
import { endAll } from './server.ts'

const route = '/v1/analytics/report/export'
const dateOf = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10)
const absoluteRange = { fromDate: dateOf(-60), toDate: dateOf(-1) }
const input = { reportName: 'CALLS_HISTORY', filter: { timezone: 'UTC', dateFilter: { absoluteRange } } }
const kills = times({ quick: 2, full: 5 })

async function ask(fleet: Fleet): Promise<string> {
  const api = await fleet.api(([first]) => first ?? fail())
  const { status, json } = await api('POST', route, { input })
  expect([status, json]).toMatchObject([201, { status: 'PENDING' }])
  return json.exportID
}

const fail = () => {
  throw new Error('nobody is there')
}

/** Its lines, when it is made. */
async function made(fleet: Fleet, id: string): Promise<string[]> {
  const read = async () => (await (await fleet.api(([first]) => first ?? fail()))('GET', `${route}/${id}`)).json
  await expect.poll(async () => (await read()).status, { timeout: 60_000 }).toBe('COMPLETED')
  const { downloadUrl } = await read()
  return (await (await fetch(downloadUrl)).text()).split('\n')
}

async function survives(kind: Kind): Promise<void> {
  onTestFinished(endAll)
  const random = seededRandom(seed)
  // Whichever process made it, any of them hands it out.
  const env = { FILES_URL: await temporaryFolder() }
  const fleet = await createFleet({ ...(await placeOf(kind)), env })
  onTestFinished(fleet.close)
  const undisturbed = await made(fleet, await ask(fleet))
  const ids: string[] = []

  for (let round = 0; round < kills; round++) {
    ids.push(await ask(fleet))
    // Somewhere on its way; where, is up to the machine.
    for (let turns = random.integer(0, 40); turns > 0; turns--) await new Promise((resolve) => setImmediate(resolve))
    for (const member of fleet.members) await fleet.end(member, 'SIGKILL')
    await fleet.read((db) => db.updateTable('job').set({ leased_until: 1 }).where('leased_until', '>', 1).execute())
    for (const member of fleet.members) await fleet.start(member)
  }

  expect(undisturbed.length).toBeGreaterThan(50)
  for (const id of ids) expect(await made(fleet, id)).toEqual(undisturbed)
}

test('an export whose process is killed is made by the next one, whole and once (embedded store)', () =>
  survives('embedded'))

test.skipIf(inject('postgres') === null)(
  'an export whose process is killed is made by the next one, whole and once (PostgreSQL)',
  () => survives('postgres'),
)
