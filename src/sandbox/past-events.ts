import { randomUUID } from 'node:crypto'
import type { Tx } from '../db/database.ts'
import type { CompanyId } from '../db/tables.ts'
import type { ReportParams } from '../domain/analytics/report-params.ts'
import type { CallRecord } from '../domain/call/record.ts'
import { readEvents } from '../events/log.ts'
import { audit, userActor } from '../features/accounts/audit/record.ts'
import { insertExport } from '../features/analytics/exports/store.ts'
import type { CallFact } from '../features/calls/calls/events.ts'
import { insertWebhook, updateWebhook } from '../features/integrations/webhooks/store.ts'
import { publish } from '../features/publishing/publish.ts'
import { enqueue } from '../jobs/queue.ts'
import { day, hour, minute, second } from '../lib/clock.ts'
import { type Random, seededRandom } from '../lib/random.ts'
import { randomId } from '../lib/secrets.ts'
import type { Services } from '../services.ts'
import type { PastCall } from './past-call.ts'
import { insertPastDeliveries, type PastDelivery } from './store.ts'

// Events of the last calls, and the webhook that received them until it was paused: it is paused, because its address is
// fictitious, and no event of the sandbox may leave it.

interface Writing {
  services: Services
  tx: Tx
  at: number
}

export interface WrittenCall {
  id: number
  call: PastCall
}

/** A few hours of calls fill the event log without delaying the first start. */
const callsWithEvents = 20

export async function writeEvents(
  { services, tx, at }: Writing,
  companyId: CompanyId,
  calls: readonly WrittenCall[],
  { seed, owner }: { seed: number; owner: number | null },
): Promise<void> {
  const facts = calls
    .slice(-callsWithEvents)
    .flatMap(factsOf)
    .filter((fact) => fact.at < at)
    .sort((a, b) => a.at - b.at)
  await publish(services, tx, companyId, facts)
  const webhook = {
    id: randomUUID(),
    ownerKind: 'dashboard' as const,
    oauthTokenId: null,
    apiKeyId: null,
    url: 'https://crm.example/hooks/hookswitch',
    customName: 'CRM',
    token: randomId(),
    secretSealed: services.vault.seal(randomId()),
    createdBy: owner,
  }
  await insertWebhook(tx, companyId, webhook, at - 45 * day)
  const events = (await readEvents(tx, companyId)).filter(({ resource }) => resource === 'call')
  const deliveries = planDeliveries(events, seededRandom(seed))
  await insertPastDeliveries(tx, companyId, webhook.id, deliveries)
  const lastSuccessAt = deliveries.at(-1)?.attempts.at(-1)?.startedAt ?? null
  const paused = { status: 'paused', health: 'proven', last_success_at: lastSuccessAt } as const
  await updateWebhook(tx, companyId, webhook.id, paused)
}

type DatedFact = CallFact & { at: number }

/** In the order in which a call publishes them. */
function factsOf({ id, call }: WrittenCall): DatedFact[] {
  const { record, comments, tags, voicemailMs } = call
  const { startedAt, answeredAt, endedAt } = record
  const fact = (event: CallFact['event'], at: number, moment: Partial<CallRecord> = {}): DatedFact => ({
    kind: 'call',
    event,
    callId: id,
    at,
    record: { ...record, ...moment },
  })
  const notYet = { answeredAt: null, endedAt: null, missedReason: null, hangupCause: null }
  const isOutbound = record.direction === 'outbound'
  const facts = [fact('created', startedAt, { ...notYet, ...(!isOutbound && { userId: null }) })]
  if (answeredAt !== null) facts.push(fact('answered', answeredAt, { ...notYet, answeredAt }))
  if (endedAt === null) return facts
  facts.push(fact('hungup', endedAt))
  if (voicemailMs !== null) facts.push(fact('voicemail_left', endedAt + second))
  facts.push(fact('ended', endedAt + 2 * second))
  if (tags.length > 0) facts.push(fact('tagged', endedAt + 30 * second))
  for (const comment of comments) facts.push(fact('commented', comment.at))
  return facts
}

/** One in twelve is delivered by the second attempt. */
function planDeliveries(
  events: readonly { row_id: number; id: string; name: string; resource_key: string; occurred_at: number }[],
  random: Random,
): PastDelivery[] {
  const sequence = new Map<string, number>()
  return events.map((event) => {
    const seq = (sequence.get(event.resource_key) ?? 0) + 1
    sequence.set(event.resource_key, seq)
    const startedAt = event.occurred_at + random.integer(20, 90)
    const durationMs = random.integer(35, 260)
    const failed = random.next() < 1 / 12
    const attempts = failed
      ? [
          { startedAt, durationMs, status: 503 },
          { startedAt: startedAt + 5 * second, durationMs: random.integer(35, 260), status: 200 },
        ]
      : [{ startedAt, durationMs, status: 200 }]
    return { event, seq, attempts }
  })
}

/** The file is written by its job, like that of any other report. */
export async function writeExport({ tx, at }: Writing, companyId: CompanyId, owner: number | null): Promise<void> {
  const id = randomUUID()
  const params: ReportParams = {
    reportName: 'CALLS_HISTORY',
    timezone: 'Europe/Paris',
    dateFilter: { relative: 'LAST_WEEK' },
    filters: {},
    slaSeconds: 20,
    slaReasons: [],
    exportName: 'Calls of last week',
  }
  await insertExport(tx, companyId, { id, params, at, by: owner })
  await enqueue(tx, 'analytics.export', { companyId, exportId: id, isPast: true }, at, `analytics.export:${id}`)
}

/** What administrators did, so that the audit log starts with more than the first sign-in. */
export async function writeAuditLog(
  { services, tx, at }: Writing,
  companyId: CompanyId,
  { userIds, numberIds }: { userIds: readonly number[]; numberIds: readonly number[] },
): Promise<void> {
  const [owner = 0, admin = 0, supervisor = 0, agent = 0] = userIds
  const [mainLine = 0] = numberIds
  const entries: [ago: number, by: number, action: string, target?: string, details?: object][] = [
    [84 * day, owner, 'sign_in'],
    [84 * day - 20 * minute, owner, 'user.invited', `user:${admin}`],
    [83 * day, admin, 'sign_in'],
    [83 * day - hour, admin, 'user.invited', `user:${agent}`],
    [69 * day, admin, 'sound.uploaded', `number:${mainLine}`],
    [45 * day, owner, 'two_step.enabled'],
    [24 * day, admin, 'caller.blocked'],
    [12 * day, admin, 'contacts.imported'],
    [6 * day, admin, 'caller.blocked'],
    [5 * day, supervisor, 'sign_in'],
    [5 * day - hour, supervisor, 'user.status_set', `user:${agent}`],
    [day, admin, 'sign_in'],
  ]
  for (const [ago, by, action, target, details] of entries) {
    const entry = { actor: userActor(by), action, target, details, address: '192.0.2.14', at: at - ago }
    await audit(services, tx, companyId, entry)
  }
}
