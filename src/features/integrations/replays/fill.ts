import { type Tx, transaction } from '../../../db/database.ts'
import { notify } from '../../../db/dialect.ts'
import type { CompanyId, DeliveryTable } from '../../../db/tables.ts'
import { insertDeliveries, newDelivery } from '../../../events/fan-out.ts'
import { inBatches } from '../../../lib/in-batches.ts'
import { ulid } from '../../../lib/ulid.ts'
import type { Services } from '../../../services.ts'
import {
  type Cursor,
  cancelSomeOf,
  lockReplay,
  nextSequence,
  pageOfMissed,
  pageOfSelected,
  type Replay,
  type ReplaySelection,
  updateReplay,
} from './store.ts'

const batchSize = 50

/** Job: creates the deliveries of a replay, one batch per transaction; or cancels them if the replay was cancelled. */
export function fillReplayJob(services: Services) {
  const { db, clock } = services
  return async ({ companyId, replayId }: { companyId: CompanyId; replayId: string }): Promise<void> => {
    await inBatches(clock, () => transaction(db, (tx) => fillBatch(services, tx, companyId, replayId)))
  }
}

async function fillBatch(services: Services, tx: Tx, companyId: CompanyId, id: string): Promise<number> {
  const replay = await lockReplay(tx, companyId, id)
  if (!replay) return 0
  const at = services.clock.now()
  if (replay.state === 'cancelled') {
    return cancelSomeOf(tx, companyId, id, at, batchSize)
  }
  if (replay.state !== 'filling') return 0
  const after: Cursor = replay.cursor ? JSON.parse(replay.cursor) : { at: 0, row: 0 }
  const made = await nextDeliveries(services, tx, companyId, replay, after)
  const last = made.at(-1)
  if (!last) {
    await updateReplay(tx, companyId, id, { state: 'running', total: replay.filled })
    return 0
  }
  await insertDeliveries(
    tx,
    made.map(({ delivery }) => delivery),
  )
  await updateReplay(tx, companyId, id, {
    cursor: JSON.stringify(last.cursor),
    filled: replay.filled + made.length,
  })
  await notify(tx, 'backlog', replay.webhook_id)
  return made.length
}

/** Same message ID and sequence as the original, with an order key of their own: live events never wait for replays. */
async function nextDeliveries(services: Services, tx: Tx, companyId: CompanyId, replay: Replay, after: Cursor) {
  const { clock } = services
  const selection = JSON.parse(replay.wish) as ReplaySelection
  const own = (delivery: DeliveryTable): DeliveryTable => ({
    ...delivery,
    order_key: `${replay.id}:${delivery.resource_key}`,
    replay_id: replay.id,
    kind: 'replay',
    bulk: 1,
  })
  if (selection.of === 'missed') {
    const events = await pageOfMissed(tx, companyId, replay.webhook_id, selection, after, batchSize)
    const made: { delivery: DeliveryTable; cursor: Cursor }[] = []
    for (const event of events) {
      const { row_id: rowId, resource_key: resourceKey, ...rest } = event
      const seq = await nextSequence(tx, companyId, replay.webhook_id, resourceKey)
      const delivery = own(newDelivery(clock, companyId, { ...rest, rowId, resourceKey }, replay.webhook_id, seq))
      made.push({ delivery, cursor: { at: event.occurred_at, row: rowId } })
    }
    return made
  }
  const originals = await pageOfSelected(tx, companyId, replay.webhook_id, selection, after, batchSize)
  return originals.map((original) => {
    const event = {
      id: original.event_id,
      rowId: original.event_row,
      name: original.event_name,
      resourceKey: original.resource_key,
    }
    const delivery = own(newDelivery(clock, companyId, event, original.webhook_id, original.seq))
    return {
      delivery: { ...delivery, message_id: original.message_id, replay_of: original.id },
      cursor: { at: original.created_at, row: original.event_row },
    }
  })
}

export const newReplayId = (machineNow: number) => `rpl_${ulid(machineNow)}`
