import { type Db, openDatabase } from '../../src/db/database.ts'
import { systemClock } from '../../src/lib/clock.ts'
import type { Remote } from '../webhooks/remote.ts'
import type { Placed } from './callers.ts'
import type { ApiTraffic } from './companies.ts'
import type { SoakReceiverActions } from './receiver-program.ts'
import type { Store } from './store.ts'

// What was promised against what is stored, after the server was stopped. Every problem is a sentence with ids.

export interface AuditOptions {
  store: Store
  dataDir: string
  /** The newest call before the load. */
  lastCall: number
  placed: readonly Placed[]
  traffic: ApiTraffic
  receiver: Remote<SoakReceiverActions>
}

export interface Audit {
  calls: number
  deliveries: Record<string, number>
  problems: string[]
}

export async function audit(options: AuditOptions): Promise<Audit> {
  const { store, dataDir } = options
  const place = store.databaseUrl
    ? ({ kind: 'postgres', url: store.databaseUrl, poolSize: 1 } as const)
    : ({ kind: 'embedded', folder: dataDir } as const)
  const { db, close } = await openDatabase(place, systemClock())
  try {
    const calls = await auditCalls(db, options)
    const deliveries = await auditDeliveries(db, options)
    const messages = await auditMessages(db, options)
    return {
      calls: calls.count,
      deliveries: deliveries.byState,
      problems: [...calls.problems, ...(await leftovers(db)), ...deliveries.problems, ...messages],
    }
  } finally {
    await close()
  }
}

async function auditCalls(db: Db, { lastCall, placed, traffic }: AuditOptions) {
  const rows = await db
    .selectFrom('call')
    .select(['id', 'external', 'status', 'answered_at', 'ended_at'])
    .where('id', '>', lastCall)
    .execute()
  const open = rows.filter(({ status, ended_at }) => status !== 'done' || ended_at === null)
  const known = new Set(rows.map(({ id }) => id))
  const callers = new Map(rows.map((row) => [row.external, row]))
  const answered = placed.filter(({ isAnswered }) => isAnswered)
  const lost = answered.filter(({ from }) => !callers.has(from))
  return {
    count: rows.length,
    problems: [
      ...listed(open, ({ id, status }) => `call ${id} (${status})`, 'never ended'),
      ...listed(lost, ({ from, to }) => `${from} to ${to}`, 'were answered over SIP and are not stored'),
      ...listed(
        traffic.calls.filter((id) => !known.has(id)),
        (id) => `call ${id}`,
        'were accepted by the API and are not stored',
      ),
    ],
  }
}

async function leftovers(db: Db): Promise<string[]> {
  const live = await db.selectFrom('live_call').select('key').execute()
  const reserved = await db.selectFrom('ring_reservation').select(['key', 'user_id']).execute()
  const busy = await db.selectFrom('user').select(['id', 'in_call']).where('in_call', '!=', 0).execute()
  return [
    ...listed(live, ({ key }) => key, 'are still live'),
    ...listed(reserved, ({ user_id, key }) => `user ${user_id} for ${key}`, 'are still reserved'),
    ...listed(busy, ({ id }) => `user ${id}`, 'are still on a call'),
  ]
}

/** Healthy receivers get everything; of the others the states are counted. */
async function auditDeliveries(db: Db, { traffic, receiver }: AuditOptions) {
  const byState: Record<string, number> = {}
  const problems: string[] = []
  const promised: string[] = []
  for (const { id, hook } of traffic.companies.flatMap(({ webhooks }) => webhooks)) {
    const kind = hook.split('/')[1] ?? ''
    const rows = await db.selectFrom('delivery').select(['message_id', 'state']).where('webhook_id', '=', id).execute()
    for (const { state } of rows) byState[`${kind} ${state}`] = (byState[`${kind} ${state}`] ?? 0) + 1
    if (kind !== 'healthy') continue
    const undelivered = rows.filter(({ state }) => state !== 'delivered')
    problems.push(...listed(undelivered, (row) => `${hook} ${row.message_id} (${row.state})`, 'were not delivered'))
    promised.push(...rows.map(({ message_id }) => `${hook} ${message_id}`))
  }
  const missing = await receiver.ask('missing', { messages: promised, changes: traffic.changes })
  return {
    byState,
    problems: [
      ...problems,
      ...listed(missing.messages, (message) => message, 'never reached a healthy receiver'),
      ...listed(missing.changes, (change) => change, 'were acknowledged and published to no healthy receiver'),
    ],
  }
}

async function auditMessages(db: Db, { traffic: { messages } }: AuditOptions): Promise<string[]> {
  const rows = await db.selectFrom('message').select(['id', 'status']).execute()
  const statusOf = new Map(rows.map(({ id, status }) => [id, status]))
  const lost = messages.filter((id) => ['pending', undefined].includes(statusOf.get(id)))
  return listed(lost, (id) => `message ${id} (${statusOf.get(id) ?? 'not stored'})`, 'were accepted and never sent')
}

const shown = 5

function listed<T>(list: readonly T[], text: (item: T) => string, what: string): string[] {
  if (list.length === 0) return []
  const more = list.length > shown ? ' …' : ''
  return [`${list.length} ${what}: ${list.slice(0, shown).map(text).join(', ')}${more}`]
}
