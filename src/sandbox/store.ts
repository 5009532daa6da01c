import type { Db } from '../db/database.ts'
import { hotQuery } from '../db/hot-query.ts'
import type { AiAgentSessionTable, CallPartyTable, CompanyId, RingAttemptTable } from '../db/tables.ts'
import { ulid } from '../lib/ulid.ts'

// Sandbox settings of a company, as JSON by name: `faults`, `callees`, `autopilot:<user>`.

const settingNamed = hotQuery((db, v: { companyId: CompanyId; key: string }) =>
  db
    .selectFrom('sandbox_setting')
    .select('value')
    .where('company_id', '=', v.companyId)
    .where('key', '=', v.key)
    .compile(),
)

export async function readSandboxSetting(db: Db, companyId: CompanyId, key: string): Promise<string | undefined> {
  const [row] = await settingNamed(db, { companyId, key })
  return row?.value
}

export async function writeSandboxSetting(db: Db, companyId: CompanyId, key: string, value: string): Promise<void> {
  await db
    .insertInto('sandbox_setting')
    .values({ company_id: companyId, key, value })
    .onConflict((conflict) => conflict.columns(['company_id', 'key']).doUpdateSet({ value }))
    .execute()
}

export async function deleteSandboxSetting(db: Db, companyId: CompanyId, key: string): Promise<void> {
  await db.deleteFrom('sandbox_setting').where('company_id', '=', companyId).where('key', '=', key).execute()
}

/** Values of a setting, for all companies that have it. */
export async function settingOfAll(db: Db, key: string): Promise<{ companyId: CompanyId; value: string }[]> {
  const rows = await db.selectFrom('sandbox_setting').select(['company_id', 'value']).where('key', '=', key).execute()
  return rows.map(({ company_id, value }) => ({ companyId: company_id, value }))
}

/** Maps the engine's key of a call to its ID. */
export async function callIdOfKey(db: Db, companyId: CompanyId, key: string): Promise<number | undefined> {
  const row = await db
    .selectFrom('call')
    .select('id')
    .where('uuid', '=', key)
    .where('company_id', '=', companyId)
    .executeTakeFirst()
  return row?.id
}

/** Null if the team is empty. */
export async function firstMemberOf(db: Db, companyId: CompanyId, teamId: number): Promise<number | null> {
  const row = await db
    .selectFrom('team_member')
    .select('user_id')
    .where('company_id', '=', companyId)
    .where('team_id', '=', teamId)
    .orderBy('added_at')
    .orderBy('user_id')
    .executeTakeFirst()
  return row?.user_id ?? null
}

/** Names of contacts with a phone number, by number. */
export async function customersByPhone(
  db: Db,
  companyId: CompanyId,
): Promise<Map<string, { name: string; company: string }>> {
  const rows = await db
    .selectFrom('contact_phone as p')
    .innerJoin('contact as c', 'c.id', 'p.contact_id')
    .select(['p.value', 'c.first_name', 'c.last_name', 'c.company_name'])
    .where('p.company_id', '=', companyId)
    .where('c.company_id', '=', companyId)
    .orderBy('p.id')
    .limit(500)
    .execute()
  return new Map(
    rows.map(({ value, first_name, last_name, company_name }) => {
      const name = [first_name, last_name].filter((part) => part !== null).join(' ')
      return [value, { name, company: company_name ?? `${last_name ?? name} & Co` }]
    }),
  )
}

type PastRingRow = Pick<RingAttemptTable, 'outcome' | 'origin'> & {
  callId: number
  numberId: number
  userId: number
  teamId: number | null
  startedAt: number
  endedAt: number
}

export async function insertRings(db: Db, companyId: CompanyId, rings: readonly PastRingRow[]): Promise<void> {
  const rows = rings.map(({ callId, numberId, userId, teamId, startedAt, endedAt, outcome, origin }) => ({
    company_id: companyId,
    call_id: callId,
    number_id: numberId,
    user_id: userId,
    team_id: teamId,
    started_at: startedAt,
    ended_at: endedAt,
    outcome,
    origin,
  }))
  for (const some of batches(rows)) await db.insertInto('ring_attempt').values(some).execute()
}

interface PastPartyRow {
  callId: number
  userId: number
  way: CallPartyTable['way']
  joinedAt: number
  leftAt: number
  gaveAt: number | null
}

