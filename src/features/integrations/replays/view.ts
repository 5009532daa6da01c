import { type Static, Type } from 'typebox'
import type { DeliveryState } from '../../../db/tables.ts'
import { nullable, oneOf, Timestamp } from '../../../http/schemas.ts'
import { isoMillis } from '../../../lib/time-format.ts'
import type { Replay } from './store.ts'

export const ReplayView = Type.Object({
  id: Type.String(),
  webhook_id: Type.String({ format: 'uuid' }),
  state: oneOf(['running', 'done', 'cancelled']),
  total: Type.Integer({ description: 'Deliveries to send again' }),
  done: Type.Integer({ description: 'Finished deliveries, successful or not' }),
  delivered: Type.Integer({ description: 'Delivered' }),
  failed: Type.Integer({ description: 'Failed after the last attempt' }),
  cancelled: Type.Integer({ description: 'Not sent: the replay was cancelled' }),
  created_at: Timestamp,
  finished_at: nullable(Type.String({ format: 'date-time', examples: [null] })),
})

export type Ended = Partial<Record<DeliveryState, number>>
export const noneDone: Ended = {}

export function replayView(replay: Replay, ended: Ended): Static<typeof ReplayView> {
  const { delivered = 0, exhausted = 0, expired = 0, cancelled = 0 } = ended
  const failed = exhausted + expired
  const done = delivered + failed + cancelled
  const isOver = replay.state === 'done' || (replay.state === 'running' && done >= replay.total)
  return {
    id: replay.id,
    webhook_id: replay.webhook_id,
    state: replay.state === 'cancelled' ? 'cancelled' : isOver ? 'done' : 'running',
    total: replay.total,
    done: Math.min(done, replay.total),
    delivered,
    failed,
    cancelled: replay.state === 'cancelled' ? Math.max(cancelled, replay.total - delivered - failed) : cancelled,
    created_at: isoMillis(replay.created_at),
    finished_at: replay.finished_at === null ? null : isoMillis(replay.finished_at),
  }
}
