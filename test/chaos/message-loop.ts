import type { Db } from '../../src/db/database.ts'
import type { MessageTable } from '../../src/db/tables.ts'
import { defaultHttp } from '../../src/features/messages/carriers/settings.ts'
import { insertCarrier, saveLine } from '../../src/features/messages/lines/store.ts'
import { defaultLine } from '../../src/features/messages/lines/view.ts'
import { seededRandom } from '../../src/lib/random.ts'
import { type Provider, startProvider } from '../kit/provider.ts'
import { createFleet, type Fleet } from './fleet.ts'
import { pollUntil } from './poll.ts'
import type { RoundsOptions, RoundsReport } from './rounds.ts'
import { linesFrom } from './server.ts'

// Kills every process again and again while it hands text messages over to a carrier. Two numbers send: the carrier of
// one recognises a repeated request by its idempotency key, the carrier of the other does not.

export interface MessageReport extends RoundsReport {
  /** Rounds in which an accepted message was still waiting or being handed over. */
  roundsWithInflight: number
  /** Messages that were being handed over at a kill. */
  inflight: number
  acknowledged: number
  /** Acknowledged, and in the end neither with the carrier nor reported as failed in doubt. */
  lost: number
  /** Sent twice to a carrier that cannot recognise it, or under two keys to the one that can. */
  duplicated: number
  /** Repeated under the same key although no kill interrupted the handover. */
  unexplained: number
  /** Repeated under the same key after a kill, as intended. */
  repeated: number
  /** What became of the lost ones. */
  details: string[]
  /** Reported as failed because a kill interrupted the handover to a carrier without idempotency keys. */
  inDoubt: number
  /** Messages whose status changes were not published exactly once. */
  wrongEvents: number
}

interface Accepted {
  id: string
  text: string
  hasKey: boolean
}

const messagesPerRound = 12

export async function messageLoop(options: RoundsOptions): Promise<MessageReport> {
  const { kills, seed } = options
  const random = seededRandom(seed)
  const provider = await startProvider(() => ({ status: 200, json: { id: 'taken' }, afterMs: random.integer(0, 8) }))
  const fleet = await createFleet(options)
  try {
    const numbers = await connectCarriers(fleet, provider)
    const accepted: Accepted[] = []
    const inFlight: Set<string>[] = []
    let roundsWithInflight = 0
    const send = async (text: string, numberId: number, hasKey: boolean) => {
      const api = await fleet.api(random.pick)
      const body = { to: '+33612345678', body: text }
      const target = `/v1/numbers/${numberId}/messages/native/send`
      const reply = await api('POST', target, body).catch(() => undefined)
      if (reply?.status === 200) accepted.push({ id: reply.json.id, text, hasKey })
    }
    let starting: Promise<void> = Promise.resolve()
    const rounds = Math.ceil(kills / fleet.members.length)
    for (let round = 0; round < rounds; round++) {
      await starting
      const enough = provider.got.length + random.integer(2, 14)
      const sending = Array.from({ length: messagesPerRound }, (_, index) =>
        Promise.all(numbers.map(({ id, hasKey }) => send(`${round}.${index}.${hasKey}`, id, hasKey))),
      )
      await provider.until((got) => got.length >= enough)
      await fleet.killAll()
      const left = await fleet.read(interrupted)
      inFlight.push(new Set(left.filter(({ queued }) => queued === 2).map(({ id }) => id)))
      if (left.length > 0) roundsWithInflight++
      starting = startAll(fleet)
      starting.catch(() => {})
      await Promise.all(sending)
    }
    await starting
    await pollUntil(async () => (await unfinished(fleet)) === 0, 'every accepted message has reached its final status')
    const codes = await Promise.all(fleet.members.map((member) => fleet.end(member, 'SIGTERM')))
    return {
      seed,
      kills: rounds * fleet.members.length,
      rounds,
      roundsWithInflight,
      inflight: inFlight.reduce((sum, { size }) => sum + size, 0),
      acknowledged: accepted.length,
      ...(await fleet.read((db) => audit(db, accepted, provider, inFlight))),
      badExits: codes.filter((code) => code !== 0).length,
    }
  } finally {
    await fleet.close()
    await provider.close()
  }
}

interface SendingNumber {
  id: number
  /** Its carrier recognises a repeated request. */
  hasKey: boolean
}

/** While the processes are stopped, as an administrator would before the first start. */
async function connectCarriers(fleet: Fleet, provider: Provider): Promise<SendingNumber[]> {
  await Promise.all(fleet.members.map((member) => fleet.end(member, 'SIGTERM')))
  const numbers = await fleet.read((db) => connect(db, provider.base))
  await startAll(fleet)
  return numbers
}

