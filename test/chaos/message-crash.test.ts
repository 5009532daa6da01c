import { expect, inject, onTestFinished, test } from 'vitest'
import { usualHttp } from '../../src/features/carriers/settings.ts'
import { insertCarrier, saveLine } from '../../src/features/message-lines/store.ts'
import { usualLine } from '../../src/features/message-lines/view.ts'
import { seededRandom } from '../../src/lib/random.ts'
import { type Kind, seeded, withApp } from '../cli/installation.ts'
import { temporaryFolder } from '../kit/databases.ts'
import { seed, times } from '../kit/depth.ts'
import { type StandIn, standIn } from '../kit/web-stand-in.ts'
import { createFleet, type Fleet } from './fleet.ts'
import { endAll, linesFrom } from './server.ts'

const kills = times({ quick: 2, full: 5 })
const perRound = 12
const body = (text: string) => ({ to: '+33612345678', body: text })

/** A line whose texts go to the provider; it knows our names for them, or it does not. */
async function openLine(kind: Kind, provider: StandIn, knowsNames: boolean) {
  const env = await seeded(kind, { HOOKSWITCH_ALLOW_LOOPBACK_RECEIVERS: '1' })
  const line = await withApp(env, async ({ services: { db, clock } }) => {
    const { id: companyId } = await db.selectFrom('company').select('id').orderBy('id').executeTakeFirstOrThrow()
    const number = db.selectFrom('number').select('id').where('company_id', '=', companyId).where('validated', '=', 1)
    const { id } = await number.orderBy('id').executeTakeFirstOrThrow()
    const settings = {
      ...usualHttp,
      url: `${provider.base}/messages`,
      template: '{"to":"{{ to }}","text":"{{ body }}"}',
      idempotency_header: knowsNames ? 'Idempotency-Key' : null,
    }
    const row = { name: 'Provider', kind: 'http' as const, enabled: true, settings, secretsSealed: null }
    const { id: carrierId } = await insertCarrier(db, companyId, row, clock.now())
    await saveLine(db, companyId, { ...usualLine(companyId, id), carrierId }, clock.now())
    return id
  })
  const { DATA_DIR: from = '', DATABASE_URL: databaseUrl } = env
  const fleet = await createFleet({ folder: await temporaryFolder(), from, ...(databaseUrl && { databaseUrl }) })
  onTestFinished(fleet.close)
  return { fleet, line }
}

/** Kills whoever hands messages over, again and again, and resolves with the names of those that were acknowledged. */
async function storm({ fleet, line }: { fleet: Fleet; line: number }, provider: StandIn): Promise<string[]> {
  const random = seededRandom(seed)
  const acknowledged: string[] = []
  const send = async (text: string) => {
    const api = await fleet.api((living) => random.pick(living))
    const { status, json } = await api('POST', `/v1/numbers/${line}/messages/native/send`, body(text)).catch(() => gone)
    if (status === 200) acknowledged.push(json.id)
  }
  for (let round = 0; round < kills; round++) {
    const enough = provider.got.length + random.integer(2, 6)
    const sending = Promise.all(Array.from({ length: perRound }, (_, index) => send(`${round}.${index}`)))
    await provider.until((got) => got.length >= enough)
    for (const member of fleet.members) await fleet.end(member, 'SIGKILL')
    await fleet.read((db) => db.updateTable('message_lease').set({ until: 0 }).execute())
    for (const member of fleet.members) await fleet.start(member)
    await sending
  }
  return acknowledged
}

const gone = { status: 0, json: null }

interface Ended {
  id: string
  status: string
}

/** What became of each, once everything has come to its end. */
async function ends({ members: [member] }: Fleet): Promise<Map<string, string>> {
  const { running, dataDir = '' } = member ?? {}
  if (!running) throw new Error('nobody is there')
  const read = async () => {
    const lines = await linesFrom<{ message?: Ended }>(running, dataDir, '/v1/export/messages')
    return lines.flatMap(({ message }) => (message ? [message] : []))
  }
  await expect
    .poll(async () => (await read()).filter(({ status }) => status === 'pending'), { timeout: 60_000 })
    .toEqual([])
  return new Map((await read()).map(({ id, status }) => [id, status]))
}

async function sentByName(kind: Kind): Promise<void> {
  onTestFinished(endAll)
  const provider = await standIn(() => ({ status: 200, json: { id: 'taken' } }))
  const place = await openLine(kind, provider, true)

  const acknowledged = await storm(place, provider)
  const became = await ends(place.fleet)

  const arrived = new Set(provider.got.map(({ headers }) => headers['idempotency-key']))
  expect(acknowledged.filter((id) => became.get(id) !== 'sent' || !arrived.has(id))).toEqual([])
  expect(acknowledged.length).toBeGreaterThan(kills)
}

async function sentOnce(kind: Kind): Promise<void> {
  onTestFinished(endAll)
  const provider = await standIn(() => ({ status: 200, json: { id: 'taken' } }))
  const place = await openLine(kind, provider, false)

  const acknowledged = await storm(place, provider)
  const became = await ends(place.fleet)

  const texts = provider.got.map(({ json }) => json.text)
  expect(texts.filter((text, index) => texts.indexOf(text) !== index)).toEqual([])
  const inDoubt = acknowledged.filter((id) => became.get(id) === 'failed')
  expect(acknowledged.filter((id) => !['sent', 'failed'].includes(became.get(id) ?? ''))).toEqual([])
  expect(inDoubt.length).toBeLessThanOrEqual(kills)
}

const noPostgres = inject('postgres') === null

test('texts of a process that is killed all arrive where the carrier knows their names (embedded store)', () =>
  sentByName('embedded'))
test.skipIf(noPostgres)(
  'texts of processes that are killed all arrive where the carrier knows their names (PostgreSQL)',
  () => sentByName('postgres'),
)
test('elsewhere none is sent twice, and the one in doubt says so (embedded store)', () => sentOnce('embedded'))
test.skipIf(noPostgres)('elsewhere none is sent twice, and the one in doubt says so (PostgreSQL)', () =>
  sentOnce('postgres'),
)