export async function insertParties(db: Db, companyId: CompanyId, parties: readonly PastPartyRow[]): Promise<void> {
  const rows = parties.map(({ callId, userId, way, joinedAt, leftAt, gaveAt }) => ({
    company_id: companyId,
    call_id: callId,
    user_id: userId,
    way,
    joined_at: joinedAt,
    left_at: leftAt,
    gave_at: gaveAt,
  }))
  for (const some of batches(rows)) await db.insertInto('call_party').values(some).execute()
}

const batches = <T>(rows: readonly T[], size = 500): T[][] =>
  Array.from({ length: Math.ceil(rows.length / size) }, (_, i) => rows.slice(i * size, (i + 1) * size))

/** The part of an AI agent in a past call. */
export async function insertPastSession(
  db: Db,
  companyId: CompanyId,
  callId: number,
  session: {
    agent: { id: string; name: string }
    startedAt: number
    endedAt: number
    endReason: AiAgentSessionTable['end_reason']
    escalationReason: string | null
    answers: object
    turns: readonly object[]
  },
): Promise<void> {
  const row = {
    id: ulid(session.startedAt),
    company_id: companyId,
    call_id: callId,
    agent_id: session.agent.id,
    agent_name: session.agent.name,
    agent_version: 1,
    started_at: session.startedAt,
    ended_at: session.endedAt,
    end_reason: session.endReason,
    escalation_reason: session.escalationReason,
    escalation_target:
      session.escalationReason === null ? null : JSON.stringify({ type: 'branch', destination: 'ring' }),
    answers: JSON.stringify(session.answers),
    turns: JSON.stringify(session.turns),
    structured_data: null,
    structured_data_problem: null,
  }
  await db.insertInto('ai_agent_session').values(row).execute()
}

/** In chronological order per user; the last one, offline, is the present one. */
export async function insertStatuses(
  db: Db,
  companyId: CompanyId,
  statuses: readonly { userId: number; at: number; granular: string; reason: string | null }[],
): Promise<void> {
  const rows = statuses.map(({ userId, at, granular, reason }) => ({
    company_id: companyId,
    user_id: userId,
    at,
    granular,
    availability_status: reason === null ? 'available' : 'unavailable',
    reason,
  }))
  for (const some of batches(rows)) await db.insertInto('user_status').values(some).execute()
  for (const [userId, since] of new Map(statuses.map((one) => [one.userId, one.at])))
    await db
      .updateTable('user')
      .set({ granular_since: since })
      .where('company_id', '=', companyId)
      .where('id', '=', userId)
      .execute()
}

/** A delivery of the past that succeeded in the end. */
export interface PastDelivery {
  event: { row_id: number; id: string; name: string; resource_key: string; occurred_at: number }
  /** Its place among the events of the resource. */
  seq: number
  attempts: { startedAt: number; durationMs: number; status: number }[]
}

export async function insertPastDeliveries(
  db: Db,
  companyId: CompanyId,
  webhookId: string,
  deliveries: readonly PastDelivery[],
): Promise<void> {
  const common = { company_id: companyId, webhook_id: webhookId, precedes: null, replay_of: null, replay_id: null }
  const settled = { state: 'delivered', blocking: 0, kind: 'live', bulk: 0, probe: 0, priority: 0, asked: 0 } as const
  const free = { lost_leases: 0, lease_token: null, lease_until: null, worker_id: null, last_error: null }
  for (const { event, seq, attempts } of deliveries) {
    const id = `dlv_${ulid(event.occurred_at)}`
    const last = attempts.at(-1)
    const finishedAt = (last?.startedAt ?? event.occurred_at) + (last?.durationMs ?? 0)
    await db
      .insertInto('delivery')
      .values({
        ...common,
        ...settled,
        ...free,
        id,
        message_id: `msg_${ulid(event.occurred_at)}`,
        event_row: event.row_id,
        event_id: event.id,
        event_name: event.name,
        resource_key: event.resource_key,
        order_key: event.resource_key,
        seq,
        attempts: attempts.length,
        next_at: finishedAt,
        created_at: event.occurred_at,
        finished_at: finishedAt,
        last_status: last?.status ?? null,
      })
      .execute()
    const rows = attempts.map(({ startedAt, durationMs, status }, n) => ({
      delivery_id: id,
      company_id: companyId,
      n: n + 1,
      kind: 'live',
      started_at: startedAt,
      duration_ms: durationMs,
      phase: 'done',
      status,
      error_class: status === 200 ? null : 'http_5xx',
      detail: '',
      request_headers: '',
      response_headers: '',
      response_body: status === 200 ? 'ok' : 'Service Unavailable',
      worker_id: '',
    }))
    await db.insertInto('attempt').values(rows).execute()
  }
}