async function connect(db: Db, base: string): Promise<SendingNumber[]> {
  const { id: companyId } = await db.selectFrom('company').select('id').orderBy('id').executeTakeFirstOrThrow()
  const validated = db.selectFrom('number').select('id').where('company_id', '=', companyId).where('validated', '=', 1)
  const [first, second] = await validated.orderBy('id').limit(2).execute()
  if (!first || !second) throw new Error('the demo company has fewer than two validated numbers')
  const numbers = [
    { id: first.id, hasKey: true },
    { id: second.id, hasKey: false },
  ]
  for (const { id, hasKey } of numbers) {
    const settings = {
      ...defaultHttp,
      url: `${base}/messages`,
      template: '{"to":"{{ to }}","text":"{{ body }}"}',
      idempotency_header: hasKey ? 'Idempotency-Key' : null,
    }
    const carrier = { name: `Carrier ${id}`, kind: 'http' as const, enabled: true, settings, secretsSealed: null }
    const { id: carrierId } = await insertCarrier(db, companyId, carrier, Date.now())
    await saveLine(db, companyId, { ...defaultLine(companyId, id), carrierId }, Date.now())
  }
  return numbers
}

async function startAll(fleet: Fleet): Promise<void> {
  for (const member of fleet.members) await fleet.start(member)
}

type Waiting = Pick<MessageTable, 'id' | 'queued'>

/** Accepted messages without a final status. The leases of the killed processes end now, not in two minutes. */
async function interrupted(db: Db): Promise<Waiting[]> {
  await db.updateTable('message_lease').set({ until: 0 }).execute()
  const waiting = db.selectFrom('message').select(['id', 'queued']).where('queued', '>', 0)
  return waiting.orderBy('row_id').execute()
}

async function unfinished({ members: [member] }: Fleet): Promise<number> {
  if (!member?.running) throw new Error('no process is running')
  const target = '/v1/export/messages'
  const lines = await linesFrom<{ message?: { status: string } }>(member.running, member.dataDir, target)
  return lines.filter(({ message }) => message?.status === 'pending').length
}

type Findings = Pick<
  MessageReport,
  'lost' | 'details' | 'duplicated' | 'unexplained' | 'repeated' | 'inDoubt' | 'wrongEvents'
>

async function audit(
  db: Db,
  accepted: readonly Accepted[],
  { got }: Provider,
  inFlight: readonly ReadonlySet<string>[],
): Promise<Findings> {
  const outbound = db
    .selectFrom('message')
    .select(['id', 'status', 'error_message'])
    .where('direction', '=', 'outbound')
  const rows = await outbound.execute()
  const errorOf = new Map(rows.map(({ id, error_message }) => [id, error_message]))
  const statusOf = new Map(rows.map(({ id, status }) => [id, status]))
  const requestsOf = grouped(got, ({ json }) => json.text)
  const timesInFlight = (id: string) => inFlight.filter((ids) => ids.has(id)).length
  const findings: Findings = {
    lost: 0,
    details: [],
    duplicated: 0,
    unexplained: 0,
    repeated: 0,
    inDoubt: 0,
    wrongEvents: 0,
  }
  for (const { id, text, hasKey } of accepted) {
    const requests = requestsOf.get(text) ?? []
    const isInDoubt = !hasKey && statusOf.get(id) === 'failed' && timesInFlight(id) > 0
    const isSent = statusOf.get(id) === 'sent' && requests.length > 0
    if (isInDoubt) findings.inDoubt++
    else if (!isSent) {
      findings.lost++
      findings.details.push(`${id}: ${statusOf.get(id)} ${errorOf.get(id)}, ${requests.length} requests`)
    }
  }
  // Including those whose acknowledgement a kill interrupted.
  for (const requests of requestsOf.values()) {
    const keys = new Set(requests.map(({ headers }) => headers['idempotency-key']))
    const [key] = keys
    if (typeof key !== 'string' || keys.size > 1) findings.duplicated += requests.length - 1
    else {
      findings.repeated += requests.length - 1
      findings.unexplained += Math.max(0, requests.length - 1 - timesInFlight(key))
    }
  }
  findings.wrongEvents = await countWrongEvents(db, statusOf, accepted)
  return findings
}

async function countWrongEvents(
  db: Db,
  statusOf: ReadonlyMap<string, string>,
  accepted: readonly Accepted[],
): Promise<number> {
  const events = await db
    .selectFrom('event')
    .select(['name', 'resource_key'])
    .where('name', 'in', ['message.sent', 'message.status_updated'])
    .execute()
  const namesOf = grouped(events, ({ resource_key }) => resource_key)
  return accepted.filter(({ id }) => {
    const names = (namesOf.get(`message:${id}`) ?? []).map(({ name }) => name).sort()
    const expected =
      statusOf.get(id) === 'sent' ? ['message.sent', 'message.status_updated'] : ['message.status_updated']
    return names.join() !== expected.join()
  }).length
}

function grouped<T>(list: readonly T[], keyOf: (item: T) => string): Map<string, T[]> {
  const groups = new Map<string, T[]>()
  for (const item of list) {
    const group = groups.get(keyOf(item))
    if (group) group.push(item)
    else groups.set(keyOf(item), [item])
  }
  return groups
}

/** Empty when the report is good. */
export function problemsOfMessages(report: MessageReport): string[] {
  const { rounds, lost, duplicated, unexplained, wrongEvents, badExits } = report
  const none = { lost, duplicated, unexplained, wrongEvents, badExits }
  return [
    ...Object.entries(none).flatMap(([name, count]) => (count > 0 ? [`${name}: ${count}`] : [])),
    ...(report.roundsWithInflight < rounds * 0.8 ? ['too few rounds with a message in flight'] : []),
    ...(report.acknowledged < rounds * 5 ? ['too few messages'] : []),
  ]
}
