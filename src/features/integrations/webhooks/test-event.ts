import type { Tx } from '../../../db/database.ts'
import type { CompanyId } from '../../../db/tables.ts'
import { type AnyEventName, eventKind } from '../../../domain/events.ts'
import { insertDeliveries, newDelivery, wakeDispatcher } from '../../../events/fan-out.ts'
import { appendEvents, type WrittenEvent } from '../../../events/log.ts'
import { viewContextOf } from '../../../http/view-context.ts'
import type { Services } from '../../../services.ts'
import { payloads, sampleOf } from '../catalogue/catalogue.ts'
import type { Webhook } from './store.ts'
import { webhookTest } from './view.ts'

type Target = Pick<Webhook, 'id' | 'customName'>

/** One signed request with the documented sample, marked by a header only: one attempt, without retries. */
export async function sendTest(
  services: Services,
  tx: Tx,
  companyId: CompanyId,
  webhook: Target,
  name: AnyEventName,
): Promise<string> {
  const event = await writeSample(services, tx, companyId, name, webhook)
  const id = await deliverTest(services, tx, companyId, event, webhook.id)
  await wakeDispatcher(tx, [webhook.id])
  return id
}

/** Inserts the event into the log, for streams and for the given webhooks. */
export async function writeSample(
  services: Services,
  tx: Tx,
  companyId: CompanyId,
  name: AnyEventName,
  webhook?: Target,
): Promise<WrittenEvent> {
  const occurredAt = services.clock.now()
  const data =
    webhook && name === 'webhook.test'
      ? payloads['webhook.test'].write(webhookTest(webhook, occurredAt))
      : sampleOf(name, viewContextOf(services))
  const { resource } = eventKind(name)
  const about = JSON.parse(data) as { id?: number; webhook_id?: string; integration_id?: number }
  const id = about.id ?? about.webhook_id ?? about.integration_id
  const [written] = await appendEvents(tx, services.clock, companyId, [
    { name, resource, resourceKey: `${resource}:${id}`, occurredAt, data, test: true },
  ])
  if (!written) throw new Error('no event was inserted')
  return written
}

/**
 * Outside of the order per resource, and also to a disabled webhook: it tests whether the receiver responds. Tests with
 * the same `order` are sent one after the other.
 */
export async function deliverTest(
  { clock }: Services,
  tx: Tx,
  companyId: CompanyId,
  event: WrittenEvent,
  webhookId: string,
  order?: { key: string; seq: number },
): Promise<string> {
  const delivery = newDelivery(clock, companyId, event, webhookId, order?.seq ?? 1)
  const key = `test:${order?.key ?? delivery.id}`
  await insertDeliveries(tx, [{ ...delivery, kind: 'test', probe: 1, order_key: key }])
  return delivery.id
}
